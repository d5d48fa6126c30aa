"""Filters of documents and filings: each one's clause, and facts about its field; pure.

A filter is a field of `DocumentFilters`, an entry here, and a parameter of
`edgar_search.api.parameters.filters`; all interfaces derive from these.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from edgar_search.edgar.auditors import auditor_keys
from edgar_search.edgar.fiscal_years import ends_of_fiscal_year
from edgar_search.search.criteria import ANY_FILING, FilingCriteria
from edgar_search.search.figures import figures_clause
from edgar_search.search.query.matching import (
    Clause,
    any_of,
    between,
    range_clause,
    term_in_any_case,
)


class Filter(Struct, frozen=True):
    """A filter and its parameters: a date has two, either of which may be absent.

    `clause` makes the clause of a filter that is set; it is None if entities are looked up first
    and their CIKs filter instead. `documents` and `filings` are the first mapping versions of these
    indices in which all entries have the field; 0 if every version has it. `absent` is the warning
    about a value that no entry has; "" for no warning, or if a list of known values decides.
    """

    names: tuple[str, ...]
    clause: Callable[[FilingCriteria], Clause] | None
    documents: int = 0
    filings: int = 0
    absent: str = ""

    def given(self, criteria: FilingCriteria) -> list[str]:
        """Return the names of its parameters that are set."""
        return [name for name in self.names if getattr(criteria, name)]

    def of_value(self, value: str) -> Clause:
        """Return the clause for one value of a list."""
        assert self.clause is not None
        return self.clause(structs.replace(ANY_FILING, **{self.names[0]: (value,)}))


def one_of(name: str, field: str) -> Callable[[FilingCriteria], Clause]:
    """Match any value of a list."""
    return lambda criteria: {"terms": {field: list(dict.fromkeys(getattr(criteria, name)))}}


def dated(first: str, last: str, field: str) -> Callable[[FilingCriteria], Clause]:
    """Match dates between two parameters, both inclusive."""
    return lambda criteria: range_clause(field, getattr(criteria, first), getattr(criteria, last))


_AMENDMENTS: Clause = {"wildcard": {"form_type": {"value": "*/A"}}}


def _auditors(criteria: FilingCriteria) -> Clause:
    keys = [key for name in criteria.auditor for key in auditor_keys(name)]
    return {"terms": {"auditor_key": list(dict.fromkeys(keys))}}


def _fiscal_years(criteria: FilingCriteria) -> Clause:
    years = map(int, criteria.fiscal_year)
    return any_of([range_clause("period", *ends_of_fiscal_year(year)) for year in years])


def _document_types(criteria: FilingCriteria) -> Clause:
    return any_of([term_in_any_case("document_type", value) for value in criteria.document_type])


FILTERS = (
    Filter(("cik",), one_of("cik", "ciks")),
    Filter(("ticker",), None),
    Filter(("company",), None, absent="no filing of {} is loaded"),
    Filter(("sic",), one_of("sic", "sics")),
    Filter(("form_type",), one_of("form_type", "form_type")),
    Filter(("form_family",), one_of("form_family", "root_form"), documents=3, filings=4),
    Filter(
        ("state",),
        one_of("state", "states"),
        documents=3,
        filings=4,
        absent="no filing here has {}",
    ),
    Filter(
        ("incorporation_state",),
        one_of("incorporation_state", "incorporation_states"),
        documents=4,
        filings=5,
        absent="no filing here has {}",
    ),
    Filter(("item",), one_of("item", "items"), documents=3, absent="no filing here has {}"),
    Filter(
        ("auditor",), _auditors, documents=6, filings=6, absent="no report here was audited by {}"
    ),
    Filter(("from_date", "to_date"), dated("from_date", "to_date", "filing_date")),
    Filter(("period_from", "period_to"), dated("period_from", "period_to", "period"), documents=3),
    Filter(("fiscal_year",), _fiscal_years, documents=3),
    Filter(
        ("document_type",),
        _document_types,
        documents=3,
        absent="no document here has {}",
    ),
    Filter(("primary",), lambda _: {"term": {"first": True}}, documents=3),
    Filter(
        ("figures", "currency"),
        lambda criteria: figures_clause(criteria.figures, criteria.currency),
        documents=5,
    ),
    Filter(("original",), lambda _: {"bool": {"must_not": [_AMENDMENTS]}}),
)


def filter_clauses(criteria: FilingCriteria) -> Iterator[Clause]:
    """Yield the clause of each filter that is set, except filters resolved to entities."""
    return (
        filter_.clause(criteria)
        for filter_ in FILTERS
        if filter_.clause and filter_.given(criteria)
    )


def days_clauses(criteria: FilingCriteria) -> list[Clause]:
    """Filter by filing date, or no clause if no dates are given."""
    return between("filing_date", criteria.from_date, criteria.to_date)
