"""Insider trades and holdings: rows of Forms 3, 4 and 5."""

from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.cursor import WALK_RULES
from edgar_search.api.parameters.declaration import API_KEY, Endpoint
from edgar_search.api.parameters.row_filters import ROW_FILTERS
from edgar_search.api.rows import (
    OF_ROWS,
    Counted,
    RowPlace,
    Rows,
    sort_parameter,
)
from edgar_search.edgar import codes
from edgar_search.ownership.insider_trades import (
    HOLDING_ORDERS,
    ORDERS,
    AmendedTrade,
    InsiderSearch,
)
from edgar_search.stored.ownership import Footnote, Owner, StoredInsiderTrade, UnderlyingSecurity


class Issuer(Struct):
    """The company that issued the security, with its trading symbol on the form."""

    cik: str | None
    name: str
    ticker: str | None


class TradeOwner(Struct):
    """A reporting owner: director, officer, owner of ten percent, or other."""

    cik: str | None
    name: str
    roles: list[str]
    title: str | None


class Underlying(Struct):
    """The security that a derivative is on."""

    security: str | None
    shares: Decimal | None
    exercise_price: Decimal | None
    exercisable: date | None
    expires: date | None


class TradeFootnote(Struct):
    """A footnote to a field of the row."""

    field: str
    text: str


class InsiderRow(Struct):
    """A transaction, or a holding that a form reports without one.

    Amounts have the digits as filed; null if the form does not have them. `value` is shares times
    price, or the total value as filed; for debt only the latter. `plan_named_by` says whether the
    form's box or only a footnote names a plan under Rule 10b5-1. `amends` is the filing date of the
    amended form, `amended_by` a later form with another row in place of this one. `not_read` names
    the fields whose value could not be read.
    """

    accnum: str
    form_type: str
    filing_date: date
    issuer: Issuer
    owners: list[TradeOwner]
    trade_date: date | None
    security: str | None
    derivative: bool
    code: str | None
    code_text: str | None
    acquired: str | None
    shares: Decimal | None
    price: Decimal | None
    value: Decimal | None
    shares_after: Decimal | None
    value_after: Decimal | None
    direct: bool | None
    nature: str | None
    underlying: Underlying | None
    plan_10b5_1: bool | None
    plan_named_by: str | None
    footnotes: list[TradeFootnote]
    amends: date | None
    amended_by: str | None
    place: RowPlace
    not_read: list[str]

    @property
    def is_holding(self) -> bool:
        """True if the form reports a holding without a transaction."""
        return self.code is None and self.trade_date is None


class InsiderRowsReply(Counted):
    """Rows of a page; `next_cursor` is set on a walk by cursor, null at its end."""

    items: list[InsiderRow]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


TRADES = Endpoint(
    "/v1/insider_trades",
    "finds transactions that insiders report on Forms 4 and 5",
    (
        API_KEY,
        *ROW_FILTERS["insider_trades"],
        sort_parameter(
            "by filing date, by the date of the trade, or by value; rows without a value come last",
            ORDERS,
        ),
        *OF_ROWS,
    ),
    credential="key",
    answer=InsiderRowsReply,
    rules=WALK_RULES,
)
HOLDINGS = Endpoint(
    "/v1/insider_holdings",
    "finds holdings that insiders report without a transaction",
    (
        API_KEY,
        *ROW_FILTERS["insider_holdings"],
        sort_parameter("by filing date, or by the number of shares owned", HOLDING_ORDERS),
        *OF_ROWS,
    ),
    credential="key",
    answer=InsiderRowsReply,
    rules=WALK_RULES,
)


def insider_row(trade: AmendedTrade) -> InsiderRow:
    """Build the answer's item for a stored row, with the form that amends it."""
    stored = trade.row
    return InsiderRow(
        accnum=stored.accession_number,
        form_type=stored.form_type,
        filing_date=stored.filing_date,
        issuer=Issuer(stored.issuer_cik, stored.issuer_name, stored.ticker),
        owners=list(map(_owner, stored.owners)),
        trade_date=stored.trade_date,
        security=stored.security,
        derivative=stored.derivative,
        code=stored.code,
        code_text=codes.TRANSACTION_CODES.get(stored.code or ""),
        acquired=stored.acquired,
        shares=stored.shares,
        price=stored.price,
        value=stored.value,
        shares_after=stored.shares_after,
        value_after=stored.value_after,
        direct=stored.direct,
        nature=stored.nature,
        underlying=None if stored.underlying is None else _underlying(stored.underlying),
        plan_10b5_1=stored.plan_10b5_1,
        plan_named_by=stored.plan_named_by,
        footnotes=list(map(_footnote, stored.footnotes)),
        amends=stored.amends,
        amended_by=trade.amended_by,
        place=RowPlace(stored.document_id, stored.start, stored.end),
        not_read=stored.not_read,
    )


def _underlying(stored: UnderlyingSecurity) -> Underlying:
    return Underlying(
        stored.security, stored.shares, stored.exercise_price, stored.exercisable, stored.expires
    )


def _owner(owner: Owner) -> TradeOwner:
    return TradeOwner(owner.cik, owner.name, list(owner.roles), owner.title)


def _footnote(note: Footnote) -> TradeFootnote:
    return TradeFootnote(note.field, note.text)


_NAMES = {"owner": "owner_names"}
_KNOWN = {"issuer_cik": "issuer_cik", "owner_cik": "owner_ciks"}
TRADE_ROWS = Rows[InsiderRowsReply](
    TRADES,
    StoredInsiderTrade,
    InsiderRow,
    insider_row,
    "insider_trades",
    ORDERS,
    InsiderSearch,
    known=_KNOWN,
    names=_NAMES,
)
HOLDING_ROWS = Rows[InsiderRowsReply](
    HOLDINGS,
    StoredInsiderTrade,
    InsiderRow,
    insider_row,
    "insider_holdings",
    HOLDING_ORDERS,
    InsiderSearch,
    known=_KNOWN,
    names=_NAMES,
)
