"""Passages of one document, all of the load that wrote the text which it has now."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from edgar_search.engine.chunks import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SearchReply
from edgar_search.errors import TextChanging
from edgar_search.search.bodies.texts import (
    covering_bodies,
    holders_body,
    holding_body,
    numbered_body,
)
from edgar_search.search.clauses import Clause
from edgar_search.search.hits import VersionedPassageHit
from edgar_search.search.texts.document_text import DocumentText
from edgar_search.stored.passage import StoredPassage

# Passages in one reply: a megabyte of text.
READ_AT_ONCE = 500
# Two that follow each other have a thousand characters, so these have more than MOST_CHARS.
_MOST_IN_A_PIECE = 1_000
MOST_CHARS = 100_000


class _Versions(Struct):
    """Elasticsearch gives numbers of aggregations as floats; a version is far below 2 ** 53."""

    count: int
    min: float | None = None
    max: float | None = None


class _Holders(Struct):
    doc_count: int


class _HolderCounts(Struct, frozen=True):
    buckets: dict[str, _Holders] = {}


class _Survey(Struct):
    versions: _Versions
    holders: _HolderCounts = _HolderCounts()


class Passages:
    """The passages of a document's text.

    Everything raises TextChanging where a passage is missing or of another load.
    """

    def __init__(self, engine: Engine, text: DocumentText, account: str) -> None:
        self.engine, self.text, self.account = engine, text, account

    async def holders(self, words: Sequence[str]) -> dict[str, int]:
        """How many passages hold each of the words; and all passages are there."""
        body = holders_body(self.text.document_id, words)
        survey = await self.engine.aggregate("passages", body, _Survey, filed=self.text.filed)
        count, low, high = survey.versions.count, survey.versions.min, survey.versions.max
        whole = count == self.text.passages and low == high
        if not whole or (count and low != self.text.version):
            raise TextChanging(self.text.document_id)
        return {word: each.doc_count for word, each in survey.holders.buckets.items()}

    async def holding(
        self, clauses: Sequence[Clause], after: int
    ) -> tuple[list[StoredPassage], bool]:
        """The next that match a clause, behind number `after`, and whether there may be more."""
        body = holding_body(self.text.document_id, clauses, after, READ_AT_ONCE)
        found = self._sources(await self._search(body))
        return found, len(found) == READ_AT_ONCE

    async def numbered(self, numbers: Iterable[int]) -> list[StoredPassage]:
        """Those of these numbers, in order."""
        wanted = sorted(set(numbers))
        found: list[StoredPassage] = []
        for some in chunks(wanted, READ_AT_ONCE):
            found += self._sources(await self._search(numbered_body(self.text.document_id, some)))
        if len(found) != len(wanted):
            raise TextChanging(self.text.document_id)
        return found

    async def piece(self, start: int, end: int) -> str:
        """The text from `start` to `end`, behind it by MOST_CHARS at most, and within the text."""
        bodies = covering_bodies(self.text.document_id, start, end, _MOST_IN_A_PIECE)
        filed = None if self.text.filed is None else [self.text.filed for _ in bodies]
        replies = await self.engine.search_many(
            "passages", bodies, VersionedPassageHit, filed=filed
        )
        found = [passage for reply in replies for passage in self._sources(reply)]
        text = "".join(passage.text for passage in found)
        first = found[0].start if found else 0
        numbers = [passage.number for passage in found]
        in_row = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
        if not in_row or first + len(text) < end:
            raise TextChanging(self.text.document_id)
        return text[start - first : end - first]

    async def _search(self, body: Clause) -> SearchReply[VersionedPassageHit]:
        return await self.engine.search(
            "passages", body, VersionedPassageHit, account=self.account, filed=self.text.filed
        )

    def _sources(self, reply: SearchReply[VersionedPassageHit]) -> list[StoredPassage]:
        if any(hit.version != self.text.version for hit in reply.hits.hits):
            raise TextChanging(self.text.document_id)
        return [hit.source for hit in reply.hits.hits]
