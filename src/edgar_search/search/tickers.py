"""Tickers and members of stock indices: cached, at most five seconds out of date.

Members in JSON: an object from an index's symbol to an array of tickers and CIKs. In CSV: a line
for each member, with the symbol and the ticker or CIK; a line that begins with `index,` is a
heading.
"""

import asyncio
import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh
from edgar_search.errors import BadRequest, SettingsError
from edgar_search.stored.entities import TICKER_FILES, StoredTickers

# Between a ticker and its share class: BRK-B, BRK.B, BRK/B, BRK B.
_SEPARATORS = re.compile(r"[-./ ]+")
# EDGAR's files begin with the largest companies.
_LARGE_ROWS = 1_000


class TickerTable:
    """The holders of tickers, as one immutable view of all reference files.

    If files disagree about a ticker, the file that was loaded last names its holder. Tickers of a
    CIK are in the order of EDGAR's rows, files in the order of `TICKER_FILES`.
    """

    def __init__(self, files: Iterable[StoredTickers] = ()) -> None:
        self._ciks: dict[str, list[str]] = {}
        self._tickers: dict[str, list[str]] = {}
        self._exchanges: dict[str, str] = {}
        self._listed: dict[str, dict[str, None]] = {}
        files = list(files)
        for file in sorted(files, key=lambda file: file.loaded_at):
            self._take_holders(file)
        for file in files:
            for row in file.rows:
                if row.cik in self._ciks[row.ticker]:
                    _add(self._tickers, row.cik, row.ticker)
                    if row.exchange:
                        self._exchanges.setdefault(row.ticker, row.exchange)
                        self._listed.setdefault(row.exchange.upper(), {})[row.cik] = None
        self._large = {row.ticker for file in files for row in file.rows[:_LARGE_ROWS]}
        every = [row.cik for file in files[:1] for row in file.rows[:_LARGE_ROWS]]
        # The largest companies, in the order of EDGAR's file, which is by market value.
        self.large_ciks = tuple(dict.fromkeys(every))
        self.ranks = {cik: rank for rank, cik in enumerate(self.large_ciks)}
        # The spellings of each ticker without separators, and with one kind of them.
        self._plain: dict[str, list[str]] = {}
        for ticker in self._ciks:
            dashed = _SEPARATORS.sub("-", ticker)
            for plain in {dashed, dashed.replace("-", "")}:
                _add(self._plain, plain, ticker)
        self._by_letter: dict[str, list[str]] = {}
        for ticker in self._ciks:
            self._by_letter.setdefault(ticker[:1], []).append(ticker)

    def ciks(self, ticker: str) -> list[str]:
        """Return the CIKs that hold this ticker, in any case; empty if it is unknown.

        `BRK-B`, `BRK.B` and `BRKB` are one ticker, unless several tickers share the spelling.
        """
        upper = ticker.upper()
        if upper in self._ciks:
            return self._ciks[upper]
        dashed = _SEPARATORS.sub("-", upper)
        for plain in (dashed, dashed.replace("-", "")):
            meant = self._plain.get(plain, [])
            if len(meant) == 1:
                return self._ciks[meant[0]]
        return []

    def beginning_with(self, letter: str) -> Sequence[str]:
        """Return all tickers that begin with this letter, in file order."""
        return self._by_letter.get(letter, [])

    def is_large(self, ticker: str) -> bool:
        """Return True if a ticker is among the first in a file."""
        return ticker in self._large

    def tickers(self, cik: str) -> list[str]:
        """Return the tickers of a CIK of 10 digits; empty if it has none."""
        return self._tickers.get(cik, [])

    def exchanges(self, cik: str) -> list[str]:
        """Return the exchanges that list a CIK's tickers, each once, with EDGAR's spelling."""
        names = map(self._exchanges.get, self.tickers(cik))
        return list(dict.fromkeys(filter(None, names)))

    def listed(self, exchange: str) -> list[str]:
        """Return the CIKs with a ticker on this exchange, in any case."""
        return list(self._listed.get(exchange.upper(), {}))

    @property
    def is_empty(self) -> bool:
        """True if no ticker is known."""
        return not self._ciks

    @property
    def has_exchanges(self) -> bool:
        """True if a file gives the exchange of a ticker."""
        return bool(self._listed)

    def _take_holders(self, file: StoredTickers) -> None:
        """Add the holders of this file's tickers; it may give a ticker several."""
        holders: dict[str, list[str]] = {}
        for row in file.rows:
            _add(holders, row.ticker, row.cik)
        self._ciks |= holders


class Tickers:
    """The current ticker table, rebuilt when the stored files have changed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._table = TickerTable()
        self._versions: Mapping[str, int] = {}
        self._fresh = Fresh(self._read)

    async def table(self) -> TickerTable:
        """Return an up-to-date table.

        Raises EngineUnavailable if it cannot be compared with the stored files.
        """
        return await self._fresh.value()

    async def files(self) -> dict[str, StoredTickers]:
        """Return the loaded reference files by name; one engine request."""
        stored = await self._engine.multi_get("tickers", TICKER_FILES, StoredTickers)
        return {entry.id: entry.source for entry in stored if entry.source is not None}

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


_VARIABLE = "EDGAR_SEARCH_INDEX_MEMBERS"
_HEADING = "INDEX"


class IndexMembers:
    """Members by the symbol of their index; `members` is None if no file was supplied."""

    def __init__(self, members: Mapping[str, Iterable[str]] | None) -> None:
        self._members = members and {
            symbol.strip().upper(): list(listed) for symbol, listed in members.items()
        }

    @classmethod
    def from_file(cls, path: Path | None) -> "IndexMembers":
        """Read the members from a file; SettingsError if it cannot be read or is malformed."""
        if path is None:
            return cls(None)
        try:
            text = path.read_text("utf-8-sig")
            if text.lstrip().startswith("{"):
                return cls(msgspec.json.decode(text, type=dict[str, list[str]]))
            return cls(_from_csv(text))
        except OSError as error:
            reason = error.strerror or str(error)
            raise SettingsError(f"{_VARIABLE}: {path} cannot be read: {reason}") from None
        except (ValueError, RecursionError):
            raise SettingsError(
                f'{_VARIABLE}: {path} is neither JSON like {{"GSPC": ["AAPL"]}} nor lines like'
                " GSPC,AAPL"
            ) from None

    def ciks(self, symbols: Iterable[str], table: TickerTable) -> list[str]:
        """Return the CIKs of all members of these indices.

        Tickers are resolved by the table. Raises BadRequest if no file was supplied.
        """
        if self._members is None:
            raise BadRequest("index_tickers: this service has no list of index members")
        ciks: dict[str, None] = {}
        for symbol in symbols:
            for member in self._members.get(symbol.lstrip("^"), ()):
                ciks |= dict.fromkeys(_ciks(member.strip(), table))
        return list(ciks)


def _ciks(member: str, table: TickerTable) -> list[str]:
    cik = parse_cik(member)
    return [cik] if cik is not None else table.ciks(member)


def _from_csv(text: str) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for line in csv.reader(text.splitlines()):
        if line and line[0].strip().upper() != _HEADING:
            symbol, member = line
            members.setdefault(symbol, []).append(member)
    if not members:
        raise ValueError("no members")
    return members
