"""Reads parameters from query strings and JSON bodies, according to their declarations.

In a query string everything is text: a list is comma-separated or repeated, and a blank value
counts as absent. A JSON body is strict: a list is an array of strings, and a number is not a
string. Each error names its parameter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import msgspec

from edgar_search.api.parameters.declaration import Declared, Parameter, Place
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.types import ValueType, read_day, read_whole_number
from edgar_search.errors import BadRequest
from edgar_search.metrics.masking import without_keys

# Names of parameters, each with the values received for it, in order.
Raw = Mapping[str, Sequence[str]]
T = TypeVar("T", bound=str)

# Items of a list in a body, at most. Elasticsearch accepts 65,536 terms in one clause, and a body
# of 1 MB could have more.
MAX_ITEMS = 65_000
# Longer than any name, and short enough for every engine query with it.
MAX_TEXT = 1_000
# How many characters of a wrong value an error repeats.
_SHOWN = 40
# Characters that users' texts may not contain: controls except tab and line end, and those that
# change the writing direction.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BLANKS = re.compile(r"[\t\n]")


class Parameters:
    """The parameters of a request, under every spelling of their names, read by type.

    Raises BadRequest for an undeclared name, for two spellings of a name with different values, and
    for a name in both query string and body. `within` is the name of the object whose fields these
    are.
    """

    def __init__(
        self,
        query: Raw,
        declared: Declared,
        body: Mapping[str, Any] | None = None,
        *,
        where: Place = "query",
        within: str = "",
    ) -> None:
        self._declared = declared
        self._where = where
        self._prefix = f"{within}." if within else ""
        for name in (*query, *(body or ())):
            if name not in declared:
                raise self._unknown(name)
        given_parameters = {declared[name].name: declared[name] for name in query}
        self._body: dict[str, Any] = {}
        for name, value in (body or {}).items():
            main_name = declared[name].name
            if main_name in given_parameters:
                raise BadRequest(
                    f"`{main_name}` may be given only once, not in the query string and in the body"
                )
            if main_name in self._body:
                raise BadRequest(f"`{main_name}` may be given only once in the body")
            self._body[main_name] = value
        self._query = {
            name: _one_spelling(query, parameter)
            for name, parameter in given_parameters.items()
            if name not in self._body
        }

    @classmethod
    def of_request(cls, fields: RequestFields, declared: Declared) -> "Parameters":
        """Read parameters that may be in the query string or in the body."""
        return cls(fields.query, declared, fields.body, where="both")

    @classmethod
    def of_body(cls, body: Mapping[str, Any], declared: Declared) -> "Parameters":
        """Read fields of a body with users' own texts, where null differs from absence."""
        return cls({}, declared, body, where="body")

    def __contains__(self, name: str) -> bool:
        return name in self._query or name in self._body

    def declares(self, name: str) -> bool:
        """Return True if the endpoint declares a parameter of this name."""
        return name in self._declared

    def sent(self, names: Iterable[str]) -> list[str]:
        """Return the names among these that were sent."""
        return [name for name in names if name in self]

    def text(self, name: str) -> str | None:
        """Return a text as received; None if it is absent or blank."""
        value = self._value(name)
        if value is not None and not isinstance(value, str):
            raise self.refusal(name, f"must be a string, not {self._quote_given(name, value)}")
        return value if value and value.strip() else None

    def required_text(self, name: str) -> str:
        """Return a text as received; BadRequest if it is absent."""
        return self._require_text(name, self.text(name))

    def bounded_text(self, name: str) -> str | None:
        """Return a text as received; BadRequest if it is longer than declared."""
        text, longest = self.text(name), self._declared[name].longest
        if text is not None and longest is not None and len(text) > longest:
            raise self.refusal(name, f"may have at most {longest:,} characters, not {len(text):,}")
        return text

    def required_bounded_text(self, name: str) -> str:
        """Return a text as received; BadRequest if it is absent or longer than declared."""
        return self._require_text(name, self.bounded_text(name))

    def own_text(self, name: str) -> str | None:
        """Return a user's own text, trimmed; several lines only if declared so.

        None if it is blank.
        """
        value = self._value(name)
        return None if value is None else self._own_text(name, value) or None

    def required_own_text(self, name: str) -> str:
        """Return a user's own text; BadRequest if it is absent."""
        text = self.own_text(name)
        if text is None:
            raise self.refusal(
                name, f"is missing; give 1 to {self._declared[name].longest} characters"
            )
        return text

    def own_texts(self, name: str) -> list[str] | None:
        """Return a list of a user's own texts without repetitions; None if it is null or absent."""
        declared, value = self._declared[name], self._value(name)
        if value is None:
            return None
        if not isinstance(value, list) or not _is_within(declared, len(value)):
            raise self.refusal(name, f"must be a list of at most {declared.most} strings")
        items = [self._own_text(name, item) for item in value]
        if not all(items):
            raise self.refusal(name, f"must have items of 1 to {declared.longest} characters")
        return list(dict.fromkeys(items))

    def values(self, name: str) -> tuple[str, ...]:
        """Return the distinct items of a list, parsed as the declared type."""
        kind, items = self._declared[name].type, self._items(name)
        if kind is None:
            return items
        texts = dict.fromkeys(map(_upper, items)) if kind.capitals else items
        return tuple(dict.fromkeys(self._require_type(name, text, kind) for text in texts))

    def value(self, name: str) -> str | None:
        """Return a value of the declared type; None if it is absent."""
        return None if self.text(name) is None else self.required_value(name)

    def required_value(self, name: str) -> str:
        """Return a value of the declared type; BadRequest if it is absent."""
        text, kind = self.required_text(name).strip(), self._declared[name].type
        return text if kind is None else self._require_type(name, text, kind)

    def _require_type(self, name: str, text: str, kind: ValueType) -> str:
        value = kind.read(text)
        if value is None:
            raise self.refusal(name, f"must be {kind.expected}, not {_quote(text)}")
        return value

    def _items(self, name: str) -> tuple[str, ...]:
        """Return the distinct, trimmed items of a list, without empty ones."""
        declared = self._declared[name]
        if name in self._body:
            value = self._body[name]
            joined = declared.joined and isinstance(value, str)
            found: Iterable[str] = value.split(",") if joined else self._array(name, value)
        elif self._where == "both":
            found = [
                item for text in self._query.get(name, ()) for item in self._split_list(name, text)
            ]
        else:
            found = _split(self._query.get(name, ()))
        items = tuple(dict.fromkeys(item.strip() for item in found if item.strip()))
        most = declared.most or MAX_ITEMS
        if len(items) > most:
            raise self.refusal(name, f"may have at most {most} items, not {len(items)}")
        for item in items:
            if len(item) > MAX_TEXT and self._where == "both":
                raise self.refusal(
                    name,
                    f"has an item of {len(item)} characters; an item may have at most {MAX_TEXT}",
                )
        return items

    def integer(self, name: str) -> int:
        """Return a whole number within its bounds."""
        declared, value = self._declared[name], self._value(name)
        if self._is_absent(name, value):
            assert isinstance(declared.default, int), name
            return declared.default
        if name in self._query:
            number = read_whole_number(value)
            value = value if number is None else number
        if type(value) is not int or not _is_within(declared, value):
            whole = "" if type(value) is int else "a whole number "
            if whole and declared.most is None:
                whole += "of "
            quoted = self._quote_given(name, value)
            raise self.refusal(name, f"must be {whole}{declared.bounds}, not {quoted}")
        return value

    def flag(self, name: str) -> bool:
        """Return True or False, or the default if it is absent."""
        value = self._value(name)
        if self._is_absent(name, value):
            return bool(self._declared[name].default)
        if name in self._query:
            value = {"true": True, "false": False}.get(value.strip().lower(), value)
        if not isinstance(value, bool):
            raise self.refusal(name, f"must be true or false, not {self._quote_given(name, value)}")
        return value

    def choice(self, name: str, default: str = "") -> str:
        """Return one of the declared choices; `default` overrides the declared default."""
        declared, text = self._declared[name], self.text(name)
        if text is None:
            return default or str(declared.default)
        if text.strip() not in declared.choices:
            raise self._not_one_of(name, declared.choices, text)
        return text.strip()

    def choice_of(self, name: str, values: Sequence[T]) -> T:
        """Return the choice given, or the default, as the equal one of `values`."""
        text = self.choice(name)
        return next(value for value in values if value == text)

    def exact_choice(self, name: str, choices: Sequence[T]) -> T:
        """Return one of the declared choices, which must be spelled exactly."""
        value = self._value(name)
        for choice in choices:
            if value == choice:
                return choice
        raise self._not_one_of(name, choices, value)

    def choices(self, name: str) -> tuple[str, ...]:
        """Return the distinct choices that were given."""
        allowed, items = self._declared[name].choices, self._items(name)
        for item in items:
            if item not in allowed:
                raise self.refusal(name, f"may have {', '.join(allowed)}, not {_quote(item)}")
        return items

    def days(
        self, first: str = "from_date", last: str = "to_date"
    ) -> tuple[date | None, date | None]:
        """Return a range of days; BadRequest if the first is later than the last."""
        begin, end = self._day(first), self._day(last)
        if begin and end and begin > end:
            raise self.refusal(first, f"is {begin}, which is later than `{last}`, {end}")
        return begin, end

    def moment(self, name: str) -> datetime | None:
        """Return a date-time with a zone, in UTC; None if it is null or absent."""
        value = self._value(name)
        if value is None:
            return None
        try:
            moment = msgspec.convert(value, datetime)
            if moment.tzinfo is not None:
                return moment.astimezone(UTC)
        except (msgspec.ValidationError, OverflowError):
            pass
        raise self.refusal(
            name,
            "must be a date-time with a zone, such as 2030-01-31T00:00:00Z, not"
            f" {self._quote_given(name, value)}",
        )

    def object(self, name: str) -> dict[str, Any] | None:
        """Return an object, or None if it is absent; in a query string it is JSON."""
        value = self._value(name)
        if name in self._query and value is not None:
            value = _decode(value)
        if value is not None and not isinstance(value, dict):
            raise self.refusal(name, "must be a JSON object")
        return value

    def fields(self, name: str) -> "Parameters | None":
        """Return the fields of an object, or None if it is absent."""
        value = self.object(name)
        if value is None:
            return None
        declared = self._declared[name].declared_fields
        return Parameters({}, declared, value, where=self._where, within=name)

    def refusal(self, name: str, what: str) -> BadRequest:
        """Build the error for a parameter."""
        return BadRequest(f"`{self._prefix}{name}` {what}")

    def _value(self, name: str) -> Any:
        """Return the only value of a parameter: a text, or any type from a body."""
        assert name in self._declared, name
        if name in self._body:
            return self._body[name]
        values = self._query.get(name, ())
        if len(values) > 1:
            raise self.refusal(name, f"may be given only once, not {len(values)} times")
        return values[0] if values else None

    def _require_text(self, name: str, text: str | None) -> str:
        if text is None:
            raise self.refusal(name, "is missing")
        return text

    def _is_absent(self, name: str, value: Any) -> bool:
        """Return True if a value is absent.

        Null is a value only in a body.
        """
        return value is None and not (self._where == "body" and name in self._body)

    def _own_text(self, name: str, value: Any) -> str:
        declared = self._declared[name]
        lines = declared.kind == "lines"
        if not isinstance(value, str):
            raise self.refusal(name, f"must be a string, not {self._quote_given(name, value)}")
        text = value.replace("\r\n", "\n").strip() if lines else value.strip()
        if declared.longest is not None and len(text) > declared.longest:
            raise self.refusal(name, f"must have at most {declared.longest} characters")
        if _CONTROLS.search(text) or (not lines and _BLANKS.search(text)):
            raise self.refusal(name, "must have no control characters")
        return text

    def _day(self, name: str) -> date | None:
        text = self.text(name)
        if text is None:
            return None
        day = read_day(text.strip(), times=self._declared[name].kind == "date")
        if day is None:
            raise self.refusal(name, f"must be a date in the format YYYY-MM-DD, not {_quote(text)}")
        return day

    def _split_list(self, name: str, text: str) -> Iterable[str]:
        """Split one value of a query string into items; it may be a JSON array."""
        if text.lstrip().startswith("["):
            return self._array(name, _decode(text))
        return text.split(",")

    def _array(self, name: str, value: Any) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.refusal(name, "must be an array of strings")
        return value

    def _not_one_of(self, name: str, choices: Sequence[str], value: Any) -> BadRequest:
        if value is None:
            return self.refusal(name, f"is missing; give one of {', '.join(choices)}")
        quoted = _quote(value) if isinstance(value, str) else self._quote_given(name, value)
        return self.refusal(name, f"must be one of {', '.join(choices)}, not {quoted}")

    def _quote_given(self, name: str, value: Any) -> str:
        """Quote a wrong value as it was written; from a body, as JSON."""
        if name in self._query:
            return _quote(str(value))
        return _quote(msgspec.json.encode(value).decode())

    def _unknown(self, name: str) -> BadRequest:
        noun = "field" if self._where == "body" else "parameter"
        return self.refusal(
            name, f"is not a {noun}; known are {', '.join(self._declared) or 'none'}"
        )


def _one_spelling(raw: Raw, parameter: Parameter) -> Sequence[str]:
    # An empty value counts as absent.
    filled = [
        (spelling, [value for value in raw.get(spelling, ()) if value.strip()])
        for spelling in (parameter.name, *parameter.spellings)
    ]
    non_empty = [(spelling, values) for spelling, values in filled if values]
    for spelling, values in non_empty[1:]:
        if _meanings(values) != _meanings(non_empty[0][1]):
            raise BadRequest(
                f"`{spelling}` differs from `{non_empty[0][0]}`, which is the same parameter"
            )
    return non_empty[0][1] if non_empty else ()


def _is_within(declared: Parameter, number: int) -> bool:
    """Return True if a whole number is within its declared bounds."""
    above = declared.least is None or number >= declared.least
    return above and (declared.most is None or number <= declared.most)


def _quote(text: str) -> str:
    """Quote a wrong value for a message: a number as it is, other text in backticks."""
    # Keys are removed before cutting: a cut one could not be recognised.
    shown = without_keys(text)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}..."
    return f"`{shown}`" if read_whole_number(shown) is None else shown.strip()


def _meanings(values: Iterable[str]) -> set[str]:
    """Return the items of a list without regard to order, case and leading zeros."""
    return {_upper(item).lstrip("0") for item in _split(values)}


def _upper(item: str) -> str:
    """Return ASCII capitals with single blanks: forms and tickers have only such letters."""
    return " ".join((item.upper() if item.isascii() else item).split())


def _split(values: Iterable[str]) -> Iterable[str]:
    return (item for value in values for item in map(str.strip, value.split(",")) if item)


def _decode(text: str) -> Any:
    """Decode a JSON value in a query string; return the text itself if it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
