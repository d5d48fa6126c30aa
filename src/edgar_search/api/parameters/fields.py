"""The fields of a request, from its query string and JSON body, before they are parsed."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

JsonMapping = Mapping[str, Any]
QueryLists = Mapping[str, Sequence[str]]


class RequestFields:
    """The parameters of a request, without its API key, from query string and body."""

    def __init__(self, query: QueryLists, body: JsonMapping) -> None:
        self.query = query
        self.body = body

    def texts(self) -> dict[str, list[str]]:
        """Return all parameters as lists of texts, in which form the history keeps them."""
        lists = {name: list(values) for name, values in self.query.items()}
        for name, value in self.body.items():
            values = value if isinstance(value, list) else [value]
            lists.setdefault(name, []).extend(map(_text, values))
        return lists


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
