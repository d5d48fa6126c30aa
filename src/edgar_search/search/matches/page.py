"""A page of a document's matches, each with what stands around it."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.search.criteria import Operands, Window
from edgar_search.search.language import Node
from edgar_search.search.matches.document import Match, matches_of
from edgar_search.search.texts.document_text import DocumentText, document_text, of_one_load
from edgar_search.search.texts.neighbours import Need, add_neighbours
from edgar_search.search.texts.passages import Passages
from edgar_search.search.texts.sections import Sections, text_sections
from edgar_search.search.turns import in_turns
from edgar_search.stored.passage import StoredPassage
from edgar_search.stored.section import StoredSection

# Characters on each side of a match, less a word that would be cut.
CONTEXT = 150
_CUT_WORD_BEFORE, _CUT_WORD_AFTER = re.compile(r"\A\S*\s+"), re.compile(r"\s+\S*\Z")


class ShownMatch(NamedTuple):
    """A match: its place, in code points of the document's text, what stands there, before and
    behind it, as it is in the text; and the section in which it begins, where that is known.
    """

    start: int
    end: int
    text: str
    before: str
    after: str
    section: StoredSection | None


class MatchPage(NamedTuple):
    """A window of the matches in a text; `total` counts all."""

    text: DocumentText
    total: int
    items: list[ShownMatch]


async def match_page(
    engine: Engine,
    document_id: str,
    query: Node,
    window: Window,
    account: str,
    operands: Operands = "all",
) -> MatchPage:
    """A window of the matches in a document; of one that the query does not match there are none.

    With "most" operands there are those too of one that lacks one operand of at least three.

    Raises NotFound, StoredByOlderVersion, TextChanging, SearchTimedOut.
    """

    async def work() -> MatchPage:
        text = await document_text(engine, document_id, account, query, operands)
        if not text.matches:
            return MatchPage(text, 0, [])
        passages = Passages(engine, text, account)
        # First what may end it: else the search would go on without anybody.
        sections = await text_sections(passages)
        total, rows = await _window_of(matches_of(passages, query), window)
        return MatchPage(text, total, await shown_matches(passages, rows, sections))

    return await of_one_load(engine, work)


async def shown_matches(
    passages: Passages, matches: Sequence[Match], sections: Sections
) -> list[ShownMatch]:
    """Matches of a text with what stands around them; as a rule one engine request.

    `sections` are those of the text (`text_sections`).
    """
    near = await _around(passages, matches)
    return await in_turns(lambda match: _shown(match, near, sections), matches)


async def _window_of(
    matches: AsyncIterator[list[Match]], window: Window
) -> tuple[int, list[Match]]:
    """The number of all matches, and those of the window."""
    total, rows = 0, list[Match]()
    async for some in matches:
        rows += some[max(0, window.start - total) : max(0, window.end - total)]
        total += len(some)
    return total, rows


async def _around(passages: Passages, matches: Sequence[Match]) -> Mapping[int, StoredPassage]:
    """The passages in which the matches are, and those that are needed beside."""
    last = passages.text.passages - 1
    numbers = {
        number
        for match in matches
        for number in range(max(0, match.first - 1), min(last, match.last + 1) + 1)
    }
    near = {each.number: each for each in await passages.numbered(numbers)}
    ends = {number for match in matches for number in (match.first, match.last)}
    await add_neighbours(passages, near, ends, Need(CONTEXT, len))
    return near


def _shown(match: Match, near: Mapping[int, StoredPassage], sections: Sections) -> ShownMatch:
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
    return ShownMatch(match.start, match.end, text[start:end], before, behind, section)


def _edge(number: int, near: Mapping[int, StoredPassage], step: int) -> int:
    """The farthest passage on one side that is needed around a match, of those at hand."""
    length = 0
    while length <= CONTEXT and number + step in near:
        number += step
        length += len(near[number].text)
    return number
