"""Figures for Prometheus and lines of the log for programs: who sees them, and what is in them."""

import asyncio
import re
from pathlib import Path

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.app import create_app
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.web import figures
from tests.support.stopwatch import stopwatch
from tests.web.canned import KEY, search_reply
from tests.web.conftest import serving
from tests.web.process import request, running_service
from tests.web.stub import PREFIX, Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
SEARCH = "/v1/search?query=hush"
# What Elasticsearch says of a ledger that has nothing.
EMPTY_LEDGER = {
    "timed_out": False,
    "_shards": {"total": 1, "failed": 0},
    "hits": {"hits": []},
    "aggregations": {
        "status": {"buckets": []},
        **{name: {"value": None} for name in ("newest", "list", "fetch", "load")},
        "day": {"lag": {"values": {}}},
        "pending": {"since": {"value": None}},
        "outdated": {"buckets": {}},
    },
}
TOKEN = "0123456789abcdef"


def value(text: str, name: str) -> float:
    """Return the value of one figure with its labels; 0 where it is not there yet."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_there_are_no_figures_unless_the_settings_have_them(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.get("/metrics")).status_code == 404


async def test_figures_count_requests_and_name_no_query_key_or_account(stub: StubEngine) -> None:
    async with serving(stub.url, metrics="loopback") as client:
        before = (await client.get("/metrics")).text
        for _ in range(3):
            await client.get(SEARCH, headers=AUTH)
        await client.get("/nowhere/hush")
        await client.get("/v1/search", headers=AUTH)
        reply = await client.get("/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    for name, more in {
        'edgar_search_requests_total{method="GET",route="/v1/search",status="200"}': 3,
        'edgar_search_requests_total{method="GET",route="/v1/search",status="400"}': 1,
        'edgar_search_requests_total{method="GET",route="other",status="404"}': 1,
        'edgar_search_request_seconds_count{route="/v1/search"}': 4,
        'edgar_search_engine_seconds_count{kind="documents",operation="_search"}': 3,
        "edgar_search_turn_seconds_count": 4,
    }.items():
        assert value(reply.text, name) - value(before, name) == more, name
    assert not {"hush", KEY, "account-of"} & {*re.findall(r"[\w-]+", reply.text)}


@pytest.mark.usefixtures("rate_clock")
async def test_refusals_are_counted_by_plan(stub: StubEngine) -> None:
    async with serving(
        stub.url, metrics="loopback", plans="tiny=1000/1", default_plan="tiny"
    ) as client:
        statuses = {(await client.get(SEARCH, headers=AUTH)).status_code for _ in range(4)}
        text = (await client.get("/metrics")).text
    assert 429 in statuses
    assert value(text, 'edgar_search_limit_refusals_total{limit="second",plan="tiny"}') > 0


@pytest.mark.usefixtures("rate_clock")
async def test_refusals_and_turns_of_pages_are_counted(stub: StubEngine) -> None:
    stub.searches["sections"] = search_reply([])
    settings = {"pages": "open", "pages_plan": "one", "plans": "one=-/1"}
    async with serving(stub.url, metrics="loopback", **settings) as client:
        before = (await client.get("/metrics")).text
        pages = [await client.get("/filing/0000320193-24-000001") for _ in range(2)]
        text = (await client.get("/metrics")).text
    assert [page.status_code for page in pages] == [200, 429]
    refused = 'edgar_search_limit_refusals_total{limit="second",plan="one"}'
    for name in (refused, "edgar_search_turn_seconds_count"):
        assert value(text, name) - value(before, name) == 1, name


@pytest.mark.usefixtures("rate_clock")
async def test_refusals_below_auth_and_turns_of_trigger_tests_are_counted(
    stub: StubEngine, tmp_path: Path
) -> None:
    token = {"Authorization": f"Bearer {LocalIssuer(tmp_path).token('somebody')}"}
    settings = {"plans": "small=1000/1", "default_plan": "small", "auth_rate": 2}
    async with serving(
        stub.url, metrics="loopback", local_issuer=True, home=tmp_path, **settings
    ) as client:
        before = (await client.get("/metrics")).text
        paths = ["/auth/alert_triggers/test", *["/auth/favorites/get"] * 4]
        statuses = [(await client.get(path, headers=token)).status_code for path in paths]
        text = (await client.get("/metrics")).text
    assert statuses == [400, 200, 200, 200, 429]
    refused = 'edgar_search_limit_refusals_total{limit="second",plan="small"}'
    for name in (refused, "edgar_search_turn_seconds_count"):
        assert value(text, name) - value(before, name) == 1, name


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("::ffff:127.0.0.1", {}, 200),
        ("10.0.0.1", {}, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"Forwarded": "for=1.2.3.4"}, 403),
    ],
)
async def test_loopback_is_this_machine_only(
    stub: StubEngine, address: str, headers: dict[str, str], status: int
) -> None:
    settings = Settings(es_url=stub.url, prefix=PREFIX, alerts=False, metrics="loopback")
    async with LifespanManager(create_app(settings)) as manager:
        transport = httpx.ASGITransport(manager.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            assert (await client.get("/metrics", headers=headers)).status_code == status


async def test_elasticsearch_that_hangs_is_told_in_time(
    stub: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_PATIENCE", 0.2)
    stub.faults["ledger/_search"] = Reply(delay=30)
    async with serving(stub.url, metrics="loopback") as client:
        async with asyncio.timeout(4):
            text = (await client.get("/metrics")).text
    assert value(text, "edgar_search_engine_up") == 0
    assert "edgar_search_ledger_submissions" not in text


async def test_scrape_does_not_wait_for_a_slow_elasticsearch_and_says_how_old_its_figures_are(
    stub: StubEngine,
) -> None:
    stub.faults["ledger/_search"] = Reply(200, msgspec.json.encode(EMPTY_LEDGER), delay=1.2)
    async with serving(stub.url, metrics="loopback") as client:
        async with stopwatch() as watch:
            first = (await client.get("/metrics")).text
            assert watch.seconds < 1
        assert value(first, "edgar_search_engine_up") == 0
        await asyncio.sleep(1.2)
        second = (await client.get("/metrics")).text
    assert value(second, "edgar_search_engine_up") == 1
    assert 1.2 <= value(second, 'edgar_search_figures_age_seconds{part="ledger"}') < 15
    assert "edgar_search_ledger_oldest_pending_seconds" in second


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        (f"Bearer {TOKEN}0", 401),
        ("Bearer é", 401),
        ("", 401),
    ],
)
async def test_token_is_needed_whole(stub: StubEngine, given: str, status: int) -> None:
    async with serving(stub.url, metrics="token", metrics_token=TOKEN) as client:
        headers = {b"Authorization": given.encode("latin-1")}
        reply = await client.get("/metrics", headers=headers)
    challenge = {"www-authenticate": "Bearer"} if status == 401 else {}
    assert reply.status_code == status
    assert challenge.items() <= {**reply.headers}.items()


@pytest.mark.parametrize("token", [{}, {"EDGAR_SEARCH_METRICS_TOKEN": "short"}])
def test_token_must_be_set_and_long(token: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="^EDGAR_SEARCH_METRICS_TOKEN"):
        Settings.from_environ({"EDGAR_SEARCH_METRICS": "token", **token})


async def test_elasticsearch_is_told_which_request_it_is_asked_for(stub: StubEngine) -> None:
    async with serving(stub.url) as client:
        await client.get(SEARCH, headers={**AUTH, "X-Request-Id": "mine"})
    assert "mine" in stub.askers
    assert stub.askers <= {"mine", "edgar-search"}


async def test_several_workers_count_together_and_log_objects(tmp_path: Path) -> None:
    asked = request(b"/v1/search?query=hush", b"X-API-Key: " + KEY.encode())
    settings = {"METRICS": "loopback", "LOGS": "json"}
    async with running_service(tmp_path, 2, settings) as process:
        for _ in range(20):  # two at once: an account has no more places for sure
            replies = await asyncio.gather(*(process.ask(asked) for _ in range(2)))
            assert {reply.status for reply in replies} == {200}
        texts = [(await process.ask(request(b"/metrics"))).body.decode() for _ in range(4)]
    name = 'edgar_search_requests_total{method="GET",route="/v1/search",status="200"}'
    assert [value(text, name) for text in texts] == [40.0] * 4
    # What is asked of Elasticsearch is the installation's, and no worker's: of one that is not
    # asked again it would stay as it was.
    for text in texts:
        families = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
        assert sorted(families) == sorted({*families})
        assert "pid=" not in text
        for name in ("serve", "worker-1", "worker-2"):
            held = value(text, f'edgar_search_resident_memory_bytes{{process="{name}"}}')
            assert 10e6 < held < 1e9
        assert 'process="worker-3"' not in text
    lines = [msgspec.json.decode(line) for line in process.log.read_bytes().splitlines()]
    searches = [line for line in lines if line.get("route") == "/v1/search"]
    assert len(searches) == 40
    assert {*searches[0]} == {
        *("at", "logger", "level", "request_id", "account", "method", "path", "route", "status"),
        *("duration_ms", "engine_ms", "results"),
    }
    assert all(re.fullmatch("[0-9a-f]{16}", line["account"]) for line in searches)
    assert all(line["results"] > 0 and line["engine_ms"] > 0 for line in searches)
    assert b"hush" not in process.log.read_bytes()
