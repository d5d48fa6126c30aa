"""Values of filters that nothing here has."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from edgar_search.search.criteria import EntityCriteria, FilingCriteria
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.known_values import KnownValues
from edgar_search.search.warnings.nearest import nearest_form, nearest_ticker
from edgar_search.search.warnings.wording import MAX_OF_A_KIND, bounded, with_nearest

_NO_TICKERS = "no ticker file is loaded, so no ticker is known"
_NO_EXCHANGES = (
    "exchanges: no ticker file with exchanges is loaded (company_tickers_exchange.json), so only"
    " those are known that submissions JSON files name"
)


class Found(NamedTuple):
    """What a search found: how much, and which form types and CIKs its hits have."""

    total: int
    form_types: frozenset[str]
    ciks: frozenset[str]


class Unknown(NamedTuple):
    """A value that nothing here has, and the one that was probably meant."""

    value: str
    nearest: str | None = None

    def __str__(self) -> str:
        return with_nearest(self.value, self.nearest)


class UnknownValues(NamedTuple):
    """Values of filters that nothing here has, in the order in which they were asked for."""

    tickers: list[Unknown]
    form_types: list[Unknown]
    families: list[Unknown]
    ciks: list[Unknown]


async def unknown_values(
    criteria: FilingCriteria, found: Found, table: TickerTable, known: KnownValues
) -> UnknownValues:
    """What of these criteria nothing here has; no engine request where all is known."""
    known.remember(
        _met(criteria.form_types, found.form_types, found.total),
        _met(criteria.ciks, found.ciks, found.total),
    )
    (form_types, counts), (families, others), ciks = await asyncio.gather(
        known.unknown_form_types(criteria.form_types),
        known.unknown_families(criteria.root_forms),
        known.unknown_ciks(criteria.ciks),
    )
    tickers = [ticker for ticker in criteria.tickers if not table.ciks(ticker)]
    return UnknownValues(
        _with_nearest(tickers, lambda ticker: nearest_ticker(ticker, table)),
        _with_nearest(form_types, lambda form_type: nearest_form(form_type, counts)),
        _with_nearest(families, lambda family: nearest_form(family, others)),
        [Unknown(cik) for cik in criteria.ciks if cik in ciks],
    )


async def unfiled_tickers(
    criteria: FilingCriteria, found: Found, table: TickerTable, known: KnownValues
) -> list[str]:
    """Tickers of entities that have no filing here; no engine request where all have."""
    if found.total and len(criteria.tickers) == 1:
        return []
    holders = {ticker: table.ciks(ticker) for ticker in criteria.tickers}
    left = {t: ciks for t, ciks in holders.items() if ciks and found.ciks.isdisjoint(ciks)}
    unknown = await known.unknown_ciks(chain.from_iterable(left.values()))
    return [ticker for ticker, ciks in left.items() if unknown.issuperset(ciks)]


def filter_warnings(
    unknown: UnknownValues, unfiled: Sequence[str], table: TickerTable
) -> list[str]:
    """Sentences on values of filters."""
    tickers = [f"ticker: no ticker file has {each}" for each in unknown.tickers]
    if unknown.tickers and table.is_empty:
        tickers = [f"ticker: {_NO_TICKERS}"]
    form_types = [f"form_type: no filing here has {each}" for each in unknown.form_types]
    families = [f"form_family: no filing here has {each}" for each in unknown.families]
    return [
        *bounded("ticker", tickers),
        *bounded("ticker", [f"ticker: no filing of {each} is loaded" for each in unfiled]),
        *bounded("form_type", form_types),
        *bounded("form_family", families),
        *bounded("cik", [f"cik: no filing of {each} is loaded" for each in unknown.ciks]),
    ]


def filter_errors(unknown: UnknownValues) -> list[str]:
    """The same for a look-up, which names each of them."""
    return [
        *(f"unknown ticker: {each}" for each in unknown.tickers),
        *(f"unknown form type: {each}" for each in (*unknown.form_types, *unknown.families)),
        *(f"unknown CIK: {each}" for each in unknown.ciks),
    ]


def unloaded(criteria: Iterable[EntityCriteria], table: TickerTable) -> list[str]:
    """Sentences on data that was never loaded and that these criteria ask for."""
    asked = list(criteria)
    said = []
    if table.is_empty and any(each.tickers for each in asked):
        said.append(f"tickers: {_NO_TICKERS}")
    if not table.has_exchanges and any(each.exchanges for each in asked):
        said.append(_NO_EXCHANGES)
    return said


def _with_nearest(values: Sequence[str], nearest: Callable[[str], str | None]) -> list[Unknown]:
    """Unknown values, the first of them with what was probably meant."""
    named = [Unknown(value, nearest(value)) for value in values[:MAX_OF_A_KIND]]
    return named + [Unknown(value) for value in values[MAX_OF_A_KIND:]]


def _met(asked: Sequence[str], in_hits: frozenset[str], total: int) -> Sequence[str]:
    """Those that filings have, as far as what was found shows it."""
    # What was found has every filter, and of one value that value.
    return asked if total and len(asked) == 1 else [each for each in asked if each in in_hits]
