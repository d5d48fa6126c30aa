"""Planned sales: securities to be sold according to Form 144."""

from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.cursor import WALK_RULES
from edgar_search.api.parameters.declaration import API_KEY, Endpoint
from edgar_search.api.parameters.row_filters import ROW_FILTERS
from edgar_search.api.rows import (
    OF_ROWS,
    Counted,
    Entity,
    RowPlace,
    Rows,
    sort_parameter,
)
from edgar_search.search.rows import RowOrder
from edgar_search.stored.ownership import PastSale, StoredPlannedSale

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "largest": RowOrder("value", "desc"),
}


class Sold(Struct, rename={"security_class": "class", "sale_date": "date"}):
    """A sale in the past three months."""

    seller: str | None
    security_class: str | None
    sale_date: date | None
    shares: Decimal | None
    proceeds: Decimal | None


class PlannedSale(Struct, rename={"security_class": "class", "sale_date": "date"}):
    """Securities to be sold by one broker; `date` is the approximate date of the sale.

    `plan_dates` are days on which plans under Rule 10b5-1 were adopted. `amends` is the accession
    number of the notice before it. `not_read` names the fields whose value could not be read.
    """

    accnum: str
    form_type: str
    filing_date: date
    issuer: Entity
    seller: str | None
    relationship: list[str]
    security_class: str | None
    shares: Decimal | None
    value: Decimal | None
    outstanding: Decimal | None
    sale_date: date | None
    broker: str | None
    exchange: str | None
    past_sales: list[Sold]
    plan_dates: list[date]
    amends: str | None
    place: RowPlace
    not_read: list[str]


class PlannedSalesReply(Counted):
    """Rows of a page; `next_cursor` is set on a walk by cursor, null at its end."""

    items: list[PlannedSale]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


PLANNED_SALES = Endpoint(
    "/v1/planned_sales",
    "finds securities that insiders plan to sell, by Form 144",
    (
        API_KEY,
        *ROW_FILTERS["planned_sales"],
        sort_parameter(
            "by filing date, or by market value; rows without a value come last", ORDERS
        ),
        *OF_ROWS,
    ),
    credential="key",
    answer=PlannedSalesReply,
    rules=WALK_RULES,
)


def sale_row(stored: StoredPlannedSale) -> PlannedSale:
    """Build the answer's item for a stored row."""
    return PlannedSale(
        accnum=stored.accession_number,
        form_type=stored.form_type,
        filing_date=stored.filing_date,
        issuer=Entity(stored.issuer_cik, stored.issuer_name),
        seller=stored.seller,
        relationship=stored.relationships,
        security_class=stored.security_class,
        shares=stored.shares,
        value=stored.value,
        outstanding=stored.outstanding,
        sale_date=stored.sale_date,
        broker=stored.broker,
        exchange=stored.exchange,
        past_sales=list(map(_sold_answer, stored.past_sales)),
        plan_dates=stored.plan_dates,
        amends=stored.amends,
        place=RowPlace(stored.document_id, stored.start, stored.end),
        not_read=stored.not_read,
    )


def _sold_answer(sale: PastSale) -> Sold:
    return Sold(sale.seller, sale.security_class, sale.sale_date, sale.shares, sale.proceeds)


SALE_ROWS = Rows[PlannedSalesReply](
    PLANNED_SALES,
    StoredPlannedSale,
    PlannedSale,
    sale_row,
    "planned_sales",
    ORDERS,
    known={"issuer_cik": "issuer_cik"},
    names={"seller": "seller"},
)
