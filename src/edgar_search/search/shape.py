"""How many of the places for searches one takes, known from its shape before it runs; pure."""

from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.groups import MOST_SHOWN
from edgar_search.search.language import Node, query_places

# Passages that are marked and shown take as long as a page of 20 hits with its search, or longer.
_SHOWN_OF_A_PLACE = 50


def search_places(search: DocumentSearch, most_shown: int | None = None) -> int:
    """One for a page as most are; more for a dear query, and for many passages to be shown.

    Of `most_shown` hits at most a passage is shown; None is all.
    """
    hits = search.window.size * (MOST_SHOWN if search.grouped else 1)
    hits = hits if most_shown is None else min(hits, most_shown)
    shown = hits * max(1, search.snippets)
    return shown_places(search.criteria.query, shown)


def shown_places(query: Node | None, passages: int) -> int:
    """The same of a query of which so many passages are shown."""
    return query_places(query) + passages // _SHOWN_OF_A_PLACE
