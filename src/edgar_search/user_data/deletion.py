"""The deletion of an account: everything stored under its name is deleted and counted.

Nothing is kept, not even the name or the usage. A worker may accept a deleted key for a few seconds
more, and a user with a valid bearer token may come back: a second deletion removes what they store.
"""

from typing import Any, NamedTuple

from msgspec import Struct

from edgar_search.access.quota import LEASE_SECONDS
from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.freshness import MAX_AGE
from edgar_search.engine.index_names import Kind
from edgar_search.engine.targets import Point
from edgar_search.stored.installation import StoredSnapshot
from edgar_search.stored.user_items import Area

# For this long after an account's keys are deleted, its calls may still be admitted and recorded,
# and their leases returned.
SETTLED_SECONDS = MAX_AGE + LEASE_SECONDS + 3.0
# More snapshots than an account may have open.
_SNAPSHOTS = 1_000


class Part(NamedTuple):
    """Entries that belong to an account: all of a kind, or one area of it.

    `secrets` are fields that let someone in, here or at the issuer, which exports leave out.
    """

    name: str
    kind: Kind
    area: Area | None = None
    secrets: tuple[str, ...] = ()

    def query(self, account: str) -> dict[str, Any]:
        """Build the query for the entries of an account."""
        clauses = [{"term": {"id" if self.kind == "accounts" else "account": account}}]
        if self.area is not None:
            clauses.append({"term": {"area": self.area}})
        return {"bool": {"filter": clauses}}


# In the order of deletion: first everything that lets a user in.
PARTS = (
    Part("API keys", "api_keys"),
    Part("sessions", "sessions", secrets=("pending", "issuer_session", "id_token")),
    Part("webhooks", "user_items", "webhooks", secrets=("content.secrets",)),
    Part("mail address", "user_items", "mailboxes"),
    Part("deliveries", "deliveries"),
    Part("alert triggers", "user_items", "alert_triggers"),
    Part("notifications", "user_items", "notifications"),
    Part("events of alerts", "events"),
    Part("favorites", "user_items", "favorites"),
    Part("saved links", "user_items", "saved-links"),
    Part("calls in the history", "history"),
    Part("open snapshots", "snapshots", secrets=("points",)),
    Part("months of usage", "usage"),
    Part("record of the account", "accounts"),
)


async def belongings(engine: Engine, account: str) -> dict[str, int]:
    """Count the entries of an account by part, leaving out empty parts."""
    counts = {}
    for part in PARTS:
        await engine.refresh(part.kind)
        body = {"query": part.query(account), "size": 0, "track_total_hits": True}
        counts[part.name] = (await engine.search(part.kind, body, Struct)).total
    return {name: count for name, count in counts.items() if count}


async def delete_belongings(engine: Engine, account: str) -> dict[str, int]:
    """Delete all entries of an account; return how many of each part.

    If it is interrupted, the next deletion finds the rest.
    """
    await _close_points(engine, account)
    counts = {
        part.name: await engine.delete_where(part.kind, part.query(account)) for part in PARTS
    }
    return {name: count for name, count in counts.items() if count}


async def _close_points(engine: Engine, account: str) -> None:
    """Close the points in time of the account's snapshots."""
    body = {
        "query": {"bool": {"filter": [{"term": {"account": account}}]}},
        "size": _SNAPSHOTS,
        "track_total_hits": False,
    }
    response = await engine.search("snapshots", body, Stored[StoredSnapshot])
    for stored in response.hits.hits:
        for point in stored.source.points.values() if stored.source else ():
            await engine.close_point(Point(point, 0))
