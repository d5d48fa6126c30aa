"""Whole walks through a result, page by page: by cursor and by offset."""

from typing import Any

from tests.support.asking import Client

Rows = list[dict[str, Any]]


async def by_cursor(client: Client, path: str, **parameters: Any) -> Rows:
    """All rows of a walk, which begins with these parameters and continues by `next_cursor`."""
    reply = await client.get(path, cursor="*", **parameters)
    rows = _rows(reply)
    while reply["next_cursor"] is not None:
        reply = await client.get(path, cursor=reply["next_cursor"])
        rows += _rows(reply)
    return rows


async def by_offset(client: Client, query: str, **parameters: Any) -> Rows:
    """Return all rows of the pages of a search."""
    rows: Rows = []
    while True:
        page = (await client.search(query, offset=len(rows), **parameters))["items"]
        if not page:
            return rows
        rows += page


def _rows(reply: dict[str, Any]) -> Rows:
    rows: Rows = reply["filings"] if "filings" in reply else reply["items"]
    return rows
