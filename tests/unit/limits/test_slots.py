"""Places among searches that queries take: more for what costs more."""

from edgar_search.search.language import add_word_forms, parse_query, query_slots
from tests.torture.dearest_requests import RELATED


def test_words_with_many_related_phrases_take_more_slots_than_the_words() -> None:
    words = parse_query(RELATED)
    assert query_slots(words) == 1
    assert query_slots(add_word_forms(words, "related")) >= 16
