"""Replies of the user endpoints: what belongs to users as they see it."""

from datetime import datetime

from msgspec import Struct

from edgar_search.stored.alert_trigger import StoredAlertTrigger, TriggerFilters
from edgar_search.stored.notification import DocumentMatch, StoredNotification
from edgar_search.stored.user_item import StoredUserItem


class Filters(Struct):
    cik: tuple[str, ...]
    ticker: tuple[str, ...]
    sic: tuple[str, ...]
    form_type: tuple[str, ...]


class AlertTrigger(Struct):
    id: str
    name: str
    query: str | None
    filters: Filters
    enabled: bool
    created_at: datetime
    last_matched_at: datetime | None


class Item(Struct):
    """A document that a trigger matches."""

    related_company_names: list[str]
    ciks: list[str]
    accnum: str
    filename: str
    filing_date: str
    form_type: str
    snippet: str
    score: float
    document_id: str


class Notification(Struct):
    id: str
    alert_trigger_id: str
    created_at: datetime
    read_at: datetime | None
    document: Item | None
    message: str | None


def alert_trigger(item: StoredUserItem[StoredAlertTrigger]) -> AlertTrigger:
    """An alert trigger."""
    content = item.content
    return AlertTrigger(
        id=item.id,
        name=content.name,
        query=content.query,
        filters=_filters(content.filters),
        enabled=content.enabled,
        created_at=item.created_at,
        last_matched_at=content.last_matched_at,
    )


def notification(item: StoredUserItem[StoredNotification]) -> Notification:
    """A notification."""
    content = item.content
    return Notification(
        id=item.id,
        alert_trigger_id=content.alert_trigger_id,
        created_at=item.created_at,
        read_at=content.read_at,
        document=None if content.document is None else matching_item(content.document),
        message=content.message,
    )


def matching_item(document: DocumentMatch) -> Item:
    """A document that a trigger matches."""
    return Item(
        related_company_names=document.related_company_names,
        ciks=document.ciks,
        accnum=document.accnum,
        filename=document.filename,
        filing_date=document.filing_date,
        form_type=document.form_type,
        snippet=document.snippet,
        score=document.score,
        document_id=document.document_id,
    )


def _filters(filters: TriggerFilters) -> Filters:
    return Filters(filters.cik, filters.ticker, filters.sic, filters.form_type)
