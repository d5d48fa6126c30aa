"""The store of users' items, by area and account.

Every write is visible to the next read by any worker. No concurrent write is lost: a write is based
on the item as it was read, and repeated if another came first.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from edgar_search.engine import changes
from edgar_search.engine.changes import Tries
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import BadRequest, EngineUnavailable, NotFound
from edgar_search.stored.user_items import REMOVED, Area, StoredUserItem, item_key

Clause = dict[str, Any]


def items_body(
    account: str, area: Area, state: str | None, *, offset: int = 0, size: int = 0
) -> Clause:
    """Build the search for an account's items in an area, newest first, without removed ones."""
    clauses: list[Clause] = [{"term": {"account": account}}, {"term": {"area": area}}]
    if state is not None:
        clauses.append({"term": {"state": state}})
    return {
        "query": {"bool": {"filter": clauses, "must_not": [{"term": {"state": REMOVED}}]}},
        "from": offset,
        "size": size,
        "sort": [{"created_at": "desc"}, {"id": "asc"}],
        "track_total_hits": True,
        "seq_no_primary_term": True,
    }


def area_body(area: Area, state: str, size: int, after: str | None) -> Clause:
    """Build the search for items of all accounts in an area and state, by id, after `after`."""
    clauses: list[Clause] = [{"term": {"area": area}}, {"term": {"state": state}}]
    body: Clause = {
        "query": {"bool": {"filter": clauses}},
        "size": size,
        "sort": [{"id": "asc"}],
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }
    return body if after is None else {**body, "search_after": [after]}


def calls_body(
    account: str,
    after: datetime | None,
    until: datetime | None,
    endpoint: str | None,
    *,
    offset: int = 0,
    size: int = 0,
) -> Clause:
    """Build the search for an account's calls after `after` and up to `until`, newest first."""
    clauses: list[Clause] = [{"term": {"account": account}}]
    bounds = {"gt": after, "lte": until}
    moments = {name: _format_time(moment) for name, moment in bounds.items() if moment}
    if moments:
        clauses.append({"range": {"at": moments}})
    if endpoint is not None:
        clauses.append({"term": {"endpoint": endpoint}})
    return {
        "query": {"bool": {"filter": clauses}},
        "from": offset,
        "size": size,
        "sort": [{"at": "desc"}, {"id": "desc"}],
        "track_total_hits": True,
    }


def days_body(account: str, since: datetime) -> Clause:
    """Build the search that counts an account's calls by day (UTC) since a moment."""
    days = {"field": "at", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    filters = [{"term": {"account": account}}, {"range": {"at": {"gte": _format_time(since)}}}]
    return {
        "query": {"bool": {"filter": filters}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"days": {"date_histogram": {**days, "min_doc_count": 1}}},
    }


def _format_time(moment: datetime) -> str:
    # In milliseconds, the only precision that the mapping accepts.
    return moment.isoformat(timespec="milliseconds")


def filing_body(accession_number: str) -> Clause:
    """Build the search for a filing by accession number, with the ids of its documents."""
    return {
        "query": {"ids": {"values": [accession_number]}},
        "size": 1,
        "_source": ["documents.document_id"],
    }


def filings_of_body(cik: str) -> Clause:
    """Build the search for a filing of the entity with this CIK."""
    query = {"bool": {"filter": [{"term": {"ciks": cik}}]}}
    return {"query": query, "size": 1, "terminate_after": 1, "_source": ["documents.document_id"]}


C = TypeVar("C")

# Enough for a person, and few enough for a list's pages to reach all of them.
MAX_ITEMS = 10_000
# Attempts of a write that others overtake, and the longest wait between them in seconds: among
# fifty concurrent writers, the last one may need as many.
TRIES = Tries(100, 0.05, "too many requests are changing this item at once; try again later")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Items(NamedTuple, Generic[C]):
    """A page of items, newest first; `total` counts all."""

    total: int
    items: list[StoredUserItem[C]]


class UserItems(Generic[C]):
    """The items of one area, whose content has the type `content`; messages call one a `thing`.

    Methods that take an id raise NotFound, always with the same message, if it is unknown,
    malformed, removed or another account's.
    """

    def __init__(self, engine: Engine, area: Area, content: type[C], thing: str) -> None:
        self._engine = engine
        self._area: Area = area
        item = StoredUserItem[content]  # type: ignore[valid-type]
        self._type: Any = item
        self._hit: Any = Stored[item]
        self._not_found = f"no {thing} has this id"

    async def page(
        self, account: str, limit: int, offset: int = 0, state: str | None = None
    ) -> Items[C]:
        """Read a page of an account's items, in any state or in one."""
        body = items_body(account, self._area, state, offset=offset, size=limit)
        reply = await self._engine.search("user_items", body, self._hit)
        return Items(reply.total, [source(hit) for hit in reply.hits.hits])

    async def read(self, account: str, item_id: str) -> StoredUserItem[C]:
        """Read an item by its id, in real time."""
        (stored,) = await self.stored(account, [item_id])
        item: StoredUserItem[C] = source(stored)
        return item

    async def add(
        self,
        account: str,
        content: C,
        *,
        item_id: str | None = None,
        state: str | None = None,
        most: int | None = MAX_ITEMS,
    ) -> StoredUserItem[C]:
        """Add an item, under the given id or an unguessable new one.

        Raises Conflict if the id is taken, or was removed for good, and BadRequest if the account
        already has `most` items.
        """
        # Concurrent writers may exceed it a little: it is only a defence against floods.
        if most is not None and (await self.page(account, 0)).total >= most:
            raise BadRequest(f"{self._area}: this account already has {most}; remove one first")
        item_id = item_id or secrets.token_hex(12)
        item = StoredUserItem(account, self._area, item_id, datetime.now(UTC), content, state)
        await self._engine.create("user_items", item_key(account, self._area, item_id), item)
        return item

    async def change(
        self,
        account: str,
        item_id: str,
        change: Callable[[C], C],
        state_of: Callable[[C], str | None] = lambda content: None,
    ) -> StoredUserItem[C]:
        """Change the content of an item, and its state to match.

        `change` may be called several times, and may raise.
        """

        def changed(before: StoredUserItem[C] | None) -> StoredUserItem[C]:
            item = self._require_item(before)
            content = change(item.content)
            return msgspec.structs.replace(item, content=content, state=state_of(content))

        (key,) = self._keys(account, [item_id])
        result = await changes.change(self._engine, "user_items", key, self._type, changed, TRIES)
        changed_item: StoredUserItem[C] | None = result.after
        assert changed_item is not None
        return changed_item

    async def remove(self, account: str, item_id: str) -> None:
        """Delete an item, which may be added again later."""

        async def once() -> None:
            (stored,) = await self.stored(account, [item_id])
            await self._engine.delete("user_items", stored)

        await changes.retry_on_conflict(once, TRIES)

    async def stored(self, account: str, item_ids: Sequence[str]) -> list[Stored[Any]]:
        """Read stored items by id, in the given order and in real time."""
        keys = self._keys(account, item_ids)
        documents: list[Stored[Any]] = await self._engine.multi_get("user_items", keys, self._type)
        for stored in documents:
            self._require_item(stored.source)
        return documents

    async def existing(self, account: str, item_ids: Sequence[str]) -> list[StoredUserItem[C]]:
        """Read those items that exist, by id, in the given order and in real time."""
        keys = self._keys(account, item_ids)
        documents: list[Stored[Any]] = await self._engine.multi_get("user_items", keys, self._type)
        return [
            document.source
            for document in documents
            if document.source and document.source.state != REMOVED
        ]

    async def stored_page(self, account: str, state: str, size: int) -> list[Stored[Any]]:
        """Read up to `size` stored items in a state, as of the last refresh."""
        body = items_body(account, self._area, state, size=size)
        reply = await self._engine.search("user_items", body, self._hit)
        hits: list[Stored[Any]] = reply.hits.hits
        return hits

    async def change_all(
        self,
        select: Callable[[], Awaitable[list[Stored[Any]]]],
        change: Callable[[C], C],
        state: str,
    ) -> int:
        """Change all items that `select` returns, until it returns none; return how many.

        It must not select items that are in the new state.
        """
        changed = lost = 0
        while selected := await select():
            replacements = [
                (stored, msgspec.structs.replace(item, content=change(item.content), state=state))
                for stored in selected
                for item in [source(stored)]
            ]
            overtaken = await self._engine.replace_many("user_items", replacements)
            changed += len(selected) - len(overtaken)
            lost += len(overtaken) == len(selected)
            if lost > TRIES.most:
                raise EngineUnavailable(TRIES.refusal)
        return changed

    def _keys(self, account: str, item_ids: Sequence[str]) -> list[str]:
        """Return the stored keys of items with these ids; NotFound for a malformed id."""
        if not all(_ID.fullmatch(item_id) for item_id in item_ids):
            raise NotFound(self._not_found)
        return [item_key(account, self._area, item_id) for item_id in item_ids]

    def _require_item(self, item: StoredUserItem[C] | None) -> StoredUserItem[C]:
        """Return the item; NotFound if it does not exist or was removed."""
        if item is None or item.state == REMOVED:
            raise NotFound(self._not_found)
        return item


def source(stored: Stored[Any]) -> Any:
    """Return the item in a stored document, which must have one."""
    assert stored.source is not None
    return stored.source
