"""Passages like a given text, by its rarer words and their rarest neighbourhoods.

Elasticsearch finds passages that share words and runs of three words with the text; the most
similar part of each is then found as for quotes. `evaluation/similar.py` compares ways to find
passages.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.document.comparison import (
    Block,
    Change,
    alike_sentences,
    changed_words,
    likeness_of,
    nearest_part,
)
from edgar_search.document.text import VersionedPassageHit
from edgar_search.engine.engine import Engine
from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.entities import cik_lists
from edgar_search.search.index_versions import require_for_criteria, require_for_texts
from edgar_search.search.query.body import DETAIL_FIELDS, document_query, page_body
from edgar_search.search.query.common_words import STOP_WORDS
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import DetailedHit, FilingDates
from edgar_search.search.snippets.openings import filed_of
from edgar_search.stored.filings import passage_id
from edgar_search.text.words import lower, token_spans, tokens

MAX_CHARS, MIN_WORDS = 20_000, 4
# Words of a text whose documents are counted: the longest, which tend to be the rarest.
_COUNTED = 300
# Words, and runs of three words, by which passages are found. On the judged clauses, higher numbers
# found no more, and lower ones found less.
_WORDS, _RUNS, _RUN = 60, 20, 3
# How many of these words a passage needs, unless it has one of the runs.
_LEAST = "15%"
# Documents that are considered, each with its best passage; and a passage's usual length in
# characters.
_CANDIDATES, _PASSAGE = 100, 2_000
# Above this fraction of the rarer words, passages can be shown newest first.
_LIKE = 0.5
# Sentences of a passage that count for the usual wording.
_SENTENCES = 12


class SimilarSearch(Struct, frozen=True):
    """A text, and the documents to search for passages like it.

    Passages of the document `without` are left out, and with `one_a_filing` each filing gives one
    passage.
    """

    text: str
    criteria: DocumentCriteria
    size: int
    without: str = ""
    one_a_filing: bool = True
    newest: bool = False


class Wording(NamedTuple):
    """The rarer words of a text with their weights, and its runs of rare words."""

    weights: Mapping[str, float]
    runs: Sequence[str]

    def share(self, text: str) -> float:
        """Return the weighted fraction of the rarer words that a text has."""
        words = set(tokens(text))
        whole = sum(self.weights.values())
        return sum(self.weights[word] for word in self.weights.keys() & words) / whole


class SimilarPassage(NamedTuple):
    """A part of a document's text by its position; `likeness` is by letters, from 0 to 1.

    `changes` lead from the given text to this one, by their positions in both.
    """

    hit: DetailedHit
    start: int
    text: str
    share: float
    likeness: float
    changes: Sequence[Change]


class UsualSentence(NamedTuple):
    """A sentence in its most common form, and how many passages have it in any form."""

    text: str
    number: int


class SimilarFound(NamedTuple):
    """Passages like a text, best or newest first, and the wording that most of them share."""

    words: Sequence[str]
    passages: Sequence[SimilarPassage]
    usual: Sequence[UsualSentence]


async def find_similar(context: SearchContext, search: SimilarSearch) -> SimilarFound:
    """Find the passages most like a text, with four engine requests, or five with filters.

    Raises StoredByOlderVersion, and as filters do.
    """
    engine = context.engine
    await require_for_texts(engine)
    await require_for_criteria(engine, search.criteria)
    wording = await weigh_words(engine, search.text)
    if not wording.weights:
        return SimilarFound([], [], [])
    query = wording_clause(wording)
    among = await _among(context, search)
    found = await _best_passages(engine, query, search.without)
    hits = await _documents(engine, among, found)
    if search.criteria != _ANYTHING:
        # The filters may exclude most of the best passages.
        others = await _documents_like(engine, among, query)
        hits |= others
        missing = others.keys() - found.keys()
        if missing:
            dates = filed_of([others[document_id] for document_id in missing])
            found |= await _best_passages(engine, query, search.without, missing, dates)
    chosen = await asyncio.to_thread(_choose, search, wording, hits, found)
    texts = await _texts_around(engine, search.text, chosen)
    passages = await asyncio.to_thread(_cut, search.text, wording, chosen, texts)
    usual = await asyncio.to_thread(usual_wording, [passage.text for passage in passages])
    return SimilarFound(list(wording.weights), passages, usual)


_ANYTHING = DocumentCriteria(None, all_documents=True)


async def weigh_words(engine: Engine, text: str) -> Wording:
    """Weigh the words of a text by their rarity, with one engine request."""
    words = tokens(text)
    counts = Counter(words)
    counted = sorted(counts.keys() - STOP_WORDS, key=lambda word: (-len(word), word))[:_COUNTED]
    if not counted:
        return Wording({}, [])
    clauses: list[Clause] = [{"match_all": {}}, *({"term": {"text": word}} for word in counted)]
    every, *numbers = await count_matches(engine, "passages", clauses)
    # A word that only one passage has cannot find another.
    rarity = {
        word: log(1 + every / (1 + number))
        for word, number in zip(counted, numbers, strict=True)
        if number > 1
    }
    weights = {word: counts[word] * rarity[word] for word in rarity}
    best = sorted(weights, key=lambda word: (-weights[word], word))[:_WORDS]
    weighed = rarity.keys() | STOP_WORDS
    runs = {
        " ".join(run): sum(rarity.get(word, 0.0) for word in run)
        for run in zip(*(words[start:] for start in range(_RUN)), strict=False)
        if weighed.issuperset(run)
    }
    rarest = sorted(runs, key=lambda run: (-runs[run], run))[:_RUNS]
    return Wording({word: rarity[word] for word in best}, rarest)


def wording_clause(wording: Wording) -> Clause:
    """Build the clause for passages with enough of the rarer words, or with a run of them."""
    words = [{"term": {"text": word}} for word in wording.weights]
    runs = [{"match_phrase": {"text": run}} for run in wording.runs]
    enough = {"bool": {"should": words, "minimum_should_match": _LEAST}}
    return {"bool": {"should": [enough, *runs], "minimum_should_match": 1}}


def similar_body(query: Clause, without: str, among: Collection[str] = ()) -> Clause:
    """Build the search for the best passage of each document, or only of the given documents."""
    exclusion = {"must_not": [{"term": {"document_id": without}}]} if without else {}
    filters = {"filter": [{"terms": {"document_id": sorted(among)}}]} if among else {}
    return {
        "query": {"bool": {"must": [query], **exclusion, **filters}},
        "collapse": {"field": "document_id"},
        "size": _CANDIDATES,
        "sort": [{"_score": "desc"}, {"document_id": "asc"}],
        "version": True,
        "track_total_hits": False,
    }


class _ScoredPassage(VersionedPassageHit):
    """A passage with its score, which is the first of its sort values."""

    sort: list[Any] = field(default_factory=list)


_Passages = dict[str, _ScoredPassage]


async def _best_passages(
    engine: Engine,
    query: Clause,
    without: str,
    among: Collection[str] = (),
    filed: FilingDates = None,
) -> _Passages:
    body = similar_body(query, without, among)
    reply = await engine.search("passages", body, _ScoredPassage, filed=filed)
    return {hit.source.document_id: hit for hit in reply.hits.hits}


async def _among(context: SearchContext, search: SimilarSearch) -> Clause:
    """Build the clause for the documents that pass the filters."""
    filings = search.criteria.filings
    ciks = await cik_lists(context, filings) if filings.names_entities else ()
    return document_query(search.criteria, ciks)


async def _documents(
    engine: Engine, among: Clause, document_ids: Collection[str]
) -> dict[str, DetailedHit]:
    """Return those of these documents that pass the filters."""
    if not document_ids:
        return {}
    of_ids = {"terms": {"document_id": sorted(document_ids)}}
    return await _hits(engine, {"bool": {"filter": [among, of_ids]}}, len(document_ids))


async def _documents_like(engine: Engine, among: Clause, query: Clause) -> dict[str, DetailedHit]:
    """Find the documents that pass the filters and have most of the words."""
    return await _hits(engine, {"bool": {"must": [query], "filter": [among]}}, _CANDIDATES)


async def _hits(engine: Engine, query: Clause, size: int) -> dict[str, DetailedHit]:
    body = page_body(query, DocumentSearch(_ANYTHING, Window(0, size)), DETAIL_FIELDS)
    reply = await engine.search("documents", body | {"track_total_hits": False}, DetailedHit)
    return {hit.document_id: hit for hit in reply.hits.hits}


class _Chosen(NamedTuple):
    hit: DetailedHit
    passage: _ScoredPassage


def _choose(
    search: SimilarSearch,
    wording: Wording,
    hits: Mapping[str, DetailedHit],
    passages: _Passages,
) -> list[_Chosen]:
    """Choose the passages to show, from texts that were loaded with their documents."""
    candidates = [
        _Chosen(hits[key], passage)
        for key, passage in passages.items()
        if key in hits and key != search.without and passage.version in hits[key].fields.version
    ]
    candidates.sort(key=lambda candidate: (-candidate.passage.sort[0], candidate.hit.document_id))
    if search.newest:
        candidates = [
            candidate
            for candidate in candidates
            if wording.share(candidate.passage.source.text) >= _LIKE
        ]
        candidates.sort(key=lambda candidate: candidate.hit.filed, reverse=True)
    if search.one_a_filing:
        firsts: dict[str, _Chosen] = {}
        for candidate in candidates:
            firsts.setdefault(candidate.hit.fields.accession_number[0], candidate)
        candidates = list(firsts.values())
    return candidates[: search.size]


async def _texts_around(
    engine: Engine, text: str, chosen: Sequence[_Chosen]
) -> Mapping[str, tuple[int, str]]:
    """Read the passages' texts with their neighbours, and where each begins.

    Makes one engine request.
    """
    if not chosen:
        return {}
    beside = 1 + len(text) // _PASSAGE
    spans = {
        passage.hit.document_id: range(
            max(0, passage.passage.source.number - beside),
            min(passage.hit.fields.passages[0], passage.passage.source.number + beside + 1),
        )
        for passage in chosen
    }
    ids = [passage_id(key, number) for key, span in spans.items() for number in span]
    body = {
        "query": {"ids": {"values": ids}},
        "size": len(ids),
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "version": True,
        "track_total_hits": False,
    }
    dates = filed_of([passage.hit for passage in chosen])
    reply = await engine.search("passages", body, VersionedPassageHit, filed=dates)
    hits_by_document: dict[str, list[VersionedPassageHit]] = {}
    for hit in reply.hits.hits:
        hits_by_document.setdefault(hit.source.document_id, []).append(hit)
    return {
        key: (some[0].source.start, "".join(passage.source.text for passage in some))
        for key, some in hits_by_document.items()
        if len(some) == len(spans[key]) and len({passage.version for passage in some}) == 1
    }


def _cut(
    given: str,
    wording: Wording,
    chosen: Iterable[_Chosen],
    texts: Mapping[str, tuple[int, str]],
) -> list[SimilarPassage]:
    """Cut out the parts that are most like the text.

    Documents that are just being loaded again are left out.
    """
    passages = []
    plain = lower(given)
    for hit, passage in chosen:
        start, text = texts.get(passage.source.document_id, (0, ""))
        low, high = like_part(plain, wording, lower(text))
        if low < high:
            part = text[low:high]
            likeness = likeness_of(plain, lower(part))
            passages.append(
                SimilarPassage(
                    hit,
                    start + low,
                    part,
                    round(wording.share(part), 3),
                    round(likeness, 3),
                    list(changed_words(Block.of(plain), Block.of(lower(part)))),
                )
            )
    return passages


def like_part(given: str, wording: Wording, text: str) -> tuple[int, int]:
    """Find the start and end of the sentences in a text that are most like the given one.

    Both texts are in lower case, in which passages are compared.
    """
    low, high = _rarest_part(given, wording, text)
    around = max(0, low - len(given) // 2)
    likeness, first, last = nearest_part(given, text[around : high + len(given) // 2])
    if likeness >= _SAME:
        # The words are nearly the same, so nothing around them belongs to the part.
        low, high = around + first, around + last
    starts = [end.end() for end in _SENTENCE_END.finditer(text, max(0, low - _MOST_ADDED), low)]
    low = starts[-1] if starts else low
    behind = _SENTENCE_END.search(text, high - 1, high + _MOST_ADDED)
    high = behind.start() + 1 if behind else high
    return low, low + len(text[low:high].rstrip())


_SENTENCE_END = re.compile(r"[.;:](?=\s)\s*|\n[ \t]*\n")
# By how much the letters of a part must be alike if it lacks some of the text's words.
_SAME = 0.6
# How many times as long as the text a part may be: others say the same in more words.
_LONGER = 1.5
# By how many characters a part may be extended on each side to whole sentences.
_MOST_ADDED = 400


def _rarest_part(given: str, wording: Wording, text: str) -> tuple[int, int]:
    """Find the part with most of the rarer words that is not much longer than the given text."""
    spans = list(token_spans(text))
    words = [text[start:end] for start, end in spans]
    worth = [wording.weights.get(word, 0.0) for word in words]
    length = round(len(tokens(given)) * _LONGER)
    counts: Counter[str] = Counter()
    best, value, position = 0.0, 0.0, 0
    for number, word in enumerate(words):
        counts[word] += 1
        value += worth[number] if counts[word] == 1 else 0.0
        if number >= length:
            dropped = words[number - length]
            counts[dropped] -= 1
            value -= worth[number - length] if not counts[dropped] else 0.0
        if value > best:
            best, position = value, number
    first = max(0, position - length + 1)
    while first < position and not worth[first]:
        first += 1
    if not best:
        return 0, 0
    return spans[first][0], spans[position][1]


def usual_wording(texts: Sequence[str]) -> list[UsualSentence]:
    """Return the sentences that at least half of the texts have, each in its most common form."""
    least = max(2, -(-len(texts) // 2))
    usual = []
    for group in alike_sentences(texts, _SENTENCES):
        holders = {sentence.text for sentence in group}
        if len(holders) >= least:
            forms = Counter(sentence.words for sentence in group)
            usual.append(UsualSentence(forms.most_common(1)[0][0], len(holders)))
    return usual
