"""Places among searches that queries take: more for what costs more."""

from edgar_search.search.language import add_word_forms, parse_query, query_places
from tests.torture.dearest_requests import RELATED


def test_words_with_many_related_phrases_take_more_places_than_the_words() -> None:
    words = parse_query(RELATED)
    assert query_places(words) == 1
    assert query_places(add_word_forms(words, "related")) >= 16
