"""What a request gives in its query string and in its JSON body."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

JsonObject = Mapping[str, Any]
QueryLists = Mapping[str, Sequence[str]]


class RequestFields:
    """The parameters of one request, without its API key, wherever they stand."""

    def __init__(self, query: QueryLists, body: JsonObject) -> None:
        self.query = query
        self.body = body

    def texts(self) -> dict[str, list[str]]:
        """All of them as lists of text, as the history keeps them."""
        lists = {name: list(values) for name, values in self.query.items()}
        for name, value in self.body.items():
            values = value if isinstance(value, list) else [value]
            lists.setdefault(name, []).extend(map(_text, values))
        return lists


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
