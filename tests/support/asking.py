"""Requests to the service, and the short form of its answers that tests compare."""

import html
import re
from functools import lru_cache
from typing import Any

import httpx

_MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)


class Client:
    """A client whose requests are to succeed; `http` is for those that are not."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def search(self, query: str, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/search, in which the total is that of the items where all fit."""
        return await self.get("/v1/search", query=query, **parameters)

    async def facets(self, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/facets."""
        return await self.get("/v1/facets", **parameters)

    async def check(self, query: str, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/check."""
        return await self.get("/v1/check", query=query, **parameters)

    async def lookup(self, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/lookup."""
        return await self.get("/v1/lookup", **parameters)

    async def found(self, query: str, **parameters: Any) -> list[str]:
        """Return the document ids of all hits, in order; no more than a page of 100."""
        reply = await self.search(query, **{"limit": 100, **parameters})
        ids = [item["document_id"] for item in reply["items"]]
        assert reply["total_count"] == len(ids)
        return ids

    async def looked_up(self, **parameters: Any) -> list[str]:
        """Return the accession numbers of all filings, in order."""
        reply = await self.lookup(**parameters)
        numbers = [filing["accnum"] for filing in reply["filings"]]
        assert reply["response_details"]["filings_found"] == len(numbers)
        return numbers

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Return the reply of an endpoint."""
        response = await self.http.get(path, params=parameters)
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        return reply


def stands_in(snippet: str, text: str) -> bool:
    """Return True if a snippet shows a piece of a text, in order: blanks and rulers apart.

    The signs of breaks and cells may be the text's own, so no text is looked for over them.
    """
    shown = html.unescape(re.sub("</?mark>", "", snippet)).removeprefix("...").removesuffix("...")
    line, place = _as_line(text), 0
    for piece in re.split(" ?[\u2026|] ?", shown):
        place = line.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


@lru_cache(maxsize=200)
def _as_line(text: str) -> str:
    return " ".join(text.split())


def marks_of(snippet: str) -> list[str]:
    """Return the texts that a snippet marks."""
    return _MARK.findall(snippet)
