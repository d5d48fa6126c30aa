"""The limit that a call is reported, and the calls that one is charged in the end."""

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
from edgar_search.errors import (
    BadRequest,
    ClientGone,
    EdgarSearchError,
    EngineFault,
    EngineNotReached,
    QuotaExceeded,
    RateExceeded,
    SearchTimedOut,
)
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


def call_of(name: str, limits: CallLimits, caller: Caller) -> Call[None]:
    async def identify() -> Caller:
        return caller

    return Call[None](name, limits, caller, identify)


async def refusals(admission: Admission, plan: Plan, calls: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(calls):
        try:
            await admission.admit(call_of("v1/search", LIMITS, Caller("alice", plan, KEY)))
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


@pytest.mark.parametrize(
    ("status", "error", "charged"),
    [
        (200, None, 5),
        (400, BadRequest("wrong"), 5),
        (499, ClientGone("gone"), 5),
        (503, SearchTimedOut("it took too long"), 5),
        (429, QuotaExceeded("used up", 1), 0),
        (500, EngineFault("a fault"), 0),
        (500, None, 0),
        (503, EngineNotReached("away"), 0),
    ],
)
async def test_call_that_failed_through_no_fault_of_the_caller_costs_nothing(
    status: int, error: EdgarSearchError | None, charged: int
) -> None:
    found = admission(MemoryEngine())
    call = call_of("v1/export", LIMITS, Caller("alice", Plan("p", calls=100, rate=None), KEY))
    await found.admit(call)
    await found.reserve(call, 4)
    assert await found.quota.used("alice") == 5
    found.settle(call, status, error)
    assert await found.quota.used("alice") == charged


async def test_visitors_have_a_rate_each_and_calls_in_common() -> None:
    found = admission(MemoryEngine())
    limits = CallLimits(counts=True, user_rate=lambda settings: 1)
    plan, refused = Plan("p", calls=100, rate=None), []
    for visitor in ("10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2"):
        call = call_of("page/search", limits, Caller("pages", plan, visitor=visitor))
        try:
            await found.admit(call)
        except RateExceeded:
            refused.append(visitor)
    assert refused == ["10.0.0.1"]
    assert await found.quota.used("pages") == 3
