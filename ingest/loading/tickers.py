"""Loading of EDGAR's ticker files; each file replaces the earlier one of its kind."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from edgar_search.edgar.identifiers import format_cik
from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.stored.entities import (
    TICKER_FILES,
    StoredEntity,
    StoredTickers,
    TickerFile,
    TickerRow,
)
from ingest.loading.entities import EntityWriter
from ingest.reading.entity_facts import UNDATED, with_source
from ingest.sources.source import Source, read

# The columns that identify the two files that are tables.
_TABLES: dict[str, TickerFile] = {
    "ticker": "company_tickers_exchange",
    "symbol": "company_tickers_mf",
}


# The columns of tables besides the ticker and the CIK, in the order of rows.
_OF_TABLES = ("exchange", "seriesId", "classId")


class TickerFileContent(NamedTuple):
    """A ticker file: its kind, its rows, and the names in it, by CIK."""

    kind: TickerFile
    rows: list[TickerRow]
    names: dict[str, str]


async def load_tickers(
    engine: Engine, entities: EntityWriter, paths: Iterable[Path]
) -> dict[TickerFile, int]:
    """Replace the rows of each file's kind by the file's; return their number.

    All files are read before the first is stored. Changes of entities are written before the files,
    so that a killed run is repeated completely. Raises SettingsError for a file that cannot be read
    or is not one of EDGAR's ticker files.
    """
    files = [(path, parse_ticker_file(path)) for path in paths]
    stored = await engine.multi_get("tickers", TICKER_FILES, StoredTickers)
    before = {entry.id: entry.source.rows for entry in stored if entry.source is not None}
    after = before | {content.kind: content.rows for _, content in files}
    now = datetime.now(UTC)
    names = {cik: name for _, content in files for cik, name in content.names.items()}
    await entities.write(ticker_facts(before, after, names, now))
    for path, content in files:
        new = StoredTickers(source=path.name, loaded_at=now, rows=content.rows)
        await engine.put("tickers", content.kind, new)
    return {content.kind: len(content.rows) for _, content in files}


def ticker_facts(
    before: Mapping[str, list[TickerRow]],
    after: Mapping[str, list[TickerRow]],
    names: Mapping[str, str],
    now: datetime,
) -> Iterator[StoredEntity]:
    """Yield the facts about every entity that is, or was, in a ticker file.

    An entity has the tickers of all kinds, in the order of `TICKER_FILES`, and loses tickers that
    no file lists any more. A name counts only until a filing or a submissions file provides the
    conformed name.
    """
    exchanges: dict[str, dict[str, str]] = {row.cik: {} for rows in before.values() for row in rows}
    for kind in TICKER_FILES:
        for row in after.get(kind, ()):
            of_cik = exchanges.setdefault(row.cik, {})
            of_cik[row.ticker] = of_cik.get(row.ticker) or row.exchange or ""
    for cik, listed in exchanges.items():
        facts = StoredEntity(
            cik=cik, tickers=list(listed), exchanges=list(listed.values()), name=names.get(cik)
        )
        facts = with_source(facts, f"{now.isoformat()} ticker files")
        if facts.name is not None:
            facts.sources["name"] = f"{UNDATED.isoformat()} ticker files"
        yield facts


def parse_ticker_file(path: Path) -> TickerFileContent:
    """Read a ticker file: its kind, recognised by its content, its rows and its names."""
    try:
        data = read(Source.of(path))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        if data.lstrip()[:1] in (b"{", b"["):
            content = _json_content(msgspec.json.decode(data))
        else:
            pairs = [line.split("\t") for line in data.decode("utf-8").split("\n") if line.strip()]
            rows = [_row(ticker, cik.strip()) for ticker, cik in pairs]
            content = TickerFileContent("ticker", rows, {})
    except (ValueError, LookupError, TypeError, AttributeError):
        raise SettingsError(
            f"{path}: is not a ticker file of EDGAR (company_tickers, company_tickers_exchange,"
            " company_tickers_mf, ticker.txt)"
        ) from None
    if not content.rows:
        # Most likely a failed download; stored, it would delete every ticker of its kind.
        raise SettingsError(f"{path}: has no tickers in it; the earlier ones stay")
    return content


def _json_content(content: Any) -> TickerFileContent:
    if isinstance(content, dict) and "fields" in content:
        return _table_content(content["fields"], content["data"])
    entries = content if isinstance(content, list) else list(content.values())
    rows = [_row(e["ticker"], e["cik_str"] if "cik_str" in e else e["cik"]) for e in entries]
    titles = [entry.get("title") for entry in entries]
    return TickerFileContent("company_tickers", rows, _names(rows, titles))


def _table_content(fields: list[str], data: list[list[Any]]) -> TickerFileContent:
    column = next((name for name in _TABLES if name in fields), None)
    if column is None:
        raise ValueError(f"no column of tickers among {fields}")
    ticker, cik = fields.index(column), fields.index("cik")
    others = [fields.index(name) if name in fields else None for name in _OF_TABLES]
    rows = [
        _row(line[ticker], line[cik], *(None if place is None else line[place] for place in others))
        for line in data
    ]
    names = [line[fields.index("name")] for line in data] if "name" in fields else []
    return TickerFileContent(_TABLES[column], rows, _names(rows, names))


def _names(rows: list[TickerRow], names: list[Any]) -> dict[str, str]:
    """Return the name beside each row, by CIK; a file may have no names."""
    pairs = zip(rows, names, strict=False)
    return {row.cik: name.strip() for row, name in pairs if isinstance(name, str) and name.strip()}


def _row(ticker: str, cik: int | str, *others: str | None) -> TickerRow:
    return TickerRow(ticker.strip().upper(), format_cik(int(cik)), *others)
