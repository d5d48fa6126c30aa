"""Alert triggers: queries and filters for new documents and for their rows."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

from msgspec import structs

from edgar_search.engine.changes import change_many
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import BadRequest, Conflict
from edgar_search.events.log import EventLog
from edgar_search.ownership.row_filters import ROWS, given_filters
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria
from edgar_search.search.language import Node, add_word_forms, parse_query
from edgar_search.search.query.operands import lacking_one
from edgar_search.search.reading.companies import find_names
from edgar_search.search.reading.names import Names
from edgar_search.search.reading.question import PERSON, Question, Reading, read_with_forms
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.user_items import EVENTS, LogPosition, StoredAlertTrigger, StoredUserItem
from edgar_search.user_data.items import Items, UserItems, area_body, source

AREA: Literal["alert_triggers"] = "alert_triggers"
ENABLED, DISABLED = "enabled", "disabled"
# Triggers read in one request.
_PAGE = 1_000
NOTHING_WATCHED = "query: needed if there is no filter, such as cik, ticker, sic or form_type"


AlertTrigger = StoredUserItem[StoredAlertTrigger]
TriggerEntry = Stored[AlertTrigger]


class AlertTriggers:
    """The triggers of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._log = EventLog(engine)
        self._items = UserItems(engine, AREA, StoredAlertTrigger, "alert trigger")

    async def page(self, account: str, limit: int, offset: int) -> Items[StoredAlertTrigger]:
        """Read a page of an account's triggers, newest first."""
        return await self._items.page(account, limit, offset)

    async def read(self, account: str, trigger_id: str) -> StoredAlertTrigger:
        """Read a trigger."""
        return (await self._items.read(account, trigger_id)).content

    async def names(self, account: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of the existing triggers among these ids."""
        triggers = await self._items.existing(account, list(dict.fromkeys(ids)))
        return {item.id: item.content.name for item in triggers}

    async def add(self, account: str, fields: dict[str, Any]) -> AlertTrigger:
        """Create a trigger with these fields; BadRequest if it would match everything."""
        content = StoredAlertTrigger(**fields, watching_since=datetime.now(UTC))
        check_trigger(content)
        content = structs.replace(content, after=await self._position())
        return await self._items.add(account, content, state=_state(content))

    async def update(self, account: str, trigger_id: str, fields: dict[str, Any]) -> AlertTrigger:
        """Change these fields; BadRequest if it would match everything."""
        # Read before the write, so that no arrival after the change is missed.
        position = await self._position()
        now = datetime.now(UTC)
        return await self._items.change(
            account, trigger_id, lambda old: apply_fields(old, fields, now, position), _state
        )

    async def watch_company(self, account: str, cik: str, name: str) -> None:
        """Watch all new filings of a company; does nothing if they are watched already."""
        content = StoredAlertTrigger(
            name,
            datetime.now(UTC),
            filters=DocumentFilters(cik=(cik,)),
            after=await self._position(),
        )
        try:
            await self._items.add(
                account, content, item_id=company_watch(cik), state=_state(content)
            )
        except Conflict:
            fields = dict(zip(_WATCHED, _watch_key(content), strict=True))
            await self.update(account, company_watch(cik), {**fields, "enabled": True})

    async def is_watching(self, account: str, cik: str) -> bool:
        """Return True if the trigger of `watch_company` exists and is unchanged."""
        expected = StoredAlertTrigger("", datetime.now(UTC), filters=DocumentFilters(cik=(cik,)))
        return any(
            item.content.enabled and _watch_key(item.content) == _watch_key(expected)
            for item in await self._items.existing(account, [company_watch(cik)])
        )

    async def _position(self) -> LogPosition:
        return LogPosition(EVENTS, await self._log.mark())

    async def enabled(self) -> list[TriggerEntry]:
        """Read all enabled triggers of all accounts, with every acknowledged change."""
        triggers: list[TriggerEntry] = []
        while True:
            last = triggers[-1].source if triggers else None
            body = area_body(AREA, ENABLED, _PAGE, None if last is None else last.id)
            reply = await self._engine.search("user_items", body, TriggerEntry)
            triggers += reply.hits.hits
            if len(reply.hits.hits) < _PAGE:
                return triggers

    async def unchanged(self, triggers: Sequence[TriggerEntry]) -> list[TriggerEntry | None]:
        """Read each trigger again in real time; None if its query or filters have changed."""
        keys = [trigger.id for trigger in triggers]
        stored = await self._engine.multi_get("user_items", keys, AlertTrigger)
        return [
            new if new.source is not None and _matches_alike(new.source, source(old)) else None
            for old, new in zip(triggers, stored, strict=True)
        ]

    async def matched(self, matched: Sequence[tuple[TriggerEntry, datetime]]) -> None:
        """Store when the newest document arrived that each trigger matched."""
        triggers = {stored.id: (stored, at) for stored, at in matched}

        def later(stored: TriggerEntry) -> StoredUserItem[StoredAlertTrigger] | None:
            item: StoredUserItem[StoredAlertTrigger] = source(stored)
            at = triggers[stored.id][1]
            last = item.content.last_matched_at
            if last is not None and last >= at:
                return None
            content = structs.replace(item.content, last_matched_at=at)
            return structs.replace(item, content=content)

        async def again(ids: Sequence[str]) -> list[TriggerEntry]:
            # If users changed some meanwhile, their version is kept and updated.
            unchanged = await self.unchanged([triggers[key][0] for key in ids])
            return [stored for stored in unchanged if stored is not None]

        write = partial(self._engine.replace_many, "user_items")
        await change_many([stored for stored, _ in matched], later, write, again)

    async def disable(self, trigger: TriggerEntry) -> None:
        """Disable a trigger, unless its user has just changed it."""
        item = source(trigger)
        content = structs.replace(item.content, enabled=False)
        off = structs.replace(item, content=content, state=DISABLED)
        await self._engine.replace_many("user_items", [(trigger, off)])

    async def remove(self, account: str, trigger_id: str) -> None:
        """Remove a trigger; its notifications are kept."""
        await self._items.remove(account, trigger_id)


def company_watch(cik: str) -> str:
    """Return the id of the trigger for all filings of a company, one for each account."""
    return f"company-{cik}"


def check_trigger(content: StoredAlertTrigger) -> None:
    """Raise BadRequest if a trigger is invalid or would match everything.

    Also if its rows do not support one of its filters.
    """
    filters = given_filters(content.row_filters)
    if content.rows is None:
        if filters:
            raise BadRequest(f"`row_filters` need `rows`, one of {', '.join(ROWS)}")
        document_criteria(content)
        return
    if content.query is not None or content.filters != DocumentFilters():
        raise BadRequest("`rows` go with `row_filters` only, not with a query or `filters`")
    supported = ROWS[content.rows].filters
    if not filters:
        raise BadRequest(f"row_filters: needed with rows; known are {', '.join(supported)}")
    for name in filters:
        if name not in supported:
            raise BadRequest(
                f"`{name}` is not a filter of {content.rows}; known are {', '.join(supported)}"
            )


def document_criteria(content: StoredAlertTrigger) -> DocumentCriteria:
    """Convert a trigger to criteria of a search.

    Without a query or a document type, only the first document of a filing matches. Raises
    QueryError for an invalid query, and BadRequest if there is neither query nor filter.
    """
    filters = content.filters
    if content.query is None and filters == DocumentFilters():
        raise BadRequest(NOTHING_WATCHED)
    node, reading = _read_query(content)
    if node is not None and content.operands == "most":
        node = lacking_one(node)
    return DocumentCriteria(
        query=node,
        filings=FilingCriteria(**structs.asdict(filters)),
        all_documents=bool(filters.document_type),
        reading=reading,
    )


def _read_query(content: StoredAlertTrigger) -> tuple[Node | None, Reading | None]:
    if content.query is None:
        return None, None
    if content.reading != PERSON:
        return add_word_forms(parse_query(content.query), content.word_forms), None
    question = Question(content.query, content.word_forms, content.operands == "most")
    return read_with_forms(question, Names(dict(content.names)))


async def named_companies(
    context: SearchContext, query: str | None, reading: str
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the companies that a query names now, if it is read as a question."""
    if query is None or reading != PERSON:
        return ()
    companies = await find_names(context, query)
    return tuple((name, tuple(ciks)) for name, ciks in companies.items())


def apply_fields(
    old: StoredAlertTrigger, fields: dict[str, Any], now: datetime, place: LogPosition
) -> StoredAlertTrigger:
    """Change fields of a trigger; it starts over if its query or filters change."""
    new = structs.replace(old, **fields)
    check_trigger(new)
    same = _watch_key(new) == _watch_key(old)
    if same and (old.enabled or not new.enabled):
        return new
    return structs.replace(new, watching_since=now, after=place)


def _matches_alike(new: AlertTrigger, old: AlertTrigger) -> bool:
    """Return True if a trigger is still enabled with the same query and filters."""
    return new.content.enabled and _matching_fields(new.content) == _matching_fields(old.content)


def _matching_fields(content: StoredAlertTrigger) -> tuple[object, ...]:
    return *_watch_key(content), content.after


_WATCHED = (
    *("query", "word_forms", "filters", "rows", "row_filters"),
    *("reading", "operands", "names"),
)


def _watch_key(content: StoredAlertTrigger) -> tuple[object, ...]:
    return tuple(getattr(content, name) for name in _WATCHED)


def _state(content: StoredAlertTrigger) -> str:
    return ENABLED if content.enabled else DISABLED
