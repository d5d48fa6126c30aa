"""Which passages of a document are read to find all matches: those that could have part of one.

A match has a word that is wanted, or of a phrase the one of its words that fewest passages hold,
here called its anchor. So only passages with one of these are read, and, where phrases are wanted,
what stands beside them as far as a phrase may reach.
"""

from collections.abc import AsyncIterator, Mapping

from edgar_search.search.clauses import Clause, document_clause
from edgar_search.search.language import Wildcard
from edgar_search.search.matches.scanner import token_count
from edgar_search.search.matches.wanted import Tokens, Wanted
from edgar_search.search.texts.neighbours import Need, add_neighbours
from edgar_search.search.texts.passages import Passages
from edgar_search.stored.passage import StoredPassage

# Of a long phrase so many words are counted, the longest: those are the rare ones.
_MOST_COUNTED = 20


async def could_match(passages: Passages, wanted: Wanted) -> AsyncIterator[list[StoredPassage]]:
    """Passages in order, each once; what is left out between two is far from every match."""
    clauses = _holding(wanted, await passages.holders(_counted(wanted)))
    need = Need(wanted.reach, lambda text: token_count(text, wanted.reach))
    after = last = -1
    more = bool(clauses)
    while more:
        held, more = await passages.holding(clauses, after)
        near = {each.number: each for each in held if each.number > last}
        if wanted.reach:
            await add_neighbours(passages, near, (each.number for each in held), need, last)
        if near:
            yield [near[number] for number in sorted(near)]
            last = max(near)
        after = held[-1].number if held else after


def _counted(wanted: Wanted) -> list[str]:
    """The words of phrases of which one is to be the anchor."""
    return sorted({word for phrase in wanted.all_phrases for word in _anchors(phrase)})


def _anchors(phrase: Tokens) -> list[str]:
    return sorted(set(phrase), key=lambda word: (-len(word), word))[:_MOST_COUNTED]


def _holding(wanted: Wanted, holders: Mapping[str, int]) -> list[Clause]:
    """What a passage matches that has a wanted word or an anchor."""
    anchors = (min(_anchors(phrase), key=holders.__getitem__) for phrase in wanted.all_phrases)
    words = sorted({*wanted.words, *(word for word in anchors if holders[word])})
    clauses: list[Clause] = [{"terms": {"text": words}}] if words else []
    return clauses + [document_clause(Wildcard(each, 0)) for each in wanted.patterns]
