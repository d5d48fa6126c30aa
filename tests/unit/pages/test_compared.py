"""Redlines of two texts as pages show them."""

import pytest

from edgar_search.web.pages.compared import differing_words


@pytest.mark.parametrize(
    ("cited", "now", "shown"),
    [
        ("We had 38 days", "We had 83 days", "We had <del>38</del><ins>83</ins> days"),
        ("it was sold", "it was not sold", "it was <ins>not</ins> sold"),
        # What was removed keeps its blank.
        ("it was not sold", "it was sold", "it was<del> not</del> sold"),
        ("not sold here", "sold here", "<del>not </del>sold here"),
        ("it was sold", "it was", "it was<del> sold</del>"),
        ("sold, here", "sold here", "sold<del>,</del> here"),
        ("a <b> c", "a c", "a<del> &lt;b&gt;</del> c"),
    ],
)
def test_differing_words_are_marked(cited: str, now: str, shown: str) -> None:
    assert str(differing_words(cited, now)) == shown
