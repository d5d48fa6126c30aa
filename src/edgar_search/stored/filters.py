"""Filters of documents and of rows, by parameter name.

Searches, alert triggers and every interface use these; a trigger stores them as they are.
"""

from datetime import date
from decimal import Decimal
from typing import Literal

from msgspec import Struct

RowsName = Literal["insider_trades", "insider_holdings", "holdings", "stakes", "planned_sales"]


class DocumentFilters(Struct, frozen=True, omit_defaults=True):
    """Filters of documents and their filings; an empty one matches all.

    `edgar_search.search.filters` has the clause of each, and
    `edgar_search.api.parameters.filters` its parameter. Filing dates are not among them, since a
    trigger watches what arrives.
    """

    cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    sic: tuple[str, ...] = ()
    form_type: tuple[str, ...] = ()
    form_family: tuple[str, ...] = ()
    company: str | None = None
    state: tuple[str, ...] = ()
    incorporation_state: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    period_from: date | None = None
    period_to: date | None = None
    fiscal_year: tuple[str, ...] = ()
    document_type: tuple[str, ...] = ()
    primary: bool = False
    original: bool = False
    figures: tuple[str, ...] = ()
    currency: str | None = None


class RowFilters(Struct, frozen=True, omit_defaults=True):
    """Filters of rows; an empty one matches all, and each kind of row supports some of them."""

    issuer_cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    owner_cik: tuple[str, ...] = ()
    owner: str = ""
    role: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    acquired: str = ""
    derivative: bool | None = None
    plan_10b5_1: bool | None = None
    trade_from: date | None = None
    trade_to: date | None = None
    min_value: Decimal | None = None
    max_value: Decimal | None = None
    manager_cik: tuple[str, ...] = ()
    manager: str = ""
    issuer: str = ""
    cusip: tuple[str, ...] = ()
    quarter: tuple[str, ...] = ()
    put_call: str = ""
    person_cik: tuple[str, ...] = ()
    person: str = ""
    seller: str = ""
