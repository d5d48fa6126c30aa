"""Planned sales of Form 144: criteria, and the search for rows that they make."""

from msgspec import Struct

from edgar_search.ownership.clauses import all_words, one_of
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.rows import RowOrder, RowSearch

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "largest": RowOrder("value", "desc"),
}


class SaleCriteria(Struct, frozen=True):
    """Filters of planned sales; an empty value asks nothing."""

    issuer_ciks: tuple[str, ...] = ()
    seller: str = ""
    numbers: tuple[str, ...] = ()


def sale_search(
    criteria: SaleCriteria, filings: FilingCriteria, order: RowOrder, window: Window
) -> RowSearch:
    """The search for the rows that meet all criteria, of filings of these days."""
    filters = (
        *one_of("accession_number", criteria.numbers),
        *one_of("issuer_cik", criteria.issuer_ciks),
        *all_words("seller", criteria.seller),
    )
    return RowSearch("planned_sales", filters, filings, order, window)
