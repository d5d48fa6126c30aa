"""Alert triggers: what a user wants to be told of when it becomes searchable."""

from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct, structs

from edgar_search.accounts.store import UserItems
from edgar_search.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.query.language import parse
from edgar_search.query.parameters import Filters
from edgar_search.query.watching import WatchParams
from edgar_search.stored.user_item import StoredUserItem

AREA: Literal["alert_triggers"] = "alert_triggers"
ENABLED, DISABLED = "enabled", "disabled"
NOTHING_WATCHED = "query: needed unless filters say what to watch for (cik, ticker, sic, form_type)"


class TriggerFilters(Struct, frozen=True):
    """What filings a trigger is about; an empty filter asks nothing."""

    cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    sic: tuple[str, ...] = ()
    form_type: tuple[str, ...] = ()


class Content(Struct, frozen=True, omit_defaults=True):
    """What is stored of a trigger.

    It sees what becomes searchable after `watching_since`: when it was made, last enabled, or last
    changed in what it matches.
    """

    name: str
    watching_since: datetime
    query: str | None = None
    filters: TriggerFilters = TriggerFilters()
    enabled: bool = True
    last_matched_at: datetime | None = None


class AlertTrigger(Struct):
    """A trigger as users see it."""

    id: str
    name: str
    query: str | None
    filters: TriggerFilters
    enabled: bool
    created_at: datetime
    last_matched_at: datetime | None


class AlertTriggerPage(NamedTuple):
    total: int
    triggers: list[AlertTrigger]


class AlertTriggers:
    """The triggers of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._items = UserItems(engine, AREA, Content, "alert trigger")

    async def page(self, account: str, limit: int, offset: int) -> AlertTriggerPage:
        """A page of an account's triggers, newest first."""
        page = await self._items.page(account, limit, offset)
        return AlertTriggerPage(page.total, [_trigger(item) for item in page.items])

    async def read(self, account: str, trigger_id: str) -> Content:
        """What a trigger is."""
        return (await self._items.read(account, trigger_id)).content

    async def add(self, account: str, fields: dict[str, Any]) -> AlertTrigger:
        """Make a trigger of these fields of `Content`; BadRequest where it watches nothing."""
        content = Content(**fields, watching_since=datetime.now(UTC))
        watch_params(content)
        return _trigger(await self._items.add(account, content, state=_state(content)))

    async def update(self, account: str, trigger_id: str, fields: dict[str, Any]) -> AlertTrigger:
        """Change these fields; BadRequest where nothing would be watched any more."""
        now = datetime.now(UTC)
        item = await self._items.change(
            account, trigger_id, lambda old: changed(old, fields, now), _state
        )
        return _trigger(item)

    async def matched(self, account: str, trigger_id: str, at: datetime) -> None:
        """Note that the trigger matched; NotFound where it was removed meanwhile."""
        await self._items.change(
            account, trigger_id, lambda old: structs.replace(old, last_matched_at=at), _state
        )

    async def remove(self, account: str, trigger_id: str) -> None:
        """Remove a trigger; its notifications stay."""
        await self._items.remove(account, trigger_id)


def watch_params(content: Content) -> WatchParams:
    """What a trigger matches, in the terms of a search.

    Raises QueryError for what is no query, and BadRequest where there is nothing to match.
    """
    filters = content.filters
    if content.query is None and filters == TriggerFilters():
        raise BadRequest(NOTHING_WATCHED)
    return WatchParams(
        query=None if content.query is None else parse(content.query),
        filters=Filters(
            ciks=filters.cik,
            tickers=filters.ticker,
            sics=filters.sic,
            form_types=filters.form_type,
        ),
    )


def changed(old: Content, fields: dict[str, Any], now: datetime) -> Content:
    """A trigger with these fields changed; it begins anew where it may match other things now."""
    new = structs.replace(old, **fields)
    watch_params(new)
    same = (new.query, new.filters) == (old.query, old.filters)
    if same and (old.enabled or not new.enabled):
        return new
    return structs.replace(new, watching_since=now)


def _state(content: Content) -> str:
    return ENABLED if content.enabled else DISABLED


def _trigger(item: StoredUserItem[Any]) -> AlertTrigger:
    content: Content = item.content
    return AlertTrigger(
        id=item.id,
        name=content.name,
        query=content.query,
        filters=content.filters,
        enabled=content.enabled,
        created_at=item.created_at,
        last_matched_at=content.last_matched_at,
    )
