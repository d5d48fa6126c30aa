"""Parts that can be taken away from a search that found nothing."""

from edgar_search.web.pages import search_results


def test_every_filter_that_is_shown_can_be_left_out() -> None:
    left_out = {name for _, names in search_results._FILTERS for name in names}
    assert left_out == {*search_results._WORDS, "word_forms"}
