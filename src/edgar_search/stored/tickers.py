"""The index `tickers`."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

# The kinds of EDGAR's reference files; of each the one loaded last counts.
TickerFile = Literal["company_tickers", "company_tickers_exchange", "company_tickers_mf", "ticker"]
TICKER_FILES: tuple[TickerFile, ...] = (
    "company_tickers",
    "company_tickers_exchange",
    "company_tickers_mf",
    "ticker",
)


class TickerRow(Struct, frozen=True, array_like=True):
    """A ticker, upper case, and the CIK (10 digits) that has it."""

    ticker: str
    cik: str
    exchange: str | None = None


class StoredTickers(Struct, frozen=True):
    """All rows of one reference file, in its order: written and replaced as one document."""

    source: str
    loaded_at: datetime
    rows: list[TickerRow]
