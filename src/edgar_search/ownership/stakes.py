"""Stakes of schedules 13D and 13G: criteria, and the search for rows that they make."""

from msgspec import Struct

from edgar_search.ownership.clauses import all_words, of_cusips, one_of
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.rows import RowOrder, RowSearch

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "latest_event": RowOrder("event_date", "desc"),
    "earliest_event": RowOrder("event_date", "asc"),
}


class StakeCriteria(Struct, frozen=True):
    """Filters of stakes; an empty value asks nothing."""

    issuer_ciks: tuple[str, ...] = ()
    cusips: tuple[str, ...] = ()
    person_ciks: tuple[str, ...] = ()
    person: str = ""
    numbers: tuple[str, ...] = ()


def stake_search(
    criteria: StakeCriteria, filings: FilingCriteria, order: RowOrder, window: Window
) -> RowSearch:
    """The search for the rows that meet all criteria, of filings of these days."""
    filters = (
        *one_of("accession_number", criteria.numbers),
        *one_of("issuer_cik", criteria.issuer_ciks),
        *of_cusips("cusips", criteria.cusips),
        *one_of("person_ciks", criteria.person_ciks),
        *all_words("person_names", criteria.person),
    )
    return RowSearch("stakes", filters, filings, order, window)
