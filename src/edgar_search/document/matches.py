"""Matches of a query in one document: all, or one page, with the text around each.

Every match contains a wanted word, or, for a phrase, the word of the phrase that fewest passages
have, here called its anchor. Therefore only passages with such words are read, and for phrases the
passages beside them, as far as a phrase can extend.
"""

import asyncio
import re
import time
from bisect import bisect_right
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import NamedTuple, cast

from edgar_search.document.citations import CITED
from edgar_search.document.sections import Sections, text_sections
from edgar_search.document.text import (
    ContextNeeded,
    DocumentText,
    Passages,
    add_neighbours,
    document_text,
    retry_if_reloaded,
    runs_of,
)
from edgar_search.document.token_matcher import (
    Scanner,
    SearchTerms,
    Tokens,
    search_terms,
    token_count,
)
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.errors import SearchTimedOut
from edgar_search.search.criteria import Operands, Window
from edgar_search.search.language import Node, Wildcard
from edgar_search.search.query.matching import Clause, document_clause
from edgar_search.search.snippets.marks import Span
from edgar_search.search.turns import in_turns
from edgar_search.stored.filings import StoredPassage, StoredSection

# Words of a long phrase that are counted: the longest, which tend to be rare.
_MOST_COUNTED = 20


async def candidate_passages(
    passages: Passages, terms: SearchTerms
) -> AsyncIterator[list[StoredPassage]]:
    """Yield the passages that may have matches, in order, each once.

    Text left out between two of them is far from every match.
    """
    # The anchor of a phrase is one of these of its words.
    counted = sorted({word for phrase in terms.all_phrases for word in anchors_of(phrase)})
    clauses = holding_clauses(terms, await passages.holders(counted))
    need = ContextNeeded(terms.reach, lambda text: token_count(text, terms.reach))
    after = last = -1
    more = bool(clauses)
    while more:
        held, more = await passages.holding(clauses, after)
        near = {passage.number: passage for passage in held if passage.number > last}
        if terms.reach:
            await add_neighbours(passages, near, (passage.number for passage in held), need, last)
        if near:
            yield [near[number] for number in sorted(near)]
            last = max(near)
        after = held[-1].number if held else after


def anchors_of(phrase: Tokens) -> list[str]:
    """Return the words of a phrase of which one may be its anchor."""
    return sorted(set(phrase), key=lambda word: (-len(word), word))[:_MOST_COUNTED]


def holding_clauses(terms: SearchTerms, holders: Mapping[str, int]) -> list[Clause]:
    """Build clauses that match a passage with a search term or an anchor."""
    anchors = (min(anchors_of(phrase), key=holders.__getitem__) for phrase in terms.all_phrases)
    words = sorted({*terms.words, *(word for word in anchors if holders[word])})
    clauses: list[Clause] = [{"terms": {"text": words}}] if words else []
    return clauses + [document_clause(Wildcard(pattern, 0)) for pattern in terms.patterns]


# Passages that a thread searches before it checks for cancellation.
PASSAGES_AT_ONCE = 50
# Seconds of the processor's time, for one query in one document. In 20 million characters of
# filings a loose phrase of the most common words takes a tenth of it.
MAX_SECONDS = 60.0


class Match(NamedTuple):
    """A range of a document's text, in code points, and the passages where it begins and ends.

    `end` is exclusive, `last` is inclusive.
    """

    start: int
    end: int
    first: int
    last: int


async def matches_of(passages: Passages, query: Node) -> AsyncIterator[list[Match]]:
    """Yield all matches in the text, ordered by start, then by end, a few at a time.

    The query must match the document, as `document_text` found, with or without one operand. Memory
    is bounded to a few hundred passages for a text of any length. Threads do the work, and closing
    the iterator ends it. Raises TextChanging if the document is loaded again meanwhile, and
    SearchTimedOut after MAX_SECONDS of work.
    """
    sought = search_terms(query)
    scan = PassageScan(Scanner(sought))
    async for batch in candidate_passages(passages, sought):
        for some in chunks(batch, PASSAGES_AT_ONCE):
            if found := await asyncio.to_thread(scan.feed, some):
                yield found
    if found := scan.finish():
        yield found


class PassageScan:
    """Scans passages, and keeps track of where they begin."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._starts: list[int] = []
        self._numbers: list[int] = []
        self._seconds = 0.0

    def feed(self, passages: Sequence[StoredPassage]) -> list[Match]:
        """Return the matches that are final after these passages, which follow the earlier ones."""
        began = time.thread_time()
        spans = [
            span for start, text in runs_of(passages) for span in self._scanner.feed(start, text)
        ]
        self._seconds += time.thread_time() - began
        if self._seconds > MAX_SECONDS:
            raise SearchTimedOut("the search took too long; narrow it or try again later")
        self._starts += (passage.start for passage in passages)
        self._numbers += (passage.number for passage in passages)
        return list(map(self._place, spans))

    def finish(self) -> list[Match]:
        """Return the remaining matches."""
        return list(map(self._place, self._scanner.finish()))

    def _place(self, span: Span) -> Match:
        return Match(*span, self._number(span.start), self._number(span.end - 1))

    def _number(self, position: int) -> int:
        return self._numbers[bisect_right(self._starts, position) - 1]


# Characters of context on each side of a match, up to a word that would be cut.
CONTEXT = 150
_CUT_WORD_BEFORE, _CUT_WORD_AFTER = re.compile(r"\A\S*\s+"), re.compile(r"\s+\S*\Z")


class ShownMatch(NamedTuple):
    """A match with the text before and after it, and the section where it begins, if known.

    `start` and `end` are code points of the document's text, and all text is as filed there.
    `prefix` and `suffix` are the characters on both sides that a citation needs.
    """

    start: int
    end: int
    text: str
    before: str
    after: str
    section: StoredSection | None
    prefix: str
    suffix: str


class MatchPage(NamedTuple):
    """A window of the matches in a text; `total` counts all of them."""

    text: DocumentText
    total: int
    items: list[ShownMatch]


async def match_page(
    engine: Engine,
    document_id: str,
    query: Node,
    window: Window,
    operands: Operands = "all",
) -> MatchPage:
    """Return a window of the matches in a document.

    None if the query does not match the document. With "most" operands, documents that lack some
    operands count as matching.

    Raises NotFound, StoredByOlderVersion, TextChanging, SearchTimedOut.
    """

    async def work() -> MatchPage:
        text = await document_text(engine, document_id, query, operands)
        if not text.matches:
            return MatchPage(text, 0, [])
        passages = Passages(engine, text)
        # The request that may fail comes first: otherwise the search would continue for nobody.
        sections = await text_sections(passages)
        total, rows = await _window_of(matches_of(passages, query), window)
        return MatchPage(text, total, await shown_matches(passages, rows, sections))

    return await retry_if_reloaded(engine, work)


async def shown_matches(
    passages: Passages, matches: Sequence[Match], sections: Sections
) -> list[ShownMatch]:
    """Read the context of matches in a text, usually with one engine request.

    `sections` are the sections of the text (`text_sections`).
    """
    near = await _around(passages, matches)
    return await in_turns(lambda match: show_match(match, near, sections), matches)


async def _window_of(
    matches: AsyncIterator[list[Match]], window: Window
) -> tuple[int, list[Match]]:
    """Count all matches, and keep those of the window."""
    total, rows = 0, list[Match]()
    async for some in matches:
        rows += some[max(0, window.start - total) : max(0, window.end - total)]
        total += len(some)
    return total, rows


async def _around(passages: Passages, matches: Sequence[Match]) -> Mapping[int, StoredPassage]:
    """Return the passages that contain the matches, and those needed for context."""
    last = passages.text.passages - 1
    numbers = {
        number
        for match in matches
        for number in range(max(0, match.first - 1), min(last, match.last + 1) + 1)
    }
    near = {passage.number: passage for passage in await passages.numbered(numbers)}
    ends = {number for match in matches for number in (match.first, match.last)}
    await add_neighbours(passages, near, ends, ContextNeeded(CONTEXT, len))
    return near


def show_match(match: Match, near: Mapping[int, StoredPassage], sections: Sections) -> ShownMatch:
    """Return a match with its context, of which `near` has the passages."""
    first, last = _edge(match.first, near, -1), _edge(match.last, near, 1)
    text = "".join(near[number].text for number in range(first, last + 1))
    base = near[first].start
    start, end = match.start - base, match.end - base
    begin, after = max(0, start - CONTEXT), end + CONTEXT
    before = text[begin:start]
    if begin and not text[begin - 1].isspace():
        before = _CUT_WORD_BEFORE.sub("", before)
    behind = text[end:after]
    if text[after : after + 1] and not text[after].isspace():
        behind = _CUT_WORD_AFTER.sub("", behind)
    section = sections.at(match.start)
    return ShownMatch(
        match.start,
        match.end,
        text[start:end],
        before,
        behind,
        section,
        prefix=text[max(0, start - CITED) : start],
        suffix=text[end : end + CITED],
    )


def _edge(number: int, near: Mapping[int, StoredPassage], step: int) -> int:
    """Return the farthest available passage that is needed on one side of a match."""
    length = 0
    while length <= CONTEXT and number + step in near:
        number += step
        length += len(near[number].text)
    return number


# Matches shown at once; the text around each must be read.
_AT_ONCE = 500


class DocumentMatches:
    """The matches of a query in one document, starting after the first `after`.

    With "most" operands, documents that lack some operands count as matching. `text` is known once
    matches were requested.
    """

    def __init__(
        self,
        engine: Engine,
        document_id: str,
        query: Node,
        operands: Operands = "all",
        after: int = 0,
    ) -> None:
        self._engine = engine
        self._document_id = document_id
        self._query = query
        self._operands: Operands = operands
        self.text: DocumentText | None = None
        self._passages: Passages | None = None
        self._sections: Sections | None = None
        self._found: AsyncGenerator[list[Match], None] | None = None
        # How many matches were returned in all, and how many this iterator has found.
        self._given, self._passed = after, 0

    async def some(self) -> list[ShownMatch]:
        """Return the next matches, in order; none at the end.

        It may be called again after an error. Raises NotFound, StoredByOlderVersion, TextChanging,
        SearchTimedOut.
        """
        try:
            return await self._some()
        except BaseException:
            # The iterator of matches ended with the error: the next attempt starts anew.
            await self.close()
            self.text, self._found = None, None
            raise

    async def _some(self) -> list[ShownMatch]:
        if self.text is None:
            await self._begin()
        rows: list[Match] = []
        if self._found is not None:
            async for some in self._found:
                skipped = min(len(some), self._given - self._passed)
                self._passed += len(some)
                rows += some[skipped:] if skipped > 0 else some
                if len(rows) >= _AT_ONCE:
                    break
        if not rows or self._passages is None or self._sections is None:
            return []
        shown = await shown_matches(self._passages, rows, self._sections)
        self._given = self._passed
        return shown

    async def close(self) -> None:
        """End the search for matches."""
        if self._found is not None:
            await self._found.aclose()

    async def _begin(self) -> None:
        engine = self._engine
        text = await document_text(engine, self._document_id, self._query, self._operands)
        if text.matches:
            self._passages = Passages(engine, text)
            self._sections = await text_sections(self._passages)
            matches = matches_of(self._passages, self._query)
            self._found = cast(AsyncGenerator[list[Match], None], matches)
        self.text, self._passed = text, 0
