"""Quotes: exact, normalised, nearest, absent."""

import pytest

from edgar_search.document.quotes import ABSENT, CheckedQuote, find_quote

TEXT = (
    "Item 9. The Company’s auditor is Deloitte &\n Touche LLP, which has “served” since 2010. "
    + "Basalt was hewn at the quarry. " * 50
)


@pytest.mark.parametrize(
    ("quote", "verdict", "text"),
    [
        ("auditor is Deloitte &", "exact", "auditor is Deloitte &"),
        (" auditor is Deloitte & Touche", "normalised", "auditor is Deloitte &\n Touche"),
        ("Company's auditor is", "normalised", "Company’s auditor is"),
        ('which has "served" since 2010', "normalised", "which has “served” since 2010"),
        # Numbers, names and negations that differ make it another sentence.
        ("served” since 2011. Basalt was hewn", "nearest", "“served” since 2010. Basalt was hewn"),
        ("auditor is not Deloitte & Touche", "nearest", "auditor is Deloitte &\n Touche LLP,"),
        ("AUDITOR IS DELOITTE", "absent", ""),
        ("revenue rose by twelve percent to $4 million", "absent", ""),
    ],
)
def test_quote_is_exact_normalised_nearest_or_absent(quote: str, verdict: str, text: str) -> None:
    found = find_quote(TEXT, quote)
    assert (found.verdict, found.text) == (verdict, text)
    if found.start is not None:
        assert TEXT[found.start : found.end] == text
        assert (found.similarity == 1.0) == (verdict != "nearest")


def test_quote_of_pattern_characters_is_taken_as_it_is() -> None:
    assert find_quote("a (b+c)* [d] costs $5.00", "(b+c)*  [d] costs").verdict == "normalised"
    assert find_quote("", "twelve characters") == ABSENT == CheckedQuote("absent")
