"""Alert triggers: what a user wants to be told of when it becomes searchable."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec import Struct, structs

from edgar_search.accounts.bodies import area_body
from edgar_search.accounts.store import UserItems, source
from edgar_search.alerts.arrivals import Arrivals
from edgar_search.alerts.watching import WatchParams
from edgar_search.engine.changes import change_many
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import BadRequest
from edgar_search.search.language import parse
from edgar_search.stored.arrival import Place
from edgar_search.stored.user_item import StoredUserItem
from edgar_search.web.v1.parameters import Filters

AREA: Literal["alert_triggers"] = "alert_triggers"
ENABLED, DISABLED = "enabled", "disabled"
# Triggers read at once.
_PAGE = 1_000
NOTHING_WATCHED = "query: needed unless filters say what to watch for (cik, ticker, sic, form_type)"


class TriggerFilters(Struct, frozen=True):
    """What filings a trigger is about; an empty filter asks nothing."""

    cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    sic: tuple[str, ...] = ()
    form_type: tuple[str, ...] = ()


class Content(Struct, frozen=True, omit_defaults=True):
    """What is stored of a trigger.

    It sees what arrives behind the place `after`, taken at `watching_since`: when it was made, last
    enabled, or last changed in what it matches.
    """

    name: str
    watching_since: datetime
    query: str | None = None
    filters: TriggerFilters = TriggerFilters()
    enabled: bool = True
    last_matched_at: datetime | None = None
    after: Place | None = None

    def sees(self, place: Place) -> bool:
        """Whether what arrived at this place is behind the trigger's own.

        Places of different indices cannot be compared; then nothing is hidden from the trigger.
        """
        after = self.after
        return after is None or after.index != place.index or after.seq_no < place.seq_no


StoredTrigger = Stored[StoredUserItem[Content]]


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
        self._engine = engine
        self._arrivals = Arrivals(engine)
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
        content = structs.replace(content, after=await self._arrivals.place())
        return _trigger(await self._items.add(account, content, state=_state(content)))

    async def update(self, account: str, trigger_id: str, fields: dict[str, Any]) -> AlertTrigger:
        """Change these fields; BadRequest where nothing would be watched any more."""
        # Taken before the write, so that nothing that arrives after it can be missed.
        place = await self._arrivals.place()
        now = datetime.now(UTC)
        item = await self._items.change(
            account, trigger_id, lambda old: changed(old, fields, now, place), _state
        )
        return _trigger(item)

    async def enabled(self) -> list[StoredTrigger]:
        """All enabled triggers of all accounts.

        Every write that was acknowledged before is in it.
        """
        triggers: list[StoredTrigger] = []
        while True:
            last = triggers[-1].source if triggers else None
            body = area_body(AREA, ENABLED, _PAGE, None if last is None else last.id)
            reply = await self._engine.search("user_items", body, StoredTrigger)
            triggers += reply.hits.hits
            if len(reply.hits.hits) < _PAGE:
                return triggers

    async def unchanged(self, triggers: Sequence[StoredTrigger]) -> list[StoredTrigger | None]:
        """Each trigger as it stands now, in real time; None where it matches other things now."""
        keys = [trigger.id for trigger in triggers]
        found = await self._engine.multi_get("user_items", keys, StoredUserItem[Content])
        return [
            new if new.source is not None and _matches_alike(new.source, source(old)) else None
            for old, new in zip(triggers, found, strict=True)
        ]

    async def matched(self, matched: Sequence[tuple[StoredTrigger, datetime]]) -> None:
        """Note when the newest document that each trigger matches arrived."""
        triggers = {stored.id: (stored, at) for stored, at in matched}

        def later(stored: StoredTrigger) -> StoredUserItem[Content] | None:
            item: StoredUserItem[Content] = source(stored)
            at = triggers[stored.id][1]
            last = item.content.last_matched_at
            if last is not None and last >= at:
                return None
            return structs.replace(item, content=_matched(item.content, at))

        async def again(ids: Sequence[str]) -> list[StoredTrigger]:
            # Users have changed some of them meanwhile; theirs stands, and is added to.
            found = await self.unchanged([triggers[key][0] for key in ids])
            return [stored for stored in found if stored is not None]

        write = partial(self._engine.replace_many, "user_items")
        await change_many([stored for stored, _ in matched], later, write, again)

    async def disable(self, trigger: StoredTrigger) -> None:
        """Disable a trigger, unless its user has changed it meanwhile."""
        item = source(trigger)
        content = structs.replace(item.content, enabled=False)
        off = structs.replace(item, content=content, state=DISABLED)
        await self._engine.replace_many("user_items", [(trigger, off)])

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


def changed(old: Content, fields: dict[str, Any], now: datetime, place: Place) -> Content:
    """A trigger with these fields changed; it begins anew where it may match other things now."""
    new = structs.replace(old, **fields)
    watch_params(new)
    same = (new.query, new.filters) == (old.query, old.filters)
    if same and (old.enabled or not new.enabled):
        return new
    return structs.replace(new, watching_since=now, after=place)


def _matched(content: Content, at: datetime) -> Content:
    return structs.replace(content, last_matched_at=at)


def _matches_alike(new: StoredUserItem[Content], old: StoredUserItem[Content]) -> bool:
    """Whether a trigger is still on, and the same in all that decides what it matches."""
    return new.content.enabled and _decisive(new.content) == _decisive(old.content)


def _decisive(content: Content) -> tuple[object, ...]:
    return content.query, content.filters, content.after


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
