"""The form of an answer that a client gets."""

import pytest

from edgar_search.api.media_types import PLAIN
from edgar_search.web.responses import JSON, preferred_type


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("text/plain", PLAIN),
        ("TEXT/Plain; charset=utf-8", PLAIN),
        ("text/*", PLAIN),
        ("text/html, application/xhtml+xml, */*;q=0.8", JSON),
        ("text/plain;q=0.5, application/json", JSON),
        ("text/plain, application/json", JSON),
        ("text/plain, */*;q=0.1", PLAIN),
        ("text/plain, application/json;q=0.9", PLAIN),
        ("text/plain;q=0, */*", JSON),
        ("application/json;q=0, */*;q=0.1", PLAIN),
        ("application/json;q=much, text/plain", PLAIN),
        ("application/json;q=nan, text/plain;q=0.1", PLAIN),
        ("image/png", JSON),
        (";;,,=", JSON),
    ],
)
def test_form_is_the_one_that_is_wanted_most(accept: str, form: str) -> None:
    assert preferred_type(accept, (JSON, PLAIN)) == form
