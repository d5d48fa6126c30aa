"""Parameters as received to single values and lists; every refusal names its parameter."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest
from edgar_search.web.declaration import Parameter

# Name of a parameter to the values received under it, in order.
Raw = Mapping[str, Sequence[str]]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# RFC 3339: seconds and a zone are needed, a leap second is possible, "t" and "z" may be small.
_MOMENT = re.compile(
    _DAY.pattern + r"[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
SIC = "[0-9]{1,4}"
_SIC = re.compile(SIC)
# More digits than anybody means, and fewer than Python refuses to read.
_INTEGER = re.compile(r"-?\d{1,1000}", re.ASCII)


class Parameters:
    """The parameters of one request, under every spelling of their names.

    Raises BadRequest for a name that is not declared, and for two spellings of one name with
    different values.
    """

    def __init__(self, raw: Raw, declared: Sequence[Parameter]) -> None:
        self._declared = {parameter.name: parameter for parameter in declared}
        names = frozenset(raw)
        # Most of what could be given is not, so that need not be looked at by its values.
        given = [each for each in declared if not names.isdisjoint(each.all_spellings)]
        known = {name for parameter in given for name in parameter.all_spellings}
        for name in raw:
            if name not in known:
                spellings = [name for parameter in declared for name in parameter.all_spellings]
                raise BadRequest(f"{name}: unknown parameter; known are {', '.join(spellings)}")
        self._values = {parameter.name: _one_spelling(raw, parameter) for parameter in given}

    def single(self, name: str) -> str | None:
        """The one value, as received; None where it is absent or empty."""
        values = self._of(name)
        if len(values) > 1:
            raise BadRequest(f"{name}: given {len(values)} times; once is right")
        return values[0] if values else None

    def items(self, name: str) -> tuple[str, ...]:
        """The items of a list, comma-separated or repeated, trimmed, each once."""
        return tuple(dict.fromkeys(_items(self._of(name))))

    def integer(self, name: str) -> int:
        """A whole number within its bounds."""
        declared, text = self._declared[name], self.single(name)
        if text is None:
            return declared.default_number
        value = whole_number(text)
        if value is None or not declared.admits(value):
            raise BadRequest(f"{name}: must be {declared.bounds}")
        return value

    def flag(self, name: str) -> bool:
        """True or false; false where it is absent."""
        text = (self.single(name) or "false").strip().lower()
        if text not in ("true", "false"):
            raise BadRequest(f"{name}: must be true or false")
        return text == "true"

    def choice(self, name: str) -> str:
        """One of several words."""
        declared, text = self._declared[name], self.single(name)
        if text is None:
            return str(declared.default)
        if text.strip() not in declared.choices:
            raise BadRequest(f"{name}: must be one of {', '.join(declared.choices)}")
        return text.strip()

    def choices(self, name: str) -> tuple[str, ...]:
        """Some of several words, each once."""
        known, items = self._declared[name].choices, self.items(name)
        for item in items:
            if item not in known:
                raise BadRequest(f"{name}: {item[:40]} is none of {', '.join(known)}")
        return items

    def ciks(self, name: str, *, padded: bool) -> tuple[str, ...]:
        """CIKs with 10 digits; `padded` refuses those that came with fewer."""
        return tuple(dict.fromkeys(as_cik(name, item, padded) for item in self.items(name)))

    def sics(self, name: str) -> tuple[str, ...]:
        """SIC codes with 4 digits."""
        return tuple(dict.fromkeys(as_sic(name, item) for item in self.items(name)))

    def upper(self, name: str) -> tuple[str, ...]:
        """Items without regard to case or to the number of blanks inside."""
        return tuple(dict.fromkeys(map(_upper, self.items(name))))

    def days(self) -> tuple[date | None, date | None]:
        """`from_date` and `to_date`."""
        first, last = self._day("from_date"), self._day("to_date")
        if first and last and first > last:
            raise BadRequest(f"from_date: {first} is later than to_date {last}")
        return first, last

    def _of(self, name: str) -> Sequence[str]:
        """The values of a declared parameter, as received."""
        assert name in self._declared, name
        return self._values.get(name, ())

    def _day(self, name: str) -> date | None:
        text = self.single(name)
        if text is None:
            return None
        day = as_day(text.strip(), times=self._declared[name].kind == "date")
        if day is None:
            raise BadRequest(f"{name}: not a date; use the format YYYY-MM-DD")
        return day


def _one_spelling(raw: Raw, parameter: Parameter) -> Sequence[str]:
    # An empty value equals an absent one.
    filled = [
        (spelling, [value for value in raw.get(spelling, ()) if value.strip()])
        for spelling in parameter.all_spellings
    ]
    given = [(spelling, values) for spelling, values in filled if values]
    for spelling, values in given[1:]:
        if _meanings(values) != _meanings(given[0][1]):
            raise BadRequest(f"{spelling}: differs from {given[0][0]}, which is the same parameter")
    return given[0][1] if given else ()


def _meanings(values: Iterable[str]) -> set[str]:
    """What the items of a list come to, without regard to order, case and leading zeros."""
    return {_upper(item).lstrip("0") for item in _items(values)}


def _upper(item: str) -> str:
    """Capitals, with single blanks inside; other letters than ASCII's are no form or ticker."""
    return " ".join((item.upper() if item.isascii() else item).split())


def _items(values: Iterable[str]) -> Iterable[str]:
    return (item for value in values for item in map(str.strip, value.split(",")) if item)


def whole_number(text: str) -> int | None:
    """The number of decimal digits, trimmed, with a sign or without; None for anything else."""
    # What is looked at is what is read: `int` refuses some blanks that `strip` takes away.
    trimmed = text.strip()
    return int(trimmed) if _INTEGER.fullmatch(trimmed) else None


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
