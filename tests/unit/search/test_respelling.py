"""The text of a query in another spelling."""

import pytest

from edgar_search.search.respelling import respelled_text


@pytest.mark.parametrize(
    ("text", "respelled"),
    [
        ("goodwil", "goodwill"),
        ('What is "Goodwil (quary)"?', 'What is "goodwill (quarry)"?'),
        ("goodwil goodwil* goodwills", "goodwill goodwil* goodwills"),
        ("quary-side", "quarry-side"),
        ("goodwill", "goodwill"),
        ("", ""),
    ],
)
def test_tokens_are_replaced_and_all_else_stays(text: str, respelled: str) -> None:
    assert respelled_text(text, {"goodwil": "goodwill", "quary": "quarry"}) == respelled
