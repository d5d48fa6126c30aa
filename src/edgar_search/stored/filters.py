"""Filters of documents, by parameter name.

Searches, alert triggers and every interface use them; a trigger stores them unchanged.
"""

from datetime import date

from msgspec import Struct


class DocumentFilters(Struct, frozen=True, omit_defaults=True):
    """Filters of documents and their filings; an empty one matches all.

    `edgar_search.search.filters` builds the clause of each, and
    `edgar_search.api.parameters.filters` declares its parameter. Filing dates are not among them,
    since triggers watch new documents.
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
    auditor: tuple[str, ...] = ()
    period_from: date | None = None
    period_to: date | None = None
    fiscal_year: tuple[str, ...] = ()
    document_type: tuple[str, ...] = ()
    primary: bool = False
    original: bool = False
    figures: tuple[str, ...] = ()
    currency: str | None = None
