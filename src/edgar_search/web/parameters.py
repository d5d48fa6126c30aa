"""Parameters as received to single values and lists; every refusal names its parameter."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest

# Name of a parameter to the values received under it, in order.
Raw = Mapping[str, Sequence[str]]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# RFC 3339: seconds and a zone are needed, a leap second is possible, "t" and "z" may be small.
_MOMENT = re.compile(
    _DAY.pattern + r"[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_SIC = re.compile(r"\d{1,4}", re.ASCII)
# More digits than anybody means, and fewer than Python refuses to read.
INTEGER = re.compile(r"-?\d{1,1000}", re.ASCII)


class Parameters:
    """The parameters of one request, under every spelling of their names.

    `names` gives for each canonical name its other spellings. Raises BadRequest for an unknown
    name, and for two spellings of one name with different values.
    """

    def __init__(self, raw: Raw, names: Mapping[str, Sequence[str]]) -> None:
        self._names = names
        spellings = {other: name for name, others in names.items() for other in (name, *others)}
        for name in raw:
            if name not in spellings:
                raise BadRequest(f"{name}: unknown parameter; known are {', '.join(spellings)}")
        self._values = {name: self._one_spelling(raw, name) for name in names}

    def single(self, name: str) -> str | None:
        """The one value, as received; None where it is absent or empty."""
        values = self._values[name]
        if len(values) > 1:
            raise BadRequest(f"{name}: given {len(values)} times; once is right")
        return values[0] if values else None

    def items(self, name: str) -> tuple[str, ...]:
        """The items of a list, comma-separated or repeated, trimmed, each once."""
        return tuple(dict.fromkeys(_items(self._values[name])))

    def integer(self, name: str, default: int, least: int, most: int | None = None) -> int:
        """A whole number within bounds."""
        text = self.single(name)
        if text is None:
            return default
        bounds = f"a whole number from {least} to {most}" if most else f"at least {least}"
        value = int(text) if INTEGER.fullmatch(text.strip()) else None
        if value is None or value < least or (most is not None and value > most):
            raise BadRequest(f"{name}: must be {bounds}")
        return value

    def ciks(self, name: str, *, padded: bool) -> tuple[str, ...]:
        """CIKs with 10 digits; `padded` refuses those that came with fewer."""
        return tuple(dict.fromkeys(as_cik(name, item, padded) for item in self.items(name)))

    def sics(self, name: str) -> tuple[str, ...]:
        """SIC codes with 4 digits."""
        return tuple(dict.fromkeys(as_sic(name, item) for item in self.items(name)))

    def upper(self, name: str) -> tuple[str, ...]:
        """Items without regard to case or to the number of blanks inside."""
        return tuple(dict.fromkeys(map(_upper, self.items(name))))

    def days(self, *, times: bool) -> tuple[date | None, date | None]:
        """`from_date` and `to_date`; `times` takes RFC 3339 date-times too, whose date counts."""
        first, last = self._day("from_date", times), self._day("to_date", times)
        if first and last and first > last:
            raise BadRequest(f"from_date: {first} is later than to_date {last}")
        return first, last

    def _day(self, name: str, times: bool) -> date | None:
        text = self.single(name)
        if text is None:
            return None
        day = as_day(text.strip(), times)
        if day is None:
            raise BadRequest(f"{name}: not a date; use the format YYYY-MM-DD")
        return day

    def _one_spelling(self, raw: Raw, name: str) -> Sequence[str]:
        spellings = (name, *self._names[name])
        # An empty value equals an absent one.
        filled = [(s, [value for value in raw.get(s, ()) if value.strip()]) for s in spellings]
        given = [(spelling, values) for spelling, values in filled if values]
        for spelling, values in given[1:]:
            if _meanings(values) != _meanings(given[0][1]):
                raise BadRequest(
                    f"{spelling}: differs from {given[0][0]}, which is the same parameter"
                )
        return given[0][1] if given else ()


def _meanings(values: Iterable[str]) -> set[str]:
    """What the items of a list come to, without regard to order, case and leading zeros."""
    return {_upper(item).lstrip("0") for item in _items(values)}


def _upper(item: str) -> str:
    """Capitals, with single blanks inside; other letters than ASCII's are no form or ticker."""
    return " ".join((item.upper() if item.isascii() else item).split())


def _items(values: Iterable[str]) -> Iterable[str]:
    return (item for value in values for item in map(str.strip, value.split(",")) if item)


def as_cik(name: str, item: str, padded: bool) -> str:
    """A CIK with 10 digits; `padded` refuses one that came with fewer."""
    cik = parse_cik(item)
    if cik is None or (padded and len(item) != 10):
        wanted = "10 digits, zero-padded" if padded else "1 to 10 digits"
        raise BadRequest(f"{name}: {item} is no CIK; it has {wanted}")
    return cik


def as_sic(name: str, item: str) -> str:
    """A SIC code with 4 digits."""
    if not _SIC.fullmatch(item):
        raise BadRequest(f"{name}: {item} is no SIC code; it has up to 4 digits")
    return item.zfill(4)


def as_day(text: str, times: bool) -> date | None:
    """A calendar day; only the forms asked for, though Python reads others too."""
    if not (_DAY.fullmatch(text) or (times and _MOMENT.fullmatch(text))):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
