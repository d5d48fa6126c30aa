"""The fields of a JSON body to values; every refusal names its field and says what is right."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from edgar_search.errors import BadRequest
from edgar_search.web.declaration import Parameter

T = TypeVar("T", bound=str)

# What no text has: control characters but for tab and line end, and what turns writing around.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BLANKS = re.compile(r"[\t\n]")


class BodyFields:
    """The fields of one body; BadRequest for one that is not declared.

    A field that is null and may be gives None; `name in fields` says whether it was sent at all.
    """

    def __init__(self, body: dict[str, Any], declared: Sequence[Parameter]) -> None:
        self._declared = {parameter.name: parameter for parameter in declared}
        for name in body:
            if name not in self._declared:
                listed = ", ".join(self._declared) or "none"
                raise BadRequest(f"{name}: unknown field; known are {listed}")
        self._body = body

    def __contains__(self, name: str) -> bool:
        return name in self._body

    def sent(self, names: Iterable[str]) -> list[str]:
        """Those of the names that were sent."""
        return [name for name in names if name in self._body]

    def text(self, name: str) -> str | None:
        """Trimmed text of one line, or of several where that is declared; None where blank."""
        value = self._body.get(name)
        if value is None:
            return None
        return self._text(name, value) or None

    def exact(self, name: str) -> str | None:
        """Text as it was sent; None where blank."""
        value = self._body.get(name)
        if value is not None and not isinstance(value, str):
            raise BadRequest(f"{name}: must be a string")
        return value if value and value.strip() else None

    def needed(self, name: str) -> str:
        """Text that must be there."""
        value = self.text(name)
        if value is None:
            raise BadRequest(f"{name}: needed; 1 to {self._declared[name].longest} characters")
        return value

    def choice(self, name: str, choices: Sequence[T]) -> T:
        """One of several words, those that are declared."""
        value = self._body.get(name)
        for choice in choices:
            if value == choice:
                return choice
        raise BadRequest(f"{name}: must be one of {', '.join(choices)}")

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._body.get(name, self._declared[name].default)
        if not isinstance(value, bool):
            raise BadRequest(f"{name}: must be true or false")
        return value

    def integer(self, name: str) -> int:
        """A whole number within its bounds."""
        declared = self._declared[name]
        value = self._body.get(name, declared.default)
        if type(value) is not int or not declared.admits(value):
            raise BadRequest(f"{name}: must be {declared.bounds}")
        return value

    def texts(self, name: str) -> list[str] | None:
        """A list of texts, each once; None where it is null or absent."""
        declared, value = self._declared[name], self._body.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not declared.admits(len(value)):
            raise BadRequest(f"{name}: must be a list of at most {declared.most} strings")
        items = [self._text(name, item) for item in value]
        if not all(items):
            raise BadRequest(f"{name}: each item must have 1 to {declared.longest} characters")
        return list(dict.fromkeys(items))

    def moment(self, name: str) -> datetime | None:
        """A date-time with a zone, in UTC; None where it is null or absent."""
        value = self._body.get(name)
        if value is None:
            return None
        try:
            moment = msgspec.convert(value, datetime)
            if moment.tzinfo is not None:
                return moment.astimezone(UTC)
        except (msgspec.ValidationError, OverflowError):
            pass
        raise BadRequest(f"{name}: must be a date-time with a zone, as 2030-01-31T00:00:00Z")

    def object(self, name: str) -> dict[str, Any]:
        """An object inside the body; empty where it is null or absent."""
        value: Any = self._body.get(name)
        if value is not None and not isinstance(value, dict):
            raise BadRequest(f"{name}: must be an object")
        return value or {}

    def _text(self, name: str, value: Any) -> str:
        declared = self._declared[name]
        lines = declared.kind == "lines"
        if not isinstance(value, str):
            raise BadRequest(f"{name}: must be a string")
        text = value.replace("\r\n", "\n").strip() if lines else value.strip()
        if declared.longest is not None and len(text) > declared.longest:
            raise BadRequest(f"{name}: must have at most {declared.longest} characters")
        if _CONTROLS.search(text) or (not lines and _BLANKS.search(text)):
            raise BadRequest(f"{name}: must have no control characters")
        return text
