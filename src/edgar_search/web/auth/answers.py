"""Replies of the user endpoints: what belongs to users as they see it."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from msgspec import UNSET, Struct, UnsetType, defstruct, structs

from edgar_search.access.api_keys import SCOPES, NewKey, ends_at
from edgar_search.stored.accounts import StoredApiKey, StoredCall
from edgar_search.stored.user_items import (
    DocumentMatch,
    StoredAlertTrigger,
    StoredFavorite,
    StoredNotification,
    StoredSavedLink,
    StoredUserItem,
    TriggerFilters,
)


class Favorite(Struct):
    id: str
    type: str
    target_id: str
    label: str | None
    created_at: datetime


class SavedLink(Struct):
    id: str
    url: str
    title: str | None
    note: str | None
    tags: list[str]
    created_at: datetime
    updated_at: datetime


class Call(Struct):
    """A data call; `result_count` is null if it failed."""

    id: str
    at: datetime
    endpoint: str
    parameters: dict[str, list[str]]
    status: int
    result_count: int | None
    duration_ms: float
    key_prefix: str


class Key(Struct):
    """An API key; `prefix` is its visible beginning."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class FullKey(Key):
    """A key just made: the only time that the key itself is shown."""

    key: str


class Filters(Struct):
    cik: tuple[str, ...]
    ticker: tuple[str, ...]
    sic: tuple[str, ...]
    form_type: tuple[str, ...]


class AlertTrigger(Struct):
    id: str
    name: str
    query: str | None
    word_forms: str
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
    """`withdrawn` is there if EDGAR has removed the filing since: since when."""

    id: str
    alert_trigger_id: str
    created_at: datetime
    read_at: datetime | None
    document: Item | None
    message: str | None
    withdrawn: str | UnsetType = UNSET


class Changed(Struct):
    """The number of things that were changed."""

    changed: int


class Day(Struct):
    """A day (UTC), as `YYYY-MM-DD`, and the number of documents of that day."""

    date: str
    count: int


class TriggerTest(Struct):
    """Items that would have matched, newest first; `days` has every day of the time."""

    items: list[Item]
    total_count: int
    days: list[Day]


class CallsOfMonth(Struct):
    """`limit` and `remaining` are null if the plan has no limit."""

    limit: int | None
    used: int
    remaining: int | None


class Rate(Struct):
    """Calls in a window of `window_seconds`; a null `limit` is none."""

    limit: int | None
    window_seconds: int


class UsageLimits(Struct):
    """Calls of an account in a calendar month (UTC); the next one begins at `period_end`."""

    plan: str
    period_start: datetime
    period_end: datetime
    calls: CallsOfMonth
    rate: Rate


class Subscription(Struct):
    plan: str
    since: datetime
    status: str


class PlanOffer(Struct):
    """Calls a month and a second, and searches at once in a worker; null is without limit."""

    name: str
    calls: int | None
    rate: int | None
    searches: int | None
    can_change_to: bool


def list_of(area: str, item: type[Struct]) -> type[Struct]:
    """The type of a page of a list, whose name is the area's, with how many there are."""
    fields: list[tuple[str, Any]] = [("items", list[item]), ("total_count", int)]  # type: ignore[valid-type]
    return defstruct(f"{item.__name__}List", fields, rename={"items": area})


def favorite(item: StoredUserItem[StoredFavorite]) -> Favorite:
    """A favorite."""
    content = item.content
    return Favorite(item.id, content.type, content.target_id, content.label, item.created_at)


def saved_link(item: StoredUserItem[StoredSavedLink]) -> SavedLink:
    """A saved link; one never changed was updated when it was made."""
    content = item.content
    return SavedLink(
        id=item.id,
        url=content.url,
        title=content.title,
        note=content.note,
        tags=content.tags,
        created_at=item.created_at,
        updated_at=content.updated_at or item.created_at,
    )


def call(stored: StoredCall) -> Call:
    """A data call."""
    return Call(
        id=stored.id,
        at=stored.at,
        endpoint=stored.endpoint,
        parameters=stored.parameters,
        status=stored.status,
        result_count=stored.result_count,
        duration_ms=stored.duration_ms,
        key_prefix=stored.key_prefix,
    )


def key(stored: StoredApiKey) -> Key:
    """An API key; one without scopes of its own has all."""
    return Key(
        id=stored.id,
        name=stored.name,
        prefix=stored.prefix,
        scopes=stored.scopes or list(SCOPES),
        created_at=stored.created_at,
        expires_at=ends_at(stored),
        last_used_at=stored.last_used_at,
        revoked_at=stored.revoked_at,
    )


def full_key(new: NewKey) -> FullKey:
    """An API key just made."""
    return FullKey(**structs.asdict(key(new.stored)), key=new.key)


def alert_trigger(item: StoredUserItem[StoredAlertTrigger]) -> AlertTrigger:
    """An alert trigger."""
    content = item.content
    return AlertTrigger(
        id=item.id,
        name=content.name,
        query=content.query,
        word_forms=content.word_forms,
        filters=_filters(content.filters),
        enabled=content.enabled,
        created_at=item.created_at,
        last_matched_at=content.last_matched_at,
    )


def notification(
    item: StoredUserItem[StoredNotification], withdrawn: Mapping[str, str] = MappingProxyType({})
) -> Notification:
    """A notification; `withdrawn` says since when filings are, by their accession number."""
    content = item.content
    number = content.document.accnum if content.document else ""
    return Notification(
        id=item.id,
        alert_trigger_id=content.alert_trigger_id,
        created_at=item.created_at,
        read_at=content.read_at,
        document=None if content.document is None else matching_item(content.document),
        message=content.message,
        withdrawn=withdrawn.get(number, UNSET),
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
