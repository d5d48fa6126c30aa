"""Forms of the words of `/v2/fulltext_search`."""

import pytest

from edgar_search.api.parameters.fields import RequestFields
from edgar_search.search.language import Phrase, Word
from edgar_search.web.v2.search import full_text_params


@pytest.mark.parametrize(
    ("asked", "formed"),
    [
        ({}, True),
        ({"query_type": "match"}, True),
        ({"query_type": "query_string"}, False),
        ({"word_forms": "exact"}, False),
        ({"query_type": "query_string", "word_forms": "all"}, True),
    ],
)
def test_match_finds_forms_by_itself(asked: dict[str, str], formed: bool) -> None:
    given = RequestFields({}, {"query": "swap", **asked})
    query = full_text_params(given).criteria.query
    assert isinstance(query, Word)
    assert ("swaps" in query.forms) is formed


def test_phrase_stays_a_phrase() -> None:
    asked = {"query": "swap", "query_type": "match_phrase", "word_forms": "all"}
    query = full_text_params(RequestFields({}, asked)).criteria.query
    assert query == Phrase("swap", 0, 1)
