"""Searches with their warnings: what was probably meant otherwise, or was not served."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import date
from typing import NamedTuple, ParamSpec, TypeVar

from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.search.context import SearchContext
from edgar_search.search.coverage import FormDay, look_up_coverage, missing_days
from edgar_search.search.criteria import (
    CoverageCriteria,
    DocumentCriteria,
    DocumentSearch,
    FacetSearch,
    FilingCriteria,
    FilingSearch,
)
from edgar_search.search.documents import DocumentPage, search_documents
from edgar_search.search.explanation import Explanation, explain
from edgar_search.search.facets import FacetPage, count_facets
from edgar_search.search.filings import (
    WITHDRAWN,
    FilingPage,
    future_dates,
    look_up_filings,
    withdrawn_since,
)
from edgar_search.search.groups import search_groups
from edgar_search.search.warnings.filter_values import (
    Absent,
    Found,
    Unknown,
    UnknownValues,
    absent_errors,
    absent_values,
    absent_warnings,
    filter_errors,
    filter_warnings,
    unfiled_tickers,
    unknown_values,
)
from edgar_search.search.warnings.known_values import form_type_counts
from edgar_search.search.warnings.nearest import bounded, nearest_form
from edgar_search.search.warnings.query_text import query_doubts
from edgar_search.search.warnings.words import missing_words, telling_words

_log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
_NOTHING_UNKNOWN = UnknownValues([], [], [], [])
_ANY_FILING = FilingCriteria()


class CheckedFilings(NamedTuple):
    """A window of filings, and a line on each value that nothing here has.

    `withdrawn` says since when filings are withdrawn, by their number; None where nobody asks.
    """

    page: FilingPage
    errors: list[str]
    withdrawn: dict[str, str] | None


class CheckedDays(NamedTuple):
    """What the ledger has of each day and form, and what is to be said of the question.

    `missing_days` are business days of EDGAR of which its indices list nothing.
    """

    days: list[FormDay]
    warnings: list[str]
    missing_days: list[date]


async def search_and_warn(
    context: SearchContext, search: DocumentSearch, account: str
) -> DocumentPage:
    """A window of the documents that match, with all warnings.

    Where something was found and all values are known, no more engine requests than the search's.
    """
    found = search_groups if search.grouped else search_documents
    page = await found(context, search, account)
    return await warned(context, search, page, account)


async def warned(
    context: SearchContext,
    search: DocumentSearch,
    page: DocumentPage,
    account: str,
) -> DocumentPage:
    """A page of a search with all warnings; engine requests as of `search_and_warn`.

    One more where it is asked for since when filings are withdrawn.
    """
    # What they have matters only to what was asked of filings.
    hits = page.hits if search.criteria.filings != _ANY_FILING else ()
    found = Found(
        page.total,
        frozenset(hit.fields.form_type[0] for hit in hits),
        frozenset(cik for hit in hits for cik in hit.ciks),
    )
    said = await search_warnings(context, search.criteria, found, account)
    if WITHDRAWN in search.details:
        numbers = (hit.fields.accession_number[0] for hit in page.hits)
        page = page._replace(withdrawn=await withdrawn_since(context.engine, numbers))
    return page._replace(warnings=(*said, *page.warnings))


async def search_warnings(
    context: SearchContext,
    criteria: DocumentCriteria,
    found: Found,
    account: str,
) -> list[str]:
    """All that is to be said of these criteria, by which so much was found.

    No engine request where something was found and all values are known.
    """
    filings, node = criteria.filings, criteria.query
    doubts = [] if node is None else query_doubts(node)
    said = [doubt.sentence for doubt in doubts if doubt.sure or not found.total]
    if node is not None and not found.total:
        doubted = [doubt.position for doubt in doubts]
        said += await or_none(
            [], missing_words, context.engine, context.known, node, doubted, account
        )
    if found.total and filings == _ANY_FILING:
        return said
    table, known = await context.tickers.table(), context.known
    unknown, unfiled = await asyncio.gather(
        or_none(_NOTHING_UNKNOWN, unknown_values, filings, found, table, known),
        or_none([], unfiled_tickers, filings, found, table, known),
    )
    said += filter_warnings(unknown, unfiled, table)
    if not found.total:
        types = criteria.document_types
        absent = await or_none([], absent_values, context.engine, "documents", filings, types)
        said += absent_warnings(absent)
    return said


async def look_up_and_check(
    context: SearchContext, search: FilingSearch, account: str
) -> CheckedFilings:
    """A window of the filings that match, and the values that nothing here has."""
    page = await look_up_filings(context, search, account)
    return await checked(context, search, page)


async def checked(context: SearchContext, search: FilingSearch, page: FilingPage) -> CheckedFilings:
    """A page of filings, and the values of the search that nothing here has."""
    found = Found(
        page.total,
        frozenset(filing.form_type for filing in page.filings),
        frozenset(cik for filing in page.filings for cik in filing.ciks),
    )
    table = await context.tickers.table()
    unknown = await or_none(
        _NOTHING_UNKNOWN, unknown_values, search.criteria, found, table, context.known
    )
    absent: list[Absent] = []
    if not page.total:
        absent = await or_none([], absent_values, context.engine, "filings", search.criteria)
    withdrawn = None
    if WITHDRAWN in search.details:
        numbers = (filing.accession_number for filing in page.filings)
        withdrawn = await withdrawn_since(context.engine, numbers)
    return CheckedFilings(page, [*filter_errors(unknown), *absent_errors(absent)], withdrawn)


async def look_up_coverage_and_warn(engine: Engine, criteria: CoverageCriteria) -> CheckedDays:
    """Return what the ledger has of each day and form.

    Named are a form type that it never had, and filings whose date is in the future.
    """
    days = await look_up_coverage(engine, criteria)
    missing = await or_none([], missing_days, engine, criteria)
    future = await or_none([], future_dates, engine)
    met = {day.form_type for day in days}
    left = [form_type for form_type in criteria.form_types if form_type not in met]
    if not left:
        return CheckedDays(days, future, missing)
    counts = await or_none(dict.fromkeys(left, 0), form_type_counts, engine, "ledger")
    unknown = [Unknown(each, nearest_form(each, counts)) for each in left if each not in counts]
    said = [f"form_type: no filing that is known has {each}" for each in unknown]
    return CheckedDays(days, [*bounded("form_type", said), *future], missing)


async def or_none(none: T, ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of `ask`; `none` if it fails, since the answer itself is there.

    It is asked here and not before: a request that is given up may never come to this.
    """
    try:
        return await ask(*args, **kwargs)
    except EdgarSearchError as error:
        _log.warning("warnings were left out: %s", error)
        return none


async def count_facets_and_warn(
    context: SearchContext, search: FacetSearch, account: str
) -> FacetPage:
    """The facets of a search, with all warnings that the search has.

    Where something was found and all values are known, no more engine requests than the facets'.
    """
    page = await count_facets(context, search, account)
    found = Found(page.total, _values(page, "form_type"), _values(page, "company"))
    said = await search_warnings(context, search.criteria, found, account)
    return page._replace(warnings=tuple(said))


async def explain_and_warn(
    context: SearchContext, criteria: DocumentCriteria, account: str
) -> Explanation:
    """What the criteria's query means, which they have, with all that there is to say of it.

    Beside what a search says that is whatever of it could be meant otherwise, and its words that
    no document has, or nearly all.
    """
    assert criteria.query is not None
    explained = await explain(context, criteria.query, criteria)
    doubts = query_doubts(criteria.query)
    doubted = [doubt.position for doubt in doubts]
    found = Found(explained.total, frozenset(), frozenset())
    said, words = await asyncio.gather(
        search_warnings(context, criteria, found, account),
        or_none([], telling_words, context.engine, criteria.query, doubted, account),
    )
    sentences = [*(doubt.sentence for doubt in doubts), *words, *said]
    return explained._replace(warnings=tuple(dict.fromkeys(sentences)))


def _values(page: FacetPage, name: str) -> frozenset[str]:
    facet = page.facets.get(name)
    return frozenset() if facet is None else frozenset(each.value for each in facet.values)
