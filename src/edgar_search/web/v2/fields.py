"""The parameters of a Version 2 request, in its query string and in its JSON body, by type.

A JSON body is taken strictly: a list is an array of strings, a number is no string. In a query
string everything is text, and a list may be comma-separated, repeated, or a JSON array.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

import msgspec

from edgar_search.errors import BadRequest
from edgar_search.web.declaration import Parameter
from edgar_search.web.parameters import as_day, whole_number
from edgar_search.web.requests import RequestFields

# Elasticsearch takes 65,536 terms for one clause; a body of 1 MB holds more.
MAX_ITEMS = 65_000
# Longer than any name, and short enough for whatever the engine makes of a text.
MAX_TEXT = 1_000


class Fields:
    """The parameters of one request, each asked for by its type.

    Raises BadRequest, which names the parameter, for one that is not declared, and for one that
    stands in the query string and in the body. None, an empty text and an empty list equal an
    absent parameter. `within` names the object whose fields these are.
    """

    def __init__(
        self, given: RequestFields, declared: Sequence[Parameter], within: str = ""
    ) -> None:
        self._prefix = f"{within}." if within else ""
        self._declared = {parameter.name: parameter for parameter in declared}
        for name in (*given.query, *given.body):
            if name not in self._declared:
                known = ", ".join(self._declared)
                raise BadRequest(f"{self._prefix}{name}: unknown parameter; known are {known}")
        for name in given.query:
            if name in given.body:
                raise BadRequest(
                    f"{name}: stands in the query string and in the body; once is right"
                )
        self._given = given

    def items(self, name: str) -> tuple[str, ...]:
        """The items of a list, trimmed, each once; empty ones are ignored."""
        most = self._declared[name].most or MAX_ITEMS
        if name in self._given.query:
            found = [item for text in self._given.query[name] for item in self._listed(name, text)]
        else:
            found = self._array(name, self._given.body.get(name))
        items = tuple(dict.fromkeys(item.strip() for item in found if item.strip()))
        if len(items) > most:
            raise self.wrong(name, f"{len(items)} items; at most {most} are possible")
        for item in items:
            if len(item) > MAX_TEXT:
                raise self.wrong(name, f"an item has more than {MAX_TEXT} characters")
        return items

    def upper(self, name: str) -> tuple[str, ...]:
        """Items without regard to case or to the number of blanks inside."""
        items = self.items(name)
        return tuple(dict.fromkeys(" ".join(item.upper().split()) for item in items))

    def text(self, name: str) -> str | None:
        """One text as received, None where it is absent or blank."""
        value = self._single(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "must be a string")
        return value if value and value.strip() else None

    def integer(self, name: str) -> int:
        """A whole number within its bounds."""
        declared, value = self._declared[name], self._single(name)
        if name in self._given.query and isinstance(value, str):
            if not value.strip():
                return declared.default_number
            number = whole_number(value)
            value = value if number is None else number
        if value is None:
            return declared.default_number
        if not isinstance(value, int) or isinstance(value, bool) or not declared.admits(value):
            raise self.wrong(name, f"must be {declared.bounds}")
        return value

    def flag(self, name: str) -> bool:
        """True or false; false where it is absent."""
        value = self._single(name)
        if name in self._given.query and isinstance(value, str):
            value = {"true": True, "false": False, "": None}.get(value.strip().lower(), value)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "must be true or false")
        return bool(value)

    def choice(self, name: str, default: str = "") -> str:
        """One of several words; `default` is for a parameter whose default goes by another."""
        declared, value = self._declared[name], self.text(name)
        if value is None:
            return default or str(declared.default)
        if value.strip() not in declared.choices:
            raise self.wrong(name, f"must be one of {', '.join(declared.choices)}")
        return value.strip()

    def days(self, first: str, last: str) -> tuple[date | None, date | None]:
        """Two days, both `YYYY-MM-DD` or an RFC 3339 date-time, whose date counts."""
        begin, end = self._day(first), self._day(last)
        if begin and end and begin > end:
            raise self.wrong(first, f"{begin} is later than {last} {end}")
        return begin, end

    def object(self, name: str) -> "Fields | None":
        """The fields of an object, None where it is absent; in a query string it is JSON."""
        value = self._single(name)
        if name in self._given.query and isinstance(value, str):
            value = _decoded(value) if value.strip() else None
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(name, "must be a JSON object")
        return Fields(RequestFields({}, value), self._declared[name].fields, within=name)

    def wrong(self, name: str, what: str) -> BadRequest:
        """The refusal of a parameter."""
        return BadRequest(f"{self._prefix}{name}: {what}")

    def _single(self, name: str) -> Any:
        if name not in self._given.query:
            return self._given.body.get(name)
        values = self._given.query[name]
        if len(values) > 1:
            raise self.wrong(name, f"given {len(values)} times; once is right")
        return values[0]

    def _day(self, name: str) -> date | None:
        text = self.text(name)
        if text is None:
            return None
        day = as_day(text.strip(), times=True)
        if day is None:
            raise self.wrong(name, "not a date; use the format YYYY-MM-DD")
        return day

    def _listed(self, name: str, text: str) -> list[str]:
        """The items of one value in a query string."""
        if text.lstrip().startswith("["):
            return self._array(name, _decoded(text))
        return text.split(",")

    def _array(self, name: str, value: Any) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(name, "must be an array of strings")
        return value


def _decoded(text: str) -> Any:
    """What JSON in a query string says; the text itself where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
