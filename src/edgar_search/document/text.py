"""The text of a document: its present version, and its passages, all from one load."""

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from edgar_search.edgar.identifiers import accession_of
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Bucket, SearchReply, SourceHit
from edgar_search.errors import NotFound, TextChanging
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, Operands
from edgar_search.search.filings import filings_of
from edgar_search.search.index_versions import require_for_texts
from edgar_search.search.language import Node
from edgar_search.search.query.body import HIT_FIELDS
from edgar_search.search.query.matching import Clause, document_clause
from edgar_search.search.query.operands import match_any
from edgar_search.search.results import DocumentFields, DocumentHit, FilingDates
from edgar_search.search.search import search_fields
from edgar_search.stored.filings import FilingDocument, StoredPassage, passage_id
from edgar_search.stored.installation import LedgerEntry

# The names of clauses in a hit: the query matches, or any of its operands does.
MATCHED, ANY = "query", "any"
# The versions of the passages of a text: more than one if it is being loaded.
VERSION_STATS: Clause = {"versions": {"stats": {"field": "_version"}}}


def text_body(document_id: str, query: Node | None = None, operands: Operands = "all") -> Clause:
    """Build the search for a document and its text's version.

    The hit names the clauses that match: the query, and with "most" operands any of them.
    """
    named_queries = {} if query is None else {MATCHED: document_clause(query)}
    some = match_any(query) if operands == "most" else None
    if some is not None:
        named_queries[ANY] = some
    named = [{"bool": {"must": clause, "_name": name}} for name, clause in named_queries.items()]
    return {
        "query": {
            "bool": {
                "filter": _document_clauses(document_id),
                "should": named,
                "minimum_should_match": 0,
            }
        },
        "size": 1,
        "sort": ["_doc"],
        "version": True,
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": [
            "document_id",
            {"field": "filing_date", "format": "strict_date"},
            "passages",
            "text_sha256",
            "text_length",
        ],
    }


def holder_counts(words: Sequence[str]) -> Clause:
    """Build the aggregation that counts the passages with each word; none without words."""
    holders = {word: {"term": {"text": word}} for word in words}
    return {"holders": {"filters": {"filters": holders}}} if holders else {}


def holders_body(document_id: str, words: Sequence[str]) -> Clause:
    """Build the count of a document's passages, their versions, and those with each word."""
    return {
        "query": {"bool": {"filter": _document_clauses(document_id)}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {**VERSION_STATS, **holder_counts(words)},
    }


def holding_body(document_id: str, holding: Sequence[Clause], after: int, size: int) -> Clause:
    """Build the search for up to `size` passages after a number that match one of the clauses."""
    among = {"bool": {"should": list(holding), "minimum_should_match": 1}}
    return {
        "query": {"bool": {"filter": [*_document_clauses(document_id), among]}},
        "search_after": [after],
        **_sort_by_number(size),
    }


def numbered_body(document_id: str, numbers: Sequence[int]) -> Clause:
    """Build the search for a document's passages with these numbers."""
    ids = [passage_id(document_id, number) for number in numbers]
    return {"query": {"ids": {"values": ids}}, **_sort_by_number(len(ids))}


def covering_bodies(document_id: str, start: int, end: int, most: int) -> list[Clause]:
    """Build searches for the passage that contains `start`, and for later ones before `end`."""
    rows: list[tuple[Mapping[str, int], str, int]] = [
        ({"lte": start}, "desc", 1),
        ({"gt": start, "lt": end}, "asc", most),
    ]
    return [
        {
            "query": {
                "bool": {"filter": [*_document_clauses(document_id), {"range": {"start": span}}]}
            },
            **_sort_by_number(size),
            "sort": [{"number": order}],
        }
        for span, order, size in rows
    ]


def _document_clauses(document_id: str) -> list[Clause]:
    return [{"term": {"document_id": document_id}}]


def _sort_by_number(size: int) -> Clause:
    return {
        "size": size,
        "sort": [{"number": "asc"}],
        "version": True,
        "track_total_hits": False,
    }


class VersionedPassageHit(SourceHit[StoredPassage]):
    version: int = field(name="_version")


class TextFields(Struct):
    document_id: list[str]
    filing_date: list[str]
    passages: list[int]
    text_sha256: list[str]
    text_length: list[int]


class TextHit(Struct):
    """The stored facts of a document's text, with the names of the queries that match it."""

    fields: TextFields
    version: int = field(name="_version")
    matched: list[str] = field(name="matched_queries", default_factory=list)


T = TypeVar("T")


class DocumentText(NamedTuple):
    """A text by its hash (SHA-256 of its UTF-8, hexadecimal) and its length in code points.

    `version` is the version of the load that wrote it, the same in all `passages`. `matches` is
    true if the query matches, and `lacks_some` if it matches although operands are absent. `filed`
    has the filing dates, which decide the index of the text; None if unknown.
    """

    document_id: str
    sha256: str
    length: int
    passages: int
    version: int
    matches: bool = False
    lacks_some: bool = False
    filed: FilingDates = None


async def document_text(
    engine: Engine,
    document_id: str,
    query: Node | None = None,
    operands: Operands = "all",
) -> DocumentText:
    """Find the text of a document, and whether a query matches it, with one engine request.

    With "most" operands it may match although some are absent.

    Raises NotFound with the reason if it has no text, StoredByOlderVersion if that is not stored,
    and TextChanging if it was loaded just now.
    """
    await require_for_texts(engine)
    body = text_body(document_id, query, operands)
    reply = await engine.search("documents", body, TextHit)
    for hit in reply.hits.hits:
        return _text_of(hit)
    raise await _no_text(engine, document_id)


async def document_texts(engine: Engine, ids: Sequence[str], query: Node) -> list[DocumentText]:
    """Find the texts of those documents that have one, and which of them a query matches.

    Makes one engine request. Raises StoredByOlderVersion.
    """
    await require_for_texts(engine)
    body = text_body(ids[0], query)
    body["query"]["bool"]["filter"] = [{"terms": {"document_id": list(ids)}}]
    reply = await engine.search("documents", {**body, "size": len(ids)}, TextHit)
    return list(map(_text_of, reply.hits.hits))


def _text_of(hit: TextHit) -> DocumentText:
    (sha256,), (length,) = hit.fields.text_sha256, hit.fields.text_length
    matches = MATCHED in hit.matched
    lacks_some = ANY in hit.matched and not matches
    return DocumentText(
        hit.fields.document_id[0],
        sha256,
        length,
        hit.fields.passages[0],
        hit.version,
        matches=lacks_some or matches,
        lacks_some=lacks_some,
        filed=hit.fields.filing_date,
    )


class _FoundFields(DocumentFields, kw_only=True):
    text_sha256: list[str]
    text_length: list[int]
    version: list[int] = field(name="_version")


class _FoundHit(DocumentHit):
    fields: _FoundFields


_FOUND_FIELDS = [*HIT_FIELDS, "text_sha256", "text_length", "_version"]


async def search_texts(context: SearchContext, search: DocumentSearch) -> list[DocumentText]:
    """Search for documents and return their texts; raises as `search_fields`.

    Raises StoredByOlderVersion if texts are not stored.
    """
    await require_for_texts(context.engine)
    return [
        DocumentText(
            hit.document_id,
            hit.fields.text_sha256[0],
            hit.fields.text_length[0],
            hit.fields.passages[0],
            hit.fields.version[0],
            filed=hit.fields.filing_date,
        )
        for hit in await search_fields(context, search, _FOUND_FIELDS, _FoundHit)
    ]


async def _no_text(engine: Engine, document_id: str) -> NotFound | TextChanging:
    """Explain why `document_id` has no text, with two engine requests, which few calls need."""
    number = accession_of(document_id)
    for filing in await filings_of(engine, [number]):
        for listed in filing.documents:
            if listed.document_id == document_id:
                entry = await engine.get("ledger", number, LedgerEntry)
                return _listed_without_text(listed, entry.source if entry else None)
    return NotFound(f"there is no document {document_id}")


def _listed_without_text(
    listed: FilingDocument, entry: LedgerEntry | None
) -> NotFound | TextChanging:
    """Return the error for a document that its filing lists without a text."""
    document_id = listed.document_id
    if entry is not None and document_id in entry.parts:
        return TextChanging(document_id)  # it is stored, but not yet visible
    if entry is not None and document_id in entry.unread:
        reason = f"it could not be read when it was loaded ({entry.unread[document_id]})"
    elif entry is not None and document_id in (entry.reason or ""):
        reason = "it is too large to be searched here"
    else:
        reason = "graphics, PDF, spreadsheets, XBRL data and empty documents are not searched"
    return NotFound(
        f"{document_id} ({listed.file_name}) is listed but has no text: {reason};"
        " /v2/document has it as filed"
    )


async def retry_if_reloaded(engine: Engine, work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of `work`, which reads a document and its passages.

    Indices refresh separately: if it meets two loads of the document, it is repeated once both are
    visible. Raises TextChanging if that does not help.
    """
    try:
        return await work()
    except TextChanging:
        await engine.refresh("passages")
        await engine.refresh("documents")
    return await work()


# Passages in one response: a megabyte of text.
READ_AT_ONCE = 500
# Two neighbours have at least a thousand characters, so this many exceed MOST_CHARS.
_MOST_IN_A_PIECE = 1_000
MOST_CHARS = 100_000
# Pieces of a long text that are requested concurrently.
_PIECES_AT_ONCE = 4


class PassageVersions(Struct):
    """Versions of passages, far below 2 ** 53: Elasticsearch returns them as floats."""

    count: int
    min: float | None = None
    max: float | None = None


class HolderCounts(Struct, frozen=True):
    """The number of passages with each word."""

    buckets: dict[str, Bucket] = {}


class _Survey(Struct):
    versions: PassageVersions
    holders: HolderCounts = HolderCounts()


class Passages:
    """The passages of a document's text.

    Every method raises TextChanging if a passage is missing or from another load.
    """

    def __init__(self, engine: Engine, text: DocumentText) -> None:
        self.engine, self.text = engine, text

    async def holders(self, words: Sequence[str]) -> dict[str, int]:
        """Count the passages with each word.

        Raises TextChanging if any passage is missing.
        """
        body = holders_body(self.text.document_id, words)
        survey = await self.engine.aggregate("passages", body, _Survey, filed=self.text.filed)
        count, low, high = survey.versions.count, survey.versions.min, survey.versions.max
        whole = count == self.text.passages and low == high
        if not whole or (count and low != self.text.version):
            raise TextChanging(self.text.document_id)
        return {word: bucket.count for word, bucket in survey.holders.buckets.items()}

    async def holding(
        self, clauses: Sequence[Clause], after: int
    ) -> tuple[list[StoredPassage], bool]:
        """Find the next passages after a number that match a clause; True if there may be more."""
        body = holding_body(self.text.document_id, clauses, after, READ_AT_ONCE)
        passages = self._sources(await self._search(body))
        return passages, len(passages) == READ_AT_ONCE

    async def best(self, body: Clause) -> list[StoredPassage]:
        """Return the passages that a search finds."""
        return self._sources(await self._search(body))

    async def numbered(self, numbers: Iterable[int]) -> list[StoredPassage]:
        """Read the passages with these numbers, in order."""
        wanted = sorted(set(numbers))
        passages: list[StoredPassage] = []
        for some in chunks(wanted, READ_AT_ONCE):
            passages += self._sources(
                await self._search(numbered_body(self.text.document_id, some))
            )
        if len(passages) != len(wanted):
            raise TextChanging(self.text.document_id)
        return passages

    async def piece(self, start: int, end: int) -> str:
        """Read the text from `start` to `end`, at most MOST_CHARS, and within the text."""
        bodies = covering_bodies(self.text.document_id, start, end, _MOST_IN_A_PIECE)
        filed = None if self.text.filed is None else [self.text.filed for _ in bodies]
        replies = await self.engine.search_many(
            "passages", bodies, VersionedPassageHit, filed=filed
        )
        passages = [passage for reply in replies for passage in self._sources(reply)]
        text = "".join(passage.text for passage in passages)
        first = passages[0].start if passages else 0
        numbers = [passage.number for passage in passages]
        in_row = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
        if not in_row or first + len(text) < end:
            raise TextChanging(self.text.document_id)
        return text[start - first : end - first]

    async def whole(self, start: int, end: int) -> str:
        """Read the text from `start` to `end`, of any length, a request for each MOST_CHARS."""
        starts = range(start, end, MOST_CHARS)
        pieces: list[str] = []
        for some in chunks(starts, _PIECES_AT_ONCE):
            work = (
                self.piece(piece_start, min(end, piece_start + MOST_CHARS)) for piece_start in some
            )
            pieces += await asyncio.gather(*work)
        return "".join(pieces)

    async def _search(self, body: Clause) -> SearchReply[VersionedPassageHit]:
        return await self.engine.search(
            "passages", body, VersionedPassageHit, filed=self.text.filed
        )

    def _sources(self, reply: SearchReply[VersionedPassageHit]) -> list[StoredPassage]:
        if any(hit.version != self.text.version for hit in reply.hits.hits):
            raise TextChanging(self.text.document_id)
        return [hit.source for hit in reply.hits.hits]


def runs_of(passages: Iterable[StoredPassage]) -> list[tuple[int, str]]:
    """Join adjacent passages; return each piece of text with its start."""
    runs: list[tuple[int, list[str]]] = []
    end = -1
    for passage in passages:
        if passage.start != end:
            runs.append((passage.start, []))
        runs[-1][1].append(passage.text)
        end = passage.start + len(passage.text)
    return [(start, "".join(texts)) for start, texts in runs]


# Passages by number.
Near = MutableMapping[int, StoredPassage]


class ContextNeeded(NamedTuple):
    """The sum that passages beside another must reach on each side, and the value of a text."""

    least: int
    worth: Callable[[str], int]


async def add_neighbours(
    passages: Passages, near: Near, numbers: Iterable[int], need: ContextNeeded, known: int = -1
) -> None:
    """Read the missing passages beside each of the numbers, until both sides have enough.

    Nothing is missing before and after the text, nor up to the number `known`: those passages are
    no longer available, and count as nothing.
    """
    numbers = list(numbers)
    worth: dict[int, int] = {}
    while True:
        for number in near.keys() - worth.keys():
            worth[number] = need.worth(near[number].text)
        lacking = {
            lacking
            for number in numbers
            for side in (range(number - 1, known, -1), range(number + 1, passages.text.passages))
            for lacking in _next_to_read(side, worth, need.least, known)
        }
        if not lacking:
            return
        near.update({passage.number: passage for passage in await passages.numbered(lacking)})


def _next_to_read(
    side: range, worth: MutableMapping[int, int], least: int, known: int
) -> Iterator[int]:
    """Yield the next passages to read on one side: as many as it already has, and one more."""
    total = 0
    for distance, number in enumerate(side):
        if total >= least:
            return
        if number > known and number not in worth:
            yield from side[distance : 2 * distance + 1]
            return
        total += worth.get(number, 0)
