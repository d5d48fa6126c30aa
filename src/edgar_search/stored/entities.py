"""Companies, people and their tickers, as the indices `entities` and `tickers` store them."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct


class StoredAddress(Struct, frozen=True, omit_defaults=True):
    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    phone: str | None = None
    country: str | None = None


class StoredFormerName(Struct, frozen=True, omit_defaults=True):
    """A former name of an entity, from the day `since` to the day `until`, where known."""

    name: str
    since: date | None = None
    until: date | None = None


class StoredEntity(Struct, frozen=True, omit_defaults=True):
    """A company or person.

    `sources` holds, for each known fact, the date and name of its source (`2024-01-04
    0000019617-24-000012`): a later source replaces the fact. `tickers` and `exchanges` are parallel
    lists; an unknown exchange is "".
    """

    cik: str
    name: str | None = None
    sic: str | None = None
    sic_description: str | None = None
    organization: str | None = None
    ein: str | None = None
    state_of_incorporation: str | None = None
    fiscal_year_end: str | None = None
    business_address: StoredAddress | None = None
    mail_address: StoredAddress | None = None
    former_names: list[StoredFormerName] | None = None
    entity_type: str | None = None
    category: str | None = None
    phone: str | None = None
    website: str | None = None
    investor_website: str | None = None
    description: str | None = None
    tickers: list[str] | None = None
    exchanges: list[str] | None = None
    sources: dict[str, str] = {}


# The kinds of EDGAR's reference files; of each kind, only the last one loaded counts.
TickerFile = Literal["company_tickers", "company_tickers_exchange", "company_tickers_mf", "ticker"]
TICKER_FILES: tuple[TickerFile, ...] = (
    "company_tickers",
    "company_tickers_exchange",
    "company_tickers_mf",
    "ticker",
)


class TickerRow(Struct, frozen=True, array_like=True):
    """A ticker in capitals, with the CIK (10 digits) of its company.

    A fund's ticker belongs to a share class, and has the ids of its series and class.
    """

    ticker: str
    cik: str
    exchange: str | None = None
    series: str | None = None
    share_class: str | None = None


class StoredTickers(Struct, frozen=True):
    """All rows of one reference file, in its order, in one document that is replaced as a whole."""

    source: str
    loaded_at: datetime
    rows: list[TickerRow]
