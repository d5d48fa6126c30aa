"""The passages of a document that are read, and all matches in them."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from edgar_search.document.matches import matches_of, shown_matches
from edgar_search.document.sections import Sections
from edgar_search.document.text import DocumentText, Passages
from edgar_search.document.token_matcher import TokenMatcher, search_terms
from edgar_search.search.language import parse
from edgar_search.stored.filings import StoredPassage
from edgar_search.text.words import token_spans, tokens
from tests.unit.matches_and_texts.made_texts import queries, texts


class MemoryPassages(Passages):
    """Passages of a text in memory; `read` are the numbers of those that were."""

    def __init__(self, text: str, cuts: Sequence[int], at_once: int = 500) -> None:
        edges = sorted({0, *cuts, len(text)})
        self._all = [
            StoredPassage("d-1", number, start, text[start:end])
            for number, (start, end) in enumerate(zip(edges, edges[1:], strict=False))
        ]
        self.text = DocumentText("d-1", "", len(text), len(self._all), 1)
        self._at_once = at_once
        self.read: list[int] = []

    async def holders(self, words: Sequence[str]) -> dict[str, int]:
        return {word: sum(word in tokens(each.text) for each in self._all) for word in words}

    async def holding(
        self, clauses: Sequence[dict[str, Any]], after: int
    ) -> tuple[list[StoredPassage], bool]:
        found = [each for each in self._all if each.number > after and _holds(each.text, clauses)]
        return self._given(found[: self._at_once]), len(found) >= self._at_once

    async def numbered(self, numbers: Iterable[int]) -> list[StoredPassage]:
        return self._given([self._all[number] for number in sorted(set(numbers))])

    def _given(self, found: list[StoredPassage]) -> list[StoredPassage]:
        self.read += (each.number for each in found)
        return found


def _holds(text: str, clauses: Sequence[dict[str, Any]]) -> bool:
    patterns: list[str] = []
    for clause in clauses:
        if "terms" in clause:
            patterns += map(re.escape, clause["terms"]["text"])
        else:
            wild = clause["query_string"]["query"]
            patterns.append(wild.replace("*", ".*").replace("?", "."))
    return any(re.fullmatch(pattern, word) for pattern in patterns for word in tokens(text))


def found_in(passages: MemoryPassages, query: str) -> list[tuple[int, int]]:
    async def run() -> list[tuple[int, int]]:
        found = [match async for some in matches_of(passages, parse(query)) for match in some]
        for match in found:
            first, last = passages._all[match.first], passages._all[match.last]
            assert first.start <= match.start < first.start + len(first.text)
            assert last.start < match.end <= last.start + len(last.text)
        return [(match.start, match.end) for match in found]

    return asyncio.run(run())


@given(texts, queries, st.data())
def test_all_matches_are_found_however_short_the_passages(
    text: str, query: str, data: st.DataObject
) -> None:
    between = [end for _, end in token_spans(text)]
    cuts = data.draw(st.lists(st.sampled_from(between), unique=True)) if between else []
    at_once = data.draw(st.integers(1, 5))
    passages = MemoryPassages(text, cuts, at_once)
    whole = sorted(TokenMatcher(search_terms(parse(query))).spans(text))
    assert found_in(passages, query) == whole


def numbered_text(count: int, **words: str) -> tuple[str, list[int]]:
    """Return passages of some lines each, with words at the named places."""
    pieces = [
        f"passage n{number} " * 5 + words.get(f"at_{number}", "") + " end\n"
        for number in range(count)
    ]
    ends = [sum(map(len, pieces[: number + 1])) for number in range(count)]
    return "".join(pieces), ends


def test_rare_word_is_read_of_its_passages_only() -> None:
    text, cuts = numbered_text(100, at_7="goodwill", at_80="goodwill")
    passages = MemoryPassages(text, cuts)
    assert len(found_in(passages, "goodwill")) == 2
    assert passages.read == [7, 80]


def test_phrase_is_read_around_its_rarest_word() -> None:
    text, cuts = numbered_text(100, at_7="of goodwill", at_80="goodwill")
    passages = MemoryPassages(text, cuts)
    assert len(found_in(passages, '"passage end goodwill"')) == 0
    assert sorted(passages.read) == [6, 7, 8, 79, 80, 81]
    assert len(found_in(MemoryPassages(text, cuts), '"of goodwill end passage"')) == 1


def test_phrase_with_a_word_that_is_nowhere_is_not_read_for() -> None:
    text, cuts = numbered_text(10, at_7="goodwill")
    passages = MemoryPassages(text, cuts)
    assert found_in(passages, '"goodwill nowhere"') == []
    assert passages.read == []


def test_passages_without_words_are_crossed_in_few_steps() -> None:
    ruler = "----- \n" * 3
    text = "the net " + ruler * 300 + "sales of it"
    cuts = [8 + len(ruler) * number for number in range(301)]
    passages = MemoryPassages(text, cuts)
    assert found_in(passages, '"net sales"') == [(4, 8 + 300 * len(ruler) + 5)]


def test_match_is_shown_with_what_stands_around_it() -> None:
    text, cuts = numbered_text(100, at_7="goodwill")
    passages = MemoryPassages(text, cuts)

    async def shown() -> list[tuple[str, str, str]]:
        return [
            (match.before, match.text, match.after)
            async for some in matches_of(passages, parse("goodwill"))
            for match in await shown_matches(passages, some, Sections("", []))
        ]

    ((before, word, after),) = asyncio.run(shown())
    assert word == "goodwill"
    place = text.index(f"{before}{word}{after}")
    # No word is cut, and what is left out is less than one.
    assert text[place - 1].isspace()
    assert text[place + len(before + word + after)].isspace()
    assert all(140 <= len(each) <= 150 for each in (before, after))
