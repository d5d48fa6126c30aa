"""The calls that the history asks for."""

from datetime import UTC, date, datetime
from typing import Any, cast

import pytest

from edgar_search.access.accounts import Accounts
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Hits, SearchReply, ShardCounts, Total
from edgar_search.stored.accounts import StoredAccount
from edgar_search.user_data.history import CallFilters, History

pytestmark = pytest.mark.anyio
MADE = datetime(2026, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Remembering:
    """The engine, the accounts and the worker's unwritten calls, as the history needs them."""

    def __init__(self, cleared_at: datetime | None) -> None:
        self.account = StoredAccount("alice", "free", MADE, MADE, history_cleared_at=cleared_at)
        self.bounds: list[Any] = []

    async def read(self, account: str) -> StoredAccount:
        return self.account

    async def show(self) -> None:
        pass

    async def search(self, kind: str, body: dict[str, Any], hit: Any) -> SearchReply[Any]:
        clauses = body["query"]["bool"]["filter"]
        self.bounds = [clause["range"]["at"] for clause in clauses if "range" in clause]
        return SearchReply(False, ShardCounts(1, 0), Hits([], Total(0, "eq")))


@pytest.mark.parametrize(
    ("cleared_at", "first", "last", "bounds"),
    [
        (None, None, None, []),
        (None, date.min, date.max, []),
        (
            None,
            date(2026, 11, 20),
            date(2026, 11, 20),
            [{"gt": "2026-11-19T23:59:59.999+00:00", "lte": "2026-11-20T23:59:59.999+00:00"}],
        ),
        (NOON, None, None, [{"gt": "2026-11-20T12:00:00.000+00:00"}]),
        (NOON, date.min, None, [{"gt": "2026-11-20T12:00:00.000+00:00"}]),
        (NOON, date(2026, 11, 1), None, [{"gt": "2026-11-20T12:00:00.000+00:00"}]),
        (NOON, date(2026, 11, 21), None, [{"gt": "2026-11-20T23:59:59.999+00:00"}]),
    ],
)
async def test_calls_are_those_of_the_days_that_were_not_cleared(
    cleared_at: datetime | None, first: date | None, last: date | None, bounds: list[Any]
) -> None:
    fake = Remembering(cleared_at)
    history = History(cast(Engine, fake), cast(Accounts, fake), fake.show)
    await history.page("alice", CallFilters(first, last), 50, 0)
    assert fake.bounds == bounds
