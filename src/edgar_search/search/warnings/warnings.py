"""Warnings of a search: parts probably meant otherwise, and values that nothing stored has."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, ParamSpec, TypeVar

from msgspec import structs

from edgar_search.errors import EdgarSearchError
from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import (
    ANY_FILING,
    DocumentCriteria,
)
from edgar_search.search.figures import (
    ANY_CURRENCY,
    DEFAULT_CURRENCY,
    currency_clause,
    figures_clause,
    lacking_clause,
)
from edgar_search.search.query.body import CikLists, document_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.warnings.filter_values import (
    NOTHING_UNKNOWN,
    Found,
    absent_values,
    absent_warnings,
    filter_warnings,
    tickers_without_filings,
    unknown_values,
)
from edgar_search.search.warnings.nearest import SearchWarning
from edgar_search.search.warnings.query_text import find_query_warnings
from edgar_search.search.warnings.words import MissingWord, find_missing_words

_log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class SearchWarnings(NamedTuple):
    """Warnings in order, and the missing words that some of them are about."""

    warnings: list[SearchWarning]
    missing: Sequence[MissingWord] = ()


async def search_warnings(
    context: SearchContext, criteria: DocumentCriteria, found: Found, ciks: CikLists
) -> SearchWarnings:
    """Collect the warnings about these criteria, resolved to `ciks`, and what they found.

    Makes no engine request if something was found, all values are known and no figures are
    requested.
    """
    filings, node = criteria.filings, criteria.query
    query_warnings = [] if node is None else find_query_warnings(node)
    warnings = [warning.warning for warning in query_warnings if warning.sure or not found.total]
    if criteria.translation:
        warnings.insert(0, SearchWarning("query", criteria.translation.meaning))
    missing: list[MissingWord] = []
    if node is not None and found.lacks_all:
        skipped = [warning.position for warning in query_warnings]
        missing = await or_default(
            [], find_missing_words, context.engine, context.known, node, skipped
        )
        warnings += [word.warning for word in missing]
    if found.total and filings == ANY_FILING:
        return SearchWarnings(warnings, missing)
    table, known = await context.tickers.table(), context.known
    unknown, unfiled = await asyncio.gather(
        or_default(NOTHING_UNKNOWN, unknown_values, filings, found, table, known),
        or_default([], tickers_without_filings, filings, found, table, known),
    )
    warnings += filter_warnings(unknown, unfiled, table)
    if filings.figures:
        warnings += await or_default([], _left_out, context, criteria, ciks)
    if not found.total and filings.currency:
        warnings += await or_default([], _unreported, context, filings.currency)
    if not found.total:
        absent = await or_default([], absent_values, context, "documents", filings)
        warnings += absent_warnings(absent)
    return SearchWarnings(warnings, missing)


async def _left_out(
    context: SearchContext, criteria: DocumentCriteria, ciks: CikLists
) -> list[SearchWarning]:
    """Warn about reports left out for their currency, or because they lack a figure.

    Makes one engine request.
    """
    filings = criteria.filings
    every = structs.replace(filings, figures=(), currency=None)
    query = document_query(structs.replace(criteria, filings=every), ciks)
    others: Clause = {
        "bool": {
            "filter": [figures_clause(filings.figures, ANY_CURRENCY)],
            "must_not": [currency_clause(DEFAULT_CURRENCY)],
        }
    }
    lacking: Clause = {
        "bool": {"filter": [currency_clause(filings.currency), lacking_clause(filings.figures)]}
    }
    clauses = [others, lacking]
    more, without = await count_matches(context.engine, "documents", clauses, query)
    warnings = []
    if more and not filings.currency:
        reports = "one more report meets" if more == 1 else f"{more:,} more reports meet"
        text = f"{reports} the conditions in other currencies than {DEFAULT_CURRENCY}"
        warnings.append(SearchWarning("figures", f"{text}; `currency=any` finds them too"))
    if without:
        reports = "one report is" if without == 1 else f"{without:,} reports are"
        text = f"{reports} left out, without a figure of the conditions or with zero as divisor"
        warnings.append(SearchWarning("figures", text))
    return warnings


async def _unreported(context: SearchContext, currency: str) -> list[SearchWarning]:
    """Warn about a currency in which no report has figures; one engine request."""
    (number,) = await count_matches(context.engine, "documents", [currency_clause(currency)])
    named = "any currency" if currency == ANY_CURRENCY else currency
    text = f"no report here has figures in {named}"
    return [] if number else [SearchWarning("currency", text)]


async def or_default(
    none: T, ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the result of `ask`, or `none` if it fails, because the answer itself is ready.

    `ask` is called here and not earlier: a cancelled request may never get this far.
    """
    try:
        return await ask(*args, **kwargs)
    except EdgarSearchError as error:
        _log.warning("warnings were left out: %s", error)
        return none
