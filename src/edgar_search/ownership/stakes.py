"""Stakes of schedules 13D and 13G: their orders, and the clauses of their filters."""

from edgar_search.ownership.clauses import all_words, of_cusips, one_of
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder
from edgar_search.stored.filters import RowFilters

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "latest_event": RowOrder("event_date", "desc"),
    "earliest_event": RowOrder("event_date", "asc"),
}


def stake_clauses(filters: RowFilters) -> tuple[Clause, ...]:
    """Return the clauses that all filters are met."""
    return (
        *one_of("issuer_cik", filters.issuer_cik),
        *of_cusips("cusips", filters.cusip),
        *one_of("person_ciks", filters.person_cik),
        *all_words("person_names", filters.person),
    )
