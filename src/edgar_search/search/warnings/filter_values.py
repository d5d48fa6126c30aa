"""Filter values that no stored entry has."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.company_names import company_ciks, nearest_company
from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches, count_values
from edgar_search.search.criteria import EntityCriteria, FilingCriteria
from edgar_search.search.filters import FILTERS
from edgar_search.search.query.matching import Clause
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.known_values import (
    KnownValues,
)
from edgar_search.search.warnings.nearest import (
    MAX_OF_A_KIND,
    SearchWarning,
    and_nearest,
    name_first,
    nearest_form,
    nearest_ticker,
    shorten,
    with_nearest,
)

_NO_TICKERS = "no ticker file is loaded, so no ticker is known"
_NO_EXCHANGES = (
    "exchanges: no ticker file with exchanges is loaded (company_tickers_exchange.json), so only"
    " the exchanges in submissions JSON files are known"
)


class Found(NamedTuple):
    """The total of a search, and the form types and CIKs of its hits.

    `whole` counts the documents with all operands, if others are among the hits.
    """

    total: int
    form_types: frozenset[str]
    ciks: frozenset[str]
    whole: int | None = None

    @property
    def lacks_all(self) -> bool:
        """True if no document has all operands of the query."""
        return not (self.total if self.whole is None else self.whole)


class UnknownValue(NamedTuple):
    """A value that no stored entry has, and the one that was probably meant."""

    value: str
    nearest: str | None = None

    def __str__(self) -> str:
        return with_nearest(self.value, self.nearest)


class UnknownValues(NamedTuple):
    """Filter values that no stored entry has, in the order of the request."""

    tickers: list[UnknownValue]
    form_types: list[UnknownValue]
    families: list[UnknownValue]
    ciks: list[UnknownValue]


NOTHING_UNKNOWN = UnknownValues([], [], [], [])


async def unknown_values(
    criteria: FilingCriteria, found: Found, table: TickerTable, known: KnownValues
) -> UnknownValues:
    """Find values that no stored entry has; makes no engine request if all are known."""
    known.remember(
        _values_met(criteria.form_type, found.form_types, found.total),
        _values_met(criteria.cik, found.ciks, found.total),
    )
    (form_types, counts), (families, others), ciks = await asyncio.gather(
        known.unknown_form_types(criteria.form_type),
        known.unknown_families(criteria.form_family),
        known.unknown_ciks(criteria.cik),
    )
    tickers = [ticker for ticker in criteria.ticker if not table.ciks(ticker)]
    return UnknownValues(
        _with_nearest(tickers, lambda ticker: nearest_ticker(ticker, table)),
        _with_nearest(form_types, lambda form_type: nearest_form(form_type, counts)),
        _with_nearest(families, lambda family: nearest_form(family, others)),
        [UnknownValue(cik) for cik in criteria.cik if cik in ciks],
    )


async def tickers_without_filings(
    criteria: FilingCriteria, found: Found, table: TickerTable, known: KnownValues
) -> list[str]:
    """Return tickers of entities without filings here; no engine request if all have some."""
    if found.total and len(criteria.ticker) == 1:
        return []
    holders = {ticker: table.ciks(ticker) for ticker in criteria.ticker}
    unchecked = {t: ciks for t, ciks in holders.items() if ciks and found.ciks.isdisjoint(ciks)}
    unknown = await known.unknown_ciks(chain.from_iterable(unchecked.values()))
    return [ticker for ticker, ciks in unchecked.items() if unknown.issuperset(ciks)]


def filter_warnings(
    unknown: UnknownValues, unfiled: Sequence[str], table: TickerTable
) -> list[SearchWarning]:
    """Make the warnings about filter values."""
    tickers = [f"no ticker file has {ticker}" for ticker in unknown.tickers]
    if unknown.tickers and table.is_empty:
        tickers = [_NO_TICKERS]
    return [
        *name_first("ticker", tickers),
        *name_first(
            "ticker", [f"no filing of {unfiled_ticker} is loaded" for unfiled_ticker in unfiled]
        ),
        *name_first(
            "form_type",
            [f"no filing here has {unfiled_ticker}" for unfiled_ticker in unknown.form_types],
        ),
        *name_first("form_family", [f"no filing here has {family}" for family in unknown.families]),
        *name_first("cik", [f"no filing of {cik} is loaded" for cik in unknown.ciks]),
    ]


def filter_errors(unknown: UnknownValues) -> list[str]:
    """Return the errors of a lookup, each of which names a value."""
    return [
        *(f"unknown ticker: {ticker}" for ticker in unknown.tickers),
        *(f"unknown form type: {value}" for value in (*unknown.form_types, *unknown.families)),
        *(f"unknown CIK: {cik}" for cik in unknown.ciks),
    ]


def missing_data_warnings(criteria: Iterable[EntityCriteria], table: TickerTable) -> list[str]:
    """Warn about data that these criteria need and that were never loaded."""
    entities = list(criteria)
    sentences = []
    if table.is_empty and any(entity.tickers for entity in entities):
        sentences.append(f"tickers: {_NO_TICKERS}")
    if not table.has_exchanges and any(entity.exchanges for entity in entities):
        sentences.append(_NO_EXCHANGES)
    return sentences


def _with_nearest(
    values: Sequence[str], nearest: Callable[[str], str | None]
) -> list[UnknownValue]:
    """Return unknown values, the first ones with the value that was probably meant."""
    suggested = [UnknownValue(value, nearest(value)) for value in values[:MAX_OF_A_KIND]]
    return suggested + [UnknownValue(value) for value in values[MAX_OF_A_KIND:]]


def _values_met(asked: Sequence[str], in_hits: frozenset[str], total: int) -> Sequence[str]:
    """Return the values that filings must have, judging by the hits."""
    # Every hit matches every filter, so a filter with a single value is met.
    return asked if total and len(asked) == 1 else [value for value in asked if value in in_hits]


# Only the first values in a request are looked up.
MAX_ASKED = 200


class AbsentValue(NamedTuple):
    """A parameter's value that no stored entry has, and the one that was probably meant."""

    parameter: str
    value: str
    nearest: str | None = None

    def __str__(self) -> str:
        return with_nearest(self.value, self.nearest)

    def warning(self, sentence: str) -> str:
        """Return a sentence with the value instead of `{}`, and the probably meant value."""
        return sentence.format(shorten(self.value)) + and_nearest(self.nearest)


class _FilterValue(NamedTuple):
    parameter: str
    value: str
    clause: Clause


async def absent_values(
    context: SearchContext, kind: Kind, criteria: FilingCriteria
) -> list[AbsentValue]:
    """Return values of these criteria that no entry of `kind` has, whatever the other filters.

    Makes at most two engine requests, and the ones for a company name.
    """
    engine, absent = context.engine, []
    if criteria.company and not await company_ciks(engine, context.tickers, criteria.company):
        nearest = await nearest_company(engine, criteria.company)
        absent.append(AbsentValue("company", criteria.company, nearest.name if nearest else None))
    filter_values = list(_filter_values(criteria))[:MAX_ASKED]
    if not filter_values:
        return absent
    counts = await count_matches(
        engine, kind, [filter_value.clause for filter_value in filter_values]
    )
    missing = [
        filter_value for filter_value, count in zip(filter_values, counts, strict=True) if not count
    ]
    types = await _nearest_types(engine, missing)
    return absent + [AbsentValue(p, value, types.get(value)) for p, value, _ in missing]


def absent_warnings(absent: Sequence[AbsentValue]) -> list[SearchWarning]:
    """Make the warnings about these values."""
    return [
        warning
        for filter_ in FILTERS
        for name in filter_.names
        for warning in name_first(
            name, [value.warning(filter_.absent) for value in absent if value.parameter == name]
        )
    ]


def absent_errors(absent: Sequence[AbsentValue]) -> list[str]:
    """Return the errors of a lookup about these values."""
    return [f"unknown {value.parameter}: {value}" for value in absent]


def _filter_values(criteria: FilingCriteria) -> Iterator[_FilterValue]:
    """Yield the values of lists that no other warning covers."""
    for filter_ in FILTERS:
        if filter_.absent and filter_.clause:
            (name,) = filter_.names
            for value in getattr(criteria, name):
                yield _FilterValue(name, value, filter_.of_value(value))


async def _nearest_types(engine: Engine, missing: Sequence[_FilterValue]) -> dict[str, str | None]:
    """Find what was probably meant by the first missing document types."""
    types = [value.value for value in missing if value.parameter == "document_type"]
    if not types:
        return {}
    counts = await count_values(engine, "documents", "document_type")
    return {value: nearest_form(value, counts) for value in types[:MAX_OF_A_KIND]}
