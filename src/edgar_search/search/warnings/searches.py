"""Searches whose results come with what is to be said of the question."""

import asyncio
import logging
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.search.coverage import FormDay, look_up_coverage
from edgar_search.search.criteria import (
    CoverageCriteria,
    DocumentCriteria,
    DocumentSearch,
    FilingCriteria,
    FilingSearch,
)
from edgar_search.search.documents import DocumentPage, search_documents
from edgar_search.search.entities import Directory
from edgar_search.search.filings import FilingPage, look_up_filings
from edgar_search.search.groups import search_groups
from edgar_search.search.warnings.absent import (
    Absent,
    absent_errors,
    absent_values,
    absent_warnings,
)
from edgar_search.search.warnings.known_values import KnownValues, form_type_counts
from edgar_search.search.warnings.nearest import nearest_form
from edgar_search.search.warnings.query import query_doubts
from edgar_search.search.warnings.unknown import (
    Found,
    Unknown,
    UnknownValues,
    filter_errors,
    filter_warnings,
    unfiled_tickers,
    unknown_values,
)
from edgar_search.search.warnings.wording import bounded
from edgar_search.search.warnings.words import missing_words

_log = logging.getLogger(__name__)

T = TypeVar("T")
_NOTHING_UNKNOWN = UnknownValues([], [], [], [])
_ANY_FILING = FilingCriteria()


class CheckedFilings(NamedTuple):
    """A window of filings, and a line on each value that nothing here has."""

    page: FilingPage
    errors: list[str]


class CheckedDays(NamedTuple):
    """What the ledger has of each day and form, and what is to be said of the question."""

    days: list[FormDay]
    warnings: list[str]


async def search_and_warn(
    directory: Directory, known: KnownValues, search: DocumentSearch, account: str
) -> DocumentPage:
    """A window of the documents that match, with all warnings.

    Where something was found and all values are known, no more engine requests than the search's.
    """
    found = search_groups if search.grouped else search_documents
    page = await found(directory, search, account)
    return await warned(directory, known, search, page, account)


async def warned(
    directory: Directory,
    known: KnownValues,
    search: DocumentSearch,
    page: DocumentPage,
    account: str,
) -> DocumentPage:
    """A page of a search with all warnings; engine requests as of `search_and_warn`."""
    # What they have matters only to what was asked of filings.
    hits = page.hits if search.criteria.filings != _ANY_FILING else ()
    found = Found(
        page.total,
        frozenset(hit.fields.form_type[0] for hit in hits),
        frozenset(cik for hit in hits for cik in hit.ciks),
    )
    said = await search_warnings(directory, known, search.criteria, found, account)
    return page._replace(warnings=(*said, *page.warnings))


async def search_warnings(
    directory: Directory,
    known: KnownValues,
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
        said += await or_none(missing_words(directory.engine, known, node, doubted, account), [])
    if found.total and filings == _ANY_FILING:
        return said
    table = directory.table
    unknown, unfiled = await asyncio.gather(
        or_none(unknown_values(filings, found, table, known), _NOTHING_UNKNOWN),
        or_none(unfiled_tickers(filings, found, table, known), []),
    )
    said += filter_warnings(unknown, unfiled, table)
    if not found.total:
        work = absent_values(directory.engine, "documents", filings, criteria.document_types)
        said += absent_warnings(await or_none(work, []))
    return said


async def look_up_and_check(
    directory: Directory, known: KnownValues, search: FilingSearch, account: str
) -> CheckedFilings:
    """A window of the filings that match, and the values that nothing here has."""
    page = await look_up_filings(directory, search, account)
    return await checked(directory, known, search, page)


async def checked(
    directory: Directory, known: KnownValues, search: FilingSearch, page: FilingPage
) -> CheckedFilings:
    """A page of filings, and the values of the search that nothing here has."""
    found = Found(
        page.total,
        frozenset(filing.form_type for filing in page.filings),
        frozenset(cik for filing in page.filings for cik in filing.ciks),
    )
    unknown = await or_none(
        unknown_values(search.criteria, found, directory.table, known), _NOTHING_UNKNOWN
    )
    absent: list[Absent] = []
    if not page.total:
        absent = await or_none(absent_values(directory.engine, "filings", search.criteria), [])
    return CheckedFilings(page, [*filter_errors(unknown), *absent_errors(absent)])


async def look_up_coverage_and_warn(engine: Engine, criteria: CoverageCriteria) -> CheckedDays:
    """What the ledger has of each day and form; a form type that it never had is named."""
    days = await look_up_coverage(engine, criteria)
    met = {day.form_type for day in days}
    left = [form_type for form_type in criteria.form_types if form_type not in met]
    if not left:
        return CheckedDays(days, [])
    counts = await or_none(form_type_counts(engine, "ledger"), dict.fromkeys(left, 0))
    unknown = [Unknown(each, nearest_form(each, counts)) for each in left if each not in counts]
    said = [f"form_type: no filing that is known has {each}" for each in unknown]
    return CheckedDays(days, bounded("form_type", said))


async def or_none(work: Awaitable[T], none: T) -> T:
    """What is to be said; nothing, where that fails: the answer itself is there."""
    try:
        return await work
    except EdgarSearchError as error:
        _log.warning("warnings were left out: %s", error)
        return none
