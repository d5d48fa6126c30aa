"""Values of forms, and the positions of their rows in the filed bytes."""

import re
from datetime import date
from decimal import Decimal

from edgar_search.text.forms.elements import Element

# With more digits it is not an amount, and some programs misread it.
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,26}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
_ISO_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:$|[-+Z])")
_US_DAY = re.compile(r"([0-9]{2})[/-]([0-9]{2})[/-]([0-9]{4})$")
_CIK = re.compile(r"[0-9]{1,10}")
_CUSIP = re.compile(r"[0-9A-Z*@#]{6,12}")
# Longer than any code or ticker; Elasticsearch refuses a keyword of 32,767 bytes.
_MOST_OF_CODE = 100
FLAGS = {"1": True, "true": True, "Y": True, "0": False, "false": False, "N": False}


# The entry in `not_read` for a truncated form.
CUT_OFF = "end of the form"


def names_left_out(number: int, most: int) -> list[str]:
    """Return the entry in `not_read` for a form with more rows or persons than are read."""
    return [f"what comes after the first {most:,}"] if number > most else []


_SMALLEST, _LARGEST = Decimal("1E-12"), Decimal("1E26")


def product(one: Decimal, other: Decimal) -> Decimal | None:
    """Return a product with as many digits as amounts may have; None if it is larger."""
    result = one * other
    if abs(result) >= _LARGEST:
        return None
    exponent = result.as_tuple().exponent
    return result.quantize(_SMALLEST) if isinstance(exponent, int) and exponent < -12 else result


class Values:
    """Reads values of elements; `not_read` collects the names of unreadable ones."""

    def __init__(self) -> None:
        self.not_read: list[str] = []

    def text(self, element: Element | None) -> str | None:
        """Return a text; None if it is absent or empty."""
        return (element.text or None) if element is not None else None

    def code(self, element: Element | None) -> str | None:
        """Return a code or a ticker."""
        return None if element is None else self.short(element.text, element.name)

    def short(self, text: str, name: str) -> str | None:
        """Return a text that is a code; `name` is its element's."""
        if len(text) <= _MOST_OF_CODE:
            return text or None
        self.not_read.append(name)
        return None

    def decimal(self, element: Element | None) -> Decimal | None:
        """Return an amount with its digits as filed, without commas, `$` and `%`."""
        return None if element is None else self.amount(element.text, element.name)

    def amount(self, text: str, name: str) -> Decimal | None:
        """Parse an amount; `name` is its element's."""
        if not text:
            return None
        digits = text.replace(",", "").removeprefix("$").removesuffix("%").strip()
        if _DECIMAL.fullmatch(digits):
            return Decimal(digits)
        self.not_read.append(name)
        return None

    def day(self, element: Element | None) -> date | None:
        """Return a day, written as 2025-04-30, 04/30/2025 or 04-30-2025."""
        text = self.text(element)
        if text is None:
            return None
        try:
            if match := _ISO_DAY.match(text):
                return date(int(match[1]), int(match[2]), int(match[3]))
            if match := _US_DAY.match(text):
                return date(int(match[3]), int(match[1]), int(match[2]))
        except ValueError:
            pass
        self._refuse(element)
        return None

    def cik(self, element: Element | None) -> str | None:
        """Return a CIK of 10 digits."""
        text = self.text(element)
        if text is None:
            return None
        if _CIK.fullmatch(text):
            return text.zfill(10)
        self._refuse(element)
        return None

    def cusip(self, element: Element | None) -> str | None:
        """Return a CUSIP of 6 to 12 characters, in capitals."""
        return None if element is None else self.security(element.text, element.name)

    def security(self, text: str, name: str) -> str | None:
        """Parse a CUSIP; `name` is its element's."""
        text = text.upper()
        if not text or _CUSIP.fullmatch(text):
            return text or None
        self.not_read.append(name)
        return None

    def flag(self, element: Element | None) -> bool | None:
        """Parse a flag."""
        text = self.text(element)
        if text is None:
            return None
        if text not in FLAGS:
            self._refuse(element)
        return FLAGS.get(text)

    def _refuse(self, element: Element | None) -> None:
        assert element is not None
        self.not_read.append(element.name)


class BytePlaces:
    """Maps characters of a decoded body to bytes, in ascending order."""

    def __init__(self, body: bytes, xml: str) -> None:
        self._xml = xml
        # The decoder drops a byte order mark; UTF-16, and invalid UTF-8, are not mapped.
        self._mark = 3 if body.startswith(b"\xef\xbb\xbf") else 0
        self._is_by_bytes = len(body) - self._mark == len(xml)
        self._is_known = self._is_by_bytes or len(body) - self._mark == len(xml.encode())
        self._at = (0, 0)

    def place(self, at: int) -> int | None:
        """Return the byte at which a character begins; None if that is uncertain."""
        if not self._is_known:
            return None
        if self._is_by_bytes:
            return self._mark + at
        characters, byte = self._at if at >= self._at[0] else (0, 0)
        byte += len(self._xml[characters:at].encode())
        self._at = (at, byte)
        return self._mark + byte
