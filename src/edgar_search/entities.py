"""The ticker table: kept in memory, at most five seconds behind what is stored."""

import asyncio
from collections.abc import Iterable, Mapping

from edgar_search.engine import Engine
from edgar_search.freshness import Fresh
from edgar_search.stored.tickers import TICKER_FILES, StoredTickers


class TickerTable:
    """Who has which ticker, as one immutable view of all reference files.

    Within one file the order of EDGAR's rows stands; files come in the order of `TICKER_FILES`.
    """

    def __init__(self, files: Iterable[StoredTickers] = ()) -> None:
        self._ciks: dict[str, list[str]] = {}
        self._tickers: dict[str, list[str]] = {}
        for file in files:
            for row in file.rows:
                _add(self._ciks, row.ticker, row.cik)
                _add(self._tickers, row.cik, row.ticker)

    def ciks(self, ticker: str) -> list[str]:
        """The CIKs that have this ticker, in any case; empty where it is unknown."""
        return self._ciks.get(ticker.upper(), [])

    def tickers(self, cik: str) -> list[str]:
        """The tickers of a CIK of 10 digits; empty where it has none."""
        return self._tickers.get(cik, [])


class Tickers:
    """The current ticker table, built again when what is stored has changed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._table = TickerTable()
        self._versions: Mapping[str, int] = {}
        self._fresh = Fresh(self._read)

    async def table(self) -> TickerTable:
        """A fresh table; EngineUnavailable where it cannot be held against what is stored."""
        return await self._fresh.value()

    async def _read(self) -> TickerTable:
        heads = await self._engine.multi_get(
            "tickers", TICKER_FILES, StoredTickers, with_source=False
        )
        if {head.id: head.seq_no for head in heads if head.found} != self._versions:
            stored = await self._engine.multi_get("tickers", TICKER_FILES, StoredTickers)
            files = [entry.source for entry in stored if entry.source is not None]
            self._table = await asyncio.to_thread(TickerTable, files)
            self._versions = {entry.id: entry.seq_no for entry in stored if entry.found}
        return self._table


def _add(table: dict[str, list[str]], key: str, value: str) -> None:
    values = table.setdefault(key, [])
    if value not in values:
        values.append(value)
