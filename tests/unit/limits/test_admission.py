"""Which of several limits a call is told of."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from edgar_search.access.accounts import Accounts, Plan, Plans
from edgar_search.access.admission import Admission, Call, Caller, CallLimits
from edgar_search.access.call_log import CallLog
from edgar_search.access.quota import Quota
from edgar_search.access.rates import Rates
from edgar_search.access.shares import Shares
from edgar_search.engine.engine import Engine
from edgar_search.errors import QuotaExceeded, RateExceeded
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredApiKey
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio
MADE = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = CallLimits(counts=True)
KEY = StoredApiKey(id="k", name="k", account="alice", prefix="sk_live_abcd", created_at=MADE)


def admission(engine: MemoryEngine) -> Admission:
    like = cast(Engine, engine)
    plans = Plans.from_settings(Settings())
    return Admission(
        Accounts(like, plans),
        Quota(like),
        Rates("memory", "test-"),
        Shares(2),
        CallLog(like, Settings()),
        Settings(),
    )


async def refusals(admission: Admission, plan: Plan, calls: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(calls):
        try:
            await admission.admit(Call[None]("v1/search", LIMITS, Caller("alice", plan, KEY)))
        except (QuotaExceeded, RateExceeded) as error:
            found.append(type(error))
        else:
            found.append(None)
    return found


async def test_used_up_month_is_told_before_a_second() -> None:
    found = await refusals(admission(MemoryEngine()), Plan("p", calls=2, rate=3), 6)
    assert found == [None, None, *[QuotaExceeded] * 4]


async def test_month_of_other_workers_counts_too() -> None:
    engine = MemoryEngine()
    plan = Plan("p", calls=2, rate=1)
    await refusals(admission(engine), Plan("p", calls=2, rate=None), 2)
    late = admission(engine)
    await late.rates.check("alice", plan)
    assert await refusals(late, plan, 1) == [QuotaExceeded]


async def test_second_is_told_while_the_month_has_calls_left() -> None:
    engine = MemoryEngine()
    plan = Plan("p", calls=100, rate=2)
    found = admission(engine)
    assert await refusals(found, plan, 4) == [None, None, RateExceeded, RateExceeded]
    assert await found.quota.used("alice") == 2


async def test_second_is_told_where_nobody_knows_the_month() -> None:
    engine = MemoryEngine()
    plan = Plan("p", calls=100, rate=1)
    found = admission(engine)
    await found.rates.check("alice", plan)
    engine.away = True
    assert await refusals(found, plan, 1) == [RateExceeded]


async def test_second_of_a_plan_without_months_is_told() -> None:
    plan = Plan("p", calls=None, rate=1)
    assert await refusals(admission(MemoryEngine()), plan, 2) == [None, RateExceeded]
