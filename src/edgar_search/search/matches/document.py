"""All matches of a query in a document, as a stream."""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

from edgar_search.engine.chunks import chunks
from edgar_search.errors import SearchTimedOut
from edgar_search.search.language import Node
from edgar_search.search.marks import Span
from edgar_search.search.matches.reading import could_match
from edgar_search.search.matches.scanner import Scanner
from edgar_search.search.matches.wanted import wanted
from edgar_search.search.texts.passages import Passages
from edgar_search.stored.passage import StoredPassage

# Passages that a thread looks through before anything else is asked whether to go on.
_PASSAGES_AT_ONCE = 50
# Of the processor's time, for one query in one document. In 20 million characters of filings a
# loose phrase of the commonest words takes a tenth of it.
MAX_SECONDS = 60.0


class Match(NamedTuple):
    """A place in a document's text, in code points, and the passages in which it begins and ends.

    `end` and nothing else is exclusive.
    """

    start: int
    end: int
    first: int
    last: int


async def matches_of(passages: Passages, query: Node) -> AsyncIterator[list[Match]]:
    """All matches in the text, in order of their start, then their end, a few at a time.

    The text is one of which the engine says that the query matches it (`document_text`), as a whole
    or but for one operand.
    Memory is bounded: it holds a few hundred passages, whatever the length of the text. The work
    is done in threads; to close the iterator ends it. Raises TextChanging where the document is
    loaded again meanwhile, and SearchTimedOut after MAX_SECONDS of work.
    """
    sought = wanted(query)
    scan = _Scan(Scanner(sought))
    async for batch in could_match(passages, sought):
        for some in chunks(batch, _PASSAGES_AT_ONCE):
            if found := await asyncio.to_thread(scan.feed, some):
                yield found
    if found := scan.finish():
        yield found


class _Scan:
    """A scanner that is fed with passages, and remembers where they began."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._starts: list[int] = []
        self._numbers: list[int] = []
        self._seconds = 0.0

    def feed(self, passages: Sequence[StoredPassage]) -> list[Match]:
        """What is sure with these passages, which follow those of before."""
        began = time.thread_time()
        spans = [
            span for start, text in _runs(passages) for span in self._scanner.feed(start, text)
        ]
        self._seconds += time.thread_time() - began
        if self._seconds > MAX_SECONDS:
            raise SearchTimedOut("the search took too long; narrow it or try again later")
        self._starts += (each.start for each in passages)
        self._numbers += (each.number for each in passages)
        return list(map(self._placed, spans))

    def finish(self) -> list[Match]:
        """The rest."""
        return list(map(self._placed, self._scanner.finish()))

    def _placed(self, span: Span) -> Match:
        return Match(*span, self._number(span.start), self._number(span.end - 1))

    def _number(self, place: int) -> int:
        return self._numbers[bisect_right(self._starts, place) - 1]


def _runs(passages: Iterable[StoredPassage]) -> list[tuple[int, str]]:
    """The pieces of text that they are, with their starts, joined where one follows another."""
    runs: list[tuple[int, list[str]]] = []
    end = -1
    for passage in passages:
        if passage.start != end:
            runs.append((passage.start, []))
        runs[-1][1].append(passage.text)
        end = passage.start + len(passage.text)
    return [(start, "".join(texts)) for start, texts in runs]
