"""Paths that come from outside: to go to, and to be told from those of the API."""

import pytest

from edgar_search.web.pages.browser import own_path, see_other
from edgar_search.web.pages.routes import is_page


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/search?query=a#b", "/search?query=a#b"),
        ("/document/\u65e5\u672c", "/document/\u65e5\u672c"),
        ("", "/"),
        ("search", "/"),
        ("//elsewhere.example", "/"),
        ("//[", "/"),
        ("//\u2100", "/"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example/", "/"),
        ("/a\nb", "/"),
    ],
)
def test_only_a_path_of_this_service_is_gone_to(text: str, path: str) -> None:
    assert own_path(text) == path


def test_any_path_can_be_sent_as_a_header() -> None:
    assert see_other("/document/\u65e5?a=%20b&c=d").headers["location"] == (
        "/document/%E6%97%A5?a=%20b&c=d"
    )


@pytest.mark.parametrize(
    ("path", "known"),
    [("/", True), ("/search", True), ("/v1/search", False), ("*", False), ("", False)],
)
def test_pages_are_told_from_the_api(path: str, known: bool) -> None:
    assert is_page(path) is known
