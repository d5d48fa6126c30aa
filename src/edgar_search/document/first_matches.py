"""The number of matches in each of several documents, and the first of them.

Some engine requests serve all documents, where `matches.py` makes six for each. What needs more is
left to it: a document that is being loaded, and one with passages too short for a phrase.
"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.document.matches import (
    PASSAGES_AT_ONCE,
    Match,
    PassageScan,
    ShownMatch,
    anchors_of,
    holding_clauses,
    show_match,
)
from edgar_search.document.sections import Sections
from edgar_search.document.text import (
    READ_AT_ONCE,
    VERSION_STATS,
    DocumentText,
    HolderCounts,
    PassageVersions,
    VersionedPassageHit,
    document_texts,
    holder_counts,
)
from edgar_search.document.token_matcher import Scanner, SearchTerms, search_terms, token_count
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets
from edgar_search.errors import SearchTimedOut
from edgar_search.search.language import Node
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import FilingDates
from edgar_search.stored.filings import StoredPassage, passage_id

# The name of the aggregation of documents.
_DOCUMENTS = "documents"


class FirstMatch(NamedTuple):
    """The number of matches in a text, and the first one without its section; None if none is."""

    text: DocumentText
    total: int
    first: ShownMatch | None = None


def survey_body(ids: Sequence[str], words: Sequence[str]) -> Clause:
    """Count the passages of documents, their versions, and those that hold each word."""
    return {
        "query": _of_documents(ids),
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            # Without the hint Elasticsearch numbers the documents of all passages.
            _DOCUMENTS: {
                "terms": {"field": "document_id", "size": len(ids), "execution_hint": "map"},
                "aggs": VERSION_STATS,
            },
            **holder_counts(words),
        },
    }


def held_body(ids: Sequence[str], clauses: Sequence[Clause], after: Sequence[Any]) -> Clause:
    """Build the request for passages of documents that match a clause, after one of them."""
    return {
        "query": {
            "bool": {
                "filter": [
                    _of_documents(ids),
                    {"bool": {"should": list(clauses), "minimum_should_match": 1}},
                ]
            }
        },
        **_in_order(READ_AT_ONCE),
        **({"search_after": list(after)} if after else {}),
    }


def _of_documents(ids: Sequence[str]) -> Clause:
    return {"terms": {"document_id": list(ids)}}


def _in_order(size: int) -> Clause:
    return {
        "size": size,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "version": True,
        "track_total_hits": False,
    }


class _Surveyed(Struct):
    document_id: str = field(name="key")
    versions: PassageVersions


class _Survey(Struct):
    documents: Buckets[_Surveyed]
    holders: HolderCounts = HolderCounts()


# A passage by its document and its number.
_Place = tuple[str, int]


class _Tally:
    """The matches of one text so far."""

    def __init__(self, text: DocumentText, sought: SearchTerms) -> None:
        self.text = text
        self.scan = PassageScan(Scanner(sought))
        self.last = -1
        self.total = 0
        self.first: Match | None = None

    def add(self, found: Sequence[Match]) -> None:
        """Count matches, which follow the earlier ones."""
        self.first = self.first or next(iter(found), None)
        self.total += len(found)

    @property
    def around(self) -> set[_Place]:
        """The passages of the first match and those beside it."""
        if self.first is None:
            return set()
        first = max(0, self.first.first - 1)
        end = min(self.text.passages, self.first.last + 2)
        return {(self.text.document_id, number) for number in range(first, end)}


async def first_matches(engine: Engine, ids: Sequence[str], query: Node) -> dict[str, FirstMatch]:
    """Count the matches in documents; what is left out is to be asked for alone.

    Makes five engine requests, and two more for each 500 passages with a word of the query. Raises
    StoredByOlderVersion.
    """
    texts = await document_texts(engine, ids, query) if ids else []
    found = {text.document_id: FirstMatch(text, 0) for text in texts if not text.matches}
    matching = {text.document_id: text for text in texts if text.matches}
    if matching:
        search = _Search(engine, matching, search_terms(query))
        tallies = await search.count()
        near = await search.passages(set().union(*(each.around for each in tallies)))
        for tally in tallies:
            first = _shown(tally, near)
            if tally.text.document_id not in search.hard and (first or not tally.total):
                found[tally.text.document_id] = FirstMatch(tally.text, tally.total, first)
    return found


class _Search:
    """A search for all matches in some texts; `hard` are the documents that it leaves out."""

    def __init__(
        self, engine: Engine, texts: Mapping[str, DocumentText], sought: SearchTerms
    ) -> None:
        self._engine, self._texts, self._sought = engine, texts, sought
        self.hard: set[str] = set()
        dates = [text.filed for text in texts.values()]
        self._filed: FilingDates = (
            None if None in dates else {day for filed in dates for day in filed or ()}
        )

    async def count(self) -> list[_Tally]:
        """Return the matches of each text."""
        sought = self._sought
        tallies = {key: _Tally(text, sought) for key, text in self._texts.items()}
        words = sorted({word for phrase in sought.all_phrases for word in anchors_of(phrase)})
        clauses = holding_clauses(sought, await self._holders(words))
        after: Sequence[Any] = ()
        more = bool(clauses)
        while more:
            body = held_body(list(self._texts), clauses, after)
            held = await self._read(body)
            more = len(held) == READ_AT_ONCE
            after = (held[-1].document_id, held[-1].number) if held else ()
            beside = await self._beside(held, tallies) if sought.reach else {}
            for key, of_document in groupby(held, attrgetter("document_id")):
                own = {each.number: each for each in (*of_document, *beside.get(key, ()))}
                await self._scan(tallies[key], own)
        for tally in tallies.values():
            tally.add(tally.scan.finish())
        return list(tallies.values())

    async def _scan(self, tally: _Tally, near: Mapping[int, StoredPassage]) -> None:
        """Look for matches in passages, without those that were searched before."""
        numbers = [number for number in sorted(near) if number > tally.last]
        for some in chunks(numbers, PASSAGES_AT_ONCE):
            passages = [near[number] for number in some]
            try:
                tally.add(await asyncio.to_thread(tally.scan.feed, passages))
            except SearchTimedOut:
                self.hard.add(tally.text.document_id)
                return
        tally.last = max([tally.last, *numbers])

    async def _beside(
        self, held: Sequence[StoredPassage], tallies: Mapping[str, _Tally]
    ) -> dict[str, list[StoredPassage]]:
        """Read the passages beside these, by document; one that is too short makes it hard."""
        wanted = {
            (each.document_id, number)
            for each in held
            for number in (each.number - 1, each.number + 1)
            if tallies[each.document_id].last < number < self._texts[each.document_id].passages
        }
        found: dict[str, list[StoredPassage]] = {}
        for (key, number), passage in (await self.passages(wanted)).items():
            found.setdefault(key, []).append(passage)
            inner = 0 < number < self._texts[key].passages - 1
            if inner and token_count(passage.text, self._sought.reach) < self._sought.reach:
                self.hard.add(key)
        return found

    async def passages(self, places: set[_Place]) -> dict[_Place, StoredPassage]:
        """Read passages; the document of one that is missing is hard."""
        found: dict[_Place, StoredPassage] = {}
        for some in chunks(sorted(places), READ_AT_ONCE):
            named = {"ids": {"values": [passage_id(*place) for place in some]}}
            read = await self._read({"query": named, **_in_order(len(some))})
            found |= {(each.document_id, each.number): each for each in read}
        self.hard |= {key for key, _ in places - found.keys()}
        return found

    async def _holders(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of passages with each word; a text that is not whole is hard."""
        body = survey_body(list(self._texts), words)
        survey = await self._engine.aggregate("passages", body, _Survey, filed=self._filed)
        whole = {
            each.document_id: (each.versions.count, each.versions.min, each.versions.max)
            for each in survey.documents.buckets
        }
        for key, text in self._texts.items():
            if whole.get(key) != (text.passages, text.version, text.version):
                self.hard.add(key)
        return {word: each.count for word, each in survey.holders.buckets.items()}

    async def _read(self, body: Clause) -> list[StoredPassage]:
        reply = await self._engine.search("passages", body, VersionedPassageHit, filed=self._filed)
        for hit in reply.hits.hits:
            if hit.version != self._texts[hit.source.document_id].version:
                self.hard.add(hit.source.document_id)
        return [hit.source for hit in reply.hits.hits]


def _shown(tally: _Tally, near: Mapping[_Place, StoredPassage]) -> ShownMatch | None:
    """Return the first match as shown; None if there is none, or a passage of it is missing."""
    if tally.first is None or not tally.around <= near.keys():
        return None
    key = tally.text.document_id
    own = {number: near[key, number] for _, number in tally.around}
    return show_match(tally.first, own, Sections(key, ()))
