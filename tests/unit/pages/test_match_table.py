"""Rows of the table of matches: one for each sentence."""

import re

from edgar_search.document.matches import CONTEXT, ShownMatch
from edgar_search.web.pages.match_table import sentences


def matches(text: str, pattern: str) -> list[ShownMatch]:
    return [
        ShownMatch(
            found.start(),
            found.end(),
            found[0],
            text[max(0, found.start() - CONTEXT) : found.start()],
            text[found.end() : found.end() + CONTEXT],
            None,
            "",
            "",
        )
        for found in re.finditer(pattern, text)
    ]


def test_matches_of_one_sentence_are_one_row() -> None:
    text = "Goodwill is impaired. An impairment of goodwill is a loss.\n\nGoodwill fell."
    rows = sentences(matches(text, r"(?i)goodwill|impair\w+"))
    assert [[each.text for each in row] for row in rows] == [
        ["Goodwill", "impaired"],
        ["impairment", "goodwill"],
        ["Goodwill"],
    ]


def test_a_match_within_another_is_no_second_one() -> None:
    inner, outer = matches("net sales fell", "sales")[0], matches("net sales fell", "net sales")[0]
    assert sentences([outer, inner]) == [[outer]]
