"""Planned sales of Form 144: their orders, and the clauses of their filters."""

from edgar_search.ownership.clauses import all_words, one_of
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder
from edgar_search.stored.filters import RowFilters

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "largest": RowOrder("value", "desc"),
}


def sale_clauses(filters: RowFilters) -> tuple[Clause, ...]:
    """Return the clauses that all filters are met."""
    return (
        *one_of("issuer_cik", filters.issuer_cik),
        *all_words("seller", filters.seller),
    )
