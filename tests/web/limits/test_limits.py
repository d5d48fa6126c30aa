"""Refusals of a data call before its parameters are read, its cost, its headers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

from edgar_search.access.api_keys import key_hash, new_key
from edgar_search.access.quota import month_at
from edgar_search.access.tokens.local_issuer import LocalIssuer
from tests.support.waiting import until
from tests.web.canned import KEY, search_reply, stored_key
from tests.web.conftest import RateClock, serving
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
HASH = key_hash(KEY)
ACCOUNT = "account-of-0123"
OTHER_KEY = new_key()
NO_ACCESS = {"error": "the API key has no access to this endpoint", "status": 403}
GOOD = {"/v1/lookup": "sic=1", "/v1/search": "query=a"}
WEEK = timedelta(days=7)
MONTH = month_at(datetime.now(UTC))
SECONDS = int((MONTH.end - MONTH.start).total_seconds())


class Case(NamedTuple):
    """The state of a key and account, and what a call gets."""

    name: str
    key: dict[str, Any]
    target: str
    status: int
    body: dict[str, Any] | None


def expiring(after: timedelta) -> dict[str, Any]:
    return {"expires_at": (datetime.now(UTC) + after).isoformat()}


INVALID = {"error": "Invalid API key", "status": 401}
CASES = [
    Case("all scopes", {}, "/v1/lookup?sic=1", 200, None),
    Case("its scope", {"scopes": ["v1/search"]}, "/v1/search?query=a", 200, None),
    Case("another scope", {"scopes": ["v1/search"]}, "/v1/lookup?sic=1", 403, NO_ACCESS),
    Case("403 before 400", {"scopes": ["v1/lookup"]}, "/v1/search?limit=x", 403, NO_ACCESS),
    Case("not yet expired", expiring(WEEK), "/v1/lookup?sic=1", 200, None),
    Case("expired", expiring(-WEEK), "/v1/lookup?sic=1", 401, INVALID),
    Case(
        "401 before 403", {**expiring(-WEEK), "scopes": ["v1/search"]}, "/v1/lookup", 401, INVALID
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_key(client: httpx.AsyncClient, stub: StubEngine, case: Case) -> None:
    stub.keys[HASH] = stored_key(KEY, **case.key)
    reply = await client.get(case.target, headers=AUTH)
    assert reply.status_code == case.status
    assert case.body is None or reply.json() == case.body


@pytest.mark.parametrize("path", GOOD)
async def test_calls_beyond_the_quota_are_refused_before_their_parameters_are_read(
    stub: StubEngine, path: str
) -> None:
    async with serving(stub.url, plans="two=2/-", default_plan="two") as client:
        replies = [await client.get(f"{path}?nonsense=1", headers=AUTH) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [400, 400, 429]
    refused = replies[-1]
    assert refused.json() == {
        "error": "the 2 calls of this month are used up; try again later, after"
        f" {MONTH.end:%Y-%m-%d} 00:00 UTC, or change the plan"
    }
    wait = int(refused.headers["retry-after"])
    assert 0 < wait <= SECONDS
    assert refused.headers["ratelimit-policy"] == f'"month";q=2;w={SECONDS}'
    assert refused.headers["ratelimit"] == f'"month";r=0;t={wait}'


@pytest.mark.usefixtures("rate_clock")
@pytest.mark.parametrize("path", GOOD)
async def test_calls_beyond_the_rate_are_refused_for_a_second(stub: StubEngine, path: str) -> None:
    async with serving(stub.url, plans="one=-/1", default_plan="one") as client:
        replies = [await client.get(f"{path}?{GOOD[path]}", headers=AUTH) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 429]
    assert replies[1].json() == {"error": "more than 1 calls a second; try again later, after 1 s"}
    assert replies[1].headers["retry-after"] == "1"
    assert replies[1].headers["ratelimit"] == '"second";r=0;t=1'


async def test_success_says_what_is_left(stub: StubEngine) -> None:
    async with serving(stub.url, plans="both=50/7", default_plan="both") as client:
        replies = [await client.get("/v1/lookup?sic=1", headers=AUTH) for _ in range(3)]
    left = [reply.headers["ratelimit"].split(";")[:2] for reply in replies]
    assert left == [['"month"', "r=49"], ['"month"', "r=48"], ['"month"', "r=47"]]
    policy = f'"month";q=50;w={SECONDS}, "second";q=7;w=1'
    assert {reply.headers["ratelimit-policy"] for reply in replies} == {policy}


async def test_plan_without_limits_has_no_such_headers(client: httpx.AsyncClient) -> None:
    reply = await client.get("/v1/lookup?sic=1", headers=AUTH)
    assert [name for name in reply.headers if name.startswith("ratelimit")] == []


@pytest.mark.parametrize(
    ("target", "headers", "fault", "status"),
    [
        ("/v1/lookup?sic=1", {}, None, 401),
        ("/v1/lookup?sic=1", AUTH, Reply(503), 503),
        ("/v1/lookup?sic=1", AUTH, Reply(400), 500),
        ("/health/live", AUTH, None, 200),
        ("/nowhere", AUTH, None, 404),
    ],
)
async def test_what_does_not_count(
    stub: StubEngine, target: str, headers: dict[str, str], fault: Reply | None, status: int
) -> None:
    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        if fault is not None:
            stub.faults["filings/_search"] = fault
        for _ in range(3):
            assert (await client.get(target, headers=headers)).status_code == status
        stub.faults.clear()
        assert (await client.get("/v1/lookup?sic=1", headers=AUTH)).status_code == 200


def slow_lookups(stub: StubEngine, seconds: float) -> None:
    body = msgspec.json.encode(stub.searches["filings"])
    stub.faults["filings/_search"] = Reply(200, body, delay=seconds)


async def test_search_that_the_engine_gives_up_counts(stub: StubEngine) -> None:
    late = {**stub.searches["filings"], "timed_out": True}
    stub.faults["filings/_search"] = Reply(200, msgspec.json.encode(late))
    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        gave_up = await client.get("/v1/lookup?sic=1", headers=AUTH)
        after = await client.get("/v1/lookup?sic=1", headers=AUTH)
    assert [gave_up.status_code, after.status_code] == [503, 429]


async def is_asked(stub: StubEngine, operation: str) -> bool:
    return operation in stub.operations()


async def test_calls_at_once_are_bounded_for_each_account(stub: StubEngine) -> None:
    stub.keys[key_hash(OTHER_KEY)] = stored_key(OTHER_KEY)
    slow_lookups(stub, 2.0)
    async with serving(stub.url, searches=3, plans="one=-/-/1", default_plan="one") as client:
        first = [client.get("/v1/lookup?sic=1&limit=1", headers=AUTH) for _ in range(6)]
        under_way = [asyncio.create_task(call) for call in first]
        await until(partial(is_asked, stub, "filings/_search"))
        await asyncio.sleep(0.3)
        stub.faults.clear()
        other = await client.get("/v1/lookup?sic=1&limit=1", headers={"X-API-Key": OTHER_KEY})
        assert other.status_code == 200
        replies = await asyncio.gather(*under_way)
    refused = [reply for reply in replies if reply.status_code == 503]
    assert [reply.status_code for reply in replies].count(200) == 1
    assert {reply.headers["Retry-After"] for reply in refused} == {"1"}
    assert {reply.json()["error"].partition(";")[0] for reply in refused} == {
        "too many searches at once"
    }


async def test_refusal_for_want_of_room_does_not_count(stub: StubEngine) -> None:
    slow_lookups(stub, 1.5)
    async with serving(stub.url, plans="two=2/-/1", default_plan="two") as client:
        calls = [client.get("/v1/lookup?sic=1", headers=AUTH) for _ in range(2)]
        statuses = sorted(reply.status_code for reply in await asyncio.gather(*calls))
        stub.faults.clear()
        after = [await client.get("/v1/lookup?sic=1", headers=AUTH) for _ in range(2)]
    assert [*statuses, *(reply.status_code for reply in after)] == [200, 503, 200, 429]


@pytest.mark.parametrize("target", ["/v1/lookup?sic=1", "/v1/lookup", "/v1/lookup?sic=1&limit=0"])
async def test_what_counts(stub: StubEngine, target: str) -> None:
    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        await client.get(target, headers=AUTH)
        assert (await client.get("/v1/lookup?sic=1", headers=AUTH)).status_code == 429


async def test_117_keys_of_an_account_share_its_quota(stub: StubEngine) -> None:
    stub.keys[key_hash(OTHER_KEY)] = stored_key(OTHER_KEY, account=ACCOUNT)
    async with serving(stub.url, plans="two=2/-", default_plan="two") as client:
        replies = [
            await client.get("/v1/lookup?sic=1", headers={"X-API-Key": key})
            for key in (KEY, OTHER_KEY, OTHER_KEY, KEY)
        ]
    assert [reply.status_code for reply in replies] == [200, 200, 429, 429]


async def test_117_accounts_have_quotas_of_their_own(stub: StubEngine) -> None:
    stub.keys[key_hash(OTHER_KEY)] = stored_key(OTHER_KEY)
    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        replies = [
            await client.get("/v1/lookup?sic=1", headers={"X-API-Key": key})
            for key in (KEY, OTHER_KEY, KEY)
        ]
    assert [reply.status_code for reply in replies] == [200, 200, 429]


async def test_122_call_beyond_the_rate_does_not_count_against_the_month(
    stub: StubEngine, rate_clock: RateClock
) -> None:
    async with serving(stub.url, plans="two=2/1", default_plan="two") as client:
        statuses = [
            (await client.get("/v1/lookup?sic=1", headers=AUTH)).status_code for _ in range(3)
        ]
        rate_clock.now += 2
        last = await client.get("/v1/lookup?sic=1", headers=AUTH)
    assert [*statuses, last.status_code] == [200, 429, 429, 200]


@pytest.mark.usefixtures("rate_clock")
async def test_page_beyond_the_rate_is_told_of_a_month_that_is_used_up(stub: StubEngine) -> None:
    stub.searches["sections"] = search_reply([])
    settings = {"pages": "open", "pages_plan": "one", "plans": "one=1/1"}
    async with serving(stub.url, **settings) as client:
        pages = [await client.get("/filing/0000320193-24-000001") for _ in range(2)]
    assert [page.status_code for page in pages] == [200, 429]
    assert "the 1 calls of this month are used up" in pages[1].text
    assert '<a href="/account/usage">Your plan and its calls this month</a>' in pages[1].text


async def test_147_call_without_the_scope_counts_against_nothing(stub: StubEngine) -> None:
    stub.keys[HASH] = stored_key(KEY, scopes=["v1/lookup"])
    async with serving(stub.url, plans="one=1/1", default_plan="one") as client:
        refused = [(await client.get("/v1/search", headers=AUTH)).status_code for _ in range(3)]
        first = await client.get("/v1/lookup?sic=1", headers=AUTH)
    assert [*refused, first.status_code] == [403, 403, 403, 200]


async def test_call_that_met_a_fault_of_the_code_does_not_count_and_is_kept(
    stub: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("made up")

    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        with monkeypatch.context() as patch:
            patch.setattr("edgar_search.api.search.search_reply", fail)
            assert (await client.get("/v1/search?query=a", headers=AUTH)).status_code == 500
        assert (await client.get("/v1/search?query=a", headers=AUTH)).status_code == 200
    assert [call["status"] for call in stub.calls] == [500, 200]


async def test_plan_of_the_account_counts(stub: StubEngine) -> None:
    moment = "2026-01-01T00:00:00Z"
    account = {"id": ACCOUNT, "plan": "one", "created_at": moment, "plan_since": moment}
    stub.stored["accounts", ACCOUNT] = account, 0
    async with serving(stub.url, plans="one=1/-") as client:
        replies = [await client.get("/v1/lookup?sic=1", headers=AUTH) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 429]


async def test_every_call_of_a_key_is_in_the_history(stub: StubEngine) -> None:
    stub.keys[HASH] = stored_key(KEY, scopes=["v1/search"])
    async with serving(stub.url) as client:
        await client.get("/v1/search?query=a&cik=1,2&cik=3", headers=AUTH)
        await client.get(f"/v1/search?query=a&limit=x&api_key={KEY}")
        await client.get(f"/v1/lookup?sic=1&api_key={KEY}")
        await client.get("/v1/lookup?sic=%ff", headers=AUTH)
        await client.get("/v1/search?query=a")
    common = {"account": ACCOUNT, "key_prefix": KEY[:12]}
    kept = ("account", "key_prefix", "endpoint", "parameters", "status", "result_count")
    assert [{k: v for k, v in call.items() if k in kept} for call in stub.calls] == [
        {
            **common,
            "endpoint": "v1/search",
            "parameters": {"query": ["a"], "cik": ["1,2", "3"]},
            "status": 200,
            "result_count": 41,
        },
        {
            **common,
            "endpoint": "v1/search",
            "parameters": {"query": ["a"], "limit": ["x"]},
            "status": 400,
        },
        {**common, "endpoint": "v1/lookup", "parameters": {"sic": ["1"]}, "status": 403},
        {**common, "endpoint": "v1/lookup", "parameters": {}, "status": 403},
    ]
    assert KEY[12:] not in str(stub.calls)


@pytest.mark.parametrize(
    ("method", "target", "status", "counts"),
    [
        ("GET", "/v1/nothing", 404, False),
        ("POST", "/v1/search", 405, False),
        ("GET", "/v2/nothing", 404, False),
        ("GET", "/v1/text?document_id=0000320193-24-000001-9", 404, True),
        ("GET", "/v1/search", 400, True),
    ],
)
async def test_a_missing_path_does_not_count_and_a_missing_document_does(
    stub: StubEngine, method: str, target: str, status: int, counts: bool
) -> None:
    empty = Reply(200, msgspec.json.encode(search_reply([], 0)))
    stub.faults["documents/_search"] = stub.faults["filings/_search"] = empty
    async with serving(stub.url, plans="two=2/-", default_plan="two") as client:
        reply = await client.request(method, target, headers=AUTH)
        following = await client.get("/v1/search", headers=AUTH)
    assert reply.status_code == status, reply.text
    assert f"r={0 if counts else 1};" in following.headers["ratelimit"]


TESTED = "/auth/alert_triggers/test?query=word"


@pytest.fixture
def token(tmp_path: Path) -> dict[str, str]:
    """The header of a user's token."""
    return {"Authorization": f"Bearer {LocalIssuer(tmp_path).token('somebody')}"}


@pytest.fixture
async def one_search(stub: StubEngine, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The service where each account has one search under way at most."""
    stub.keys[key_hash(OTHER_KEY)] = stored_key(OTHER_KEY)
    settings = {"plans": "one=-/-/1", "default_plan": "one", "auth_rate": 1_000}
    async with serving(stub.url, local_issuer=True, home=tmp_path, searches=3, **settings) as one:
        yield one


async def test_tests_of_triggers_share_the_searches_of_their_account(
    stub: StubEngine, one_search: httpx.AsyncClient, token: dict[str, str]
) -> None:
    body = msgspec.json.encode(stub.searches["documents"])
    stub.faults["documents/_search"] = Reply(200, body, delay=2.0)
    calls = [asyncio.create_task(one_search.get(TESTED, headers=token)) for _ in range(20)]
    await until(partial(is_asked, stub, "documents/_search"))
    await asyncio.sleep(0.3)
    assert len(stub.bodies("documents/_search")) == 1
    stub.faults.clear()
    other = await one_search.get("/v1/search?query=a", headers={"X-API-Key": OTHER_KEY})
    replies = await asyncio.gather(*calls)
    assert other.status_code == 200
    refused = [reply for reply in replies if "too many searches at once" in reply.text]
    assert len(refused) == 19
    assert {(each.status_code, each.headers["Retry-After"]) for each in refused} == {(503, "1")}


async def test_users_reach_their_own_things_while_their_searches_take_everything(
    stub: StubEngine, one_search: httpx.AsyncClient, token: dict[str, str]
) -> None:
    body = msgspec.json.encode(stub.searches["documents"])
    stub.faults["documents/_search"] = Reply(200, body, delay=2.0)
    searching = asyncio.create_task(one_search.get(TESTED, headers=token))
    await asyncio.wait_for(stub.asked_search.wait(), 5.0)
    reply = await one_search.get("/auth/api_keys/get", headers=token)
    assert (reply.status_code, searching.done()) == (200, False)
    await searching


async def test_health_asks_elasticsearch_once_however_many_ask(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    replies = await asyncio.gather(*(client.get("/health/ready") for _ in range(50)))
    assert {reply.status_code for reply in replies} == {200}
    assert stub.operations().count("documents/_search") == 1


async def test_metrics_ask_elasticsearch_once_however_many_ask(stub: StubEngine) -> None:
    async with serving(stub.url, metrics="loopback") as client:
        replies = await asyncio.gather(*(client.get("/metrics") for _ in range(50)))
    assert {reply.status_code for reply in replies} == {200}
    assert stub.operations().count("ledger/_search") == 1
