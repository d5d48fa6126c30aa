"""EDGAR's ticker files, each as one version that replaces the one before."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from edgar_search.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.stored.tickers import StoredTickers, TickerFile, TickerRow
from ingest.source import Source, read

# The columns of the two files that come as a table, by which they are told apart.
_TABLES: dict[str, TickerFile] = {
    "ticker": "company_tickers_exchange",
    "symbol": "company_tickers_mf",
}


async def load_tickers(engine: Engine, paths: Iterable[Path]) -> dict[TickerFile, int]:
    """Store each file's rows in the place of the earlier ones of its kind; the number of rows.

    All files are read before the first is stored. Raises SettingsError for a file that cannot be
    read or is none of EDGAR's ticker files.
    """
    files = [(path, *parse_ticker_file(path)) for path in paths]
    for path, kind, rows in files:
        stored = StoredTickers(source=path.name, loaded_at=datetime.now(UTC), rows=rows)
        await engine.put("tickers", kind, stored)
    return {kind: len(rows) for _, kind, rows in files}


def parse_ticker_file(path: Path) -> tuple[TickerFile, list[TickerRow]]:
    """The kind of a ticker file, known by its content, and its rows."""
    try:
        data = read(Source.of(path))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        if data.lstrip()[:1] in (b"{", b"["):
            kind, rows = _json_rows(msgspec.json.decode(data))
        else:
            kind, rows = "ticker", list(_text_rows(data.decode("utf-8")))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise SettingsError(
            f"{path}: is none of EDGAR's ticker files (company_tickers, company_tickers_exchange,"
            " company_tickers_mf, ticker.txt)"
        ) from None
    if not rows:
        # Stored, it would take every ticker of its kind away: a failed download, most likely.
        raise SettingsError(f"{path}: has no tickers in it; the earlier ones stay")
    return kind, rows


def _json_rows(content: Any) -> tuple[TickerFile, list[TickerRow]]:
    if isinstance(content, dict) and "fields" in content:
        return _table_rows(content["fields"], content["data"])
    entries = content if isinstance(content, list) else content.values()
    rows = [_row(e["ticker"], e["cik_str"] if "cik_str" in e else e["cik"]) for e in entries]
    return "company_tickers", rows


def _table_rows(fields: list[str], data: list[list[Any]]) -> tuple[TickerFile, list[TickerRow]]:
    column = next((name for name in _TABLES if name in fields), None)
    if column is None:
        raise ValueError(f"no column of tickers among {fields}")
    ticker, cik = fields.index(column), fields.index("cik")
    exchange = fields.index("exchange") if "exchange" in fields else None
    rows = [
        _row(line[ticker], line[cik], line[exchange] if exchange is not None else None)
        for line in data
    ]
    return _TABLES[column], rows


def _text_rows(text: str) -> Iterator[TickerRow]:
    for line in text.split("\n"):
        if line.strip():
            ticker, cik = line.split("\t")
            yield _row(ticker, cik.strip())


def _row(ticker: str, cik: int | str, exchange: str | None = None) -> TickerRow:
    return TickerRow(ticker.strip().upper(), f"{int(cik):010d}", exchange)
