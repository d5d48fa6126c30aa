"""Streams of events: what they tell, replays, ends, and what they cost."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import date
from typing import Any

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager
from starlette.types import ASGIApp

from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.tokens import signed_token
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER, LocalIssuer
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.search.event_matching import EventMatcher, MatchedEvent
from edgar_search.settings import Settings
from edgar_search.web import streams
from tests.support.alerting import Watcher, filing, match
from tests.support.listening import Listener
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]


class Site:
    """A service, and clients of its streams that are closed at the end."""

    def __init__(self, app: ASGIApp, key: str, stack: AsyncExitStack, key_id: str = "") -> None:
        self.key_id = key_id
        self._app = app
        self._key = key
        self._stack = stack

    async def listen(self, query: str = "", path: str = "/v1/stream", **headers: str) -> Listener:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if path.startswith("/v1/"):
            sent["x-api-key"] = self._key
        listener = await Listener(self._app, path, query, sent).open()
        self._stack.push_async_callback(listener.close)
        return listener


@pytest.fixture
async def site(engine: Engine, made_settings: Settings) -> AsyncIterator[Site]:
    own = msgspec.structs.replace(
        made_settings, plans="plain=100/-/-/2, pro=-/-/-/9", default_plan="pro", local_issuer=True
    )
    key, stored = await ApiKeys(engine).create("test", "listener")
    async with LifespanManager(create_app(own)) as manager, AsyncExitStack() as stack:
        yield Site(manager.app, key, stack, stored.id)


async def test_stream_tells_of_each_filing_once_by_its_filters(
    engine: Engine, site: Site, loads: Loads, new_number: NewNumber
) -> None:
    one, two, three = (new_number() for _ in range(3))
    everything = await site.listen()
    of_form = await site.listen("form_type=10-K&company=alert")
    of_query = await site.listen("query=basalt+NOT+moss&word_forms=all")
    of_none = await site.listen("cik=0009990699")
    assert everything.status == 200
    assert everything.headers["content-type"] == "text/event-stream"
    assert everything.headers["x-accel-buffering"] == "no"
    await loads(filing(one, "basalt moss", "basalts"))
    await loads(filing(two, "granite", form_type="10-K"))
    await loads(filing(three, "moss"), alerts=False)
    await loads(filing(one, "basalt moss", "basalts, changed"))
    told = await everything.heard(3)
    assert [(each.name, each.data["filing"]["accnum"]) for each in told] == [
        ("loaded", one),
        ("loaded", two),
        ("changed", one),
    ]
    assert [each.id for each in told] == sorted({each.id for each in told})
    assert "documents" not in told[0].data
    assert [each.data["filing"]["accnum"] for each in await of_form.heard(1)] == [two]
    found = [(each.name, each.data["documents"]) for each in await of_query.heard(2)]
    assert found == [("loaded", [f"{one}-2"]), ("changed", [f"{one}-2"])]
    # Each continues after the last that it has seen, by header or parameter.
    again = await site.listen(last_event_id=str(told[0].id))
    assert await again.heard(2) == told[1:]
    by_parameter = await site.listen(f"after={told[1].id}&query=basalt")
    assert [each.id for each in await by_parameter.heard(1)] == [told[2].id]
    assert of_none.told == []


async def test_stream_tells_of_reports_by_their_figures(
    site: Site, loads: Loads, new_number: NewNumber
) -> None:
    low, high, cik = new_number(), new_number(), "0009990688"
    of_figures = await site.listen(f"cik={cik}&figures=revenue>=100m")
    both = await site.listen(f"cik={cik}&figures=revenue>1&query=basalt")
    for number, scale in ((low, 1), (high, 2)):
        await loads(report(number, cik, report_facts(2023, scale), date(2024, 2, 1), text="basalt"))
    assert [each.data["filing"]["accnum"] for each in await of_figures.heard(1)] == [high]
    assert [each.data["filing"]["accnum"] for each in await both.heard(2)] == [low, high]


async def test_ping_moves_the_position_on_without_an_event(
    site: Site, loads: Loads, new_number: NewNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PING_SECONDS", 0.1)
    quiet = await site.listen("cik=0009990699")
    begun = quiet.last_id
    listener = await site.listen()
    await loads(filing(new_number(), "marble"))
    (told,) = await listener.heard(1)
    await quiet.reached(told.id)
    assert begun < told.id and quiet.told == [] and b": ping\n" in quiet.body


async def test_stream_of_notifications_is_its_users_alone(
    engine: Engine,
    made_settings: Settings,
    site: Site,
    loads: Loads,
    new_number: NewNumber,
    watcher: Watcher,
) -> None:
    token = LocalIssuer(made_settings.absolute_home).token("somebody")
    account = account_id(ISSUER, "somebody")
    path, bearer = "/auth/notifications/stream", f"Bearer {token}"
    own = await site.listen(path=path, authorization=bearer)
    public = await site.listen()
    begun = own.last_id
    user = Watcher(engine, account)
    trigger = await user.watch("gabbro")
    await watcher.watch("gabbro")
    number = new_number()
    await loads(filing(number, "gabbro", "slate"))
    await match(engine, made_settings)
    (told,) = await own.heard(1)
    assert (told.name, told.data["alert_trigger_id"]) == ("notification", trigger.id)
    (made,) = await user.notified()
    assert told.data["id"] == made.id
    assert [each.name for each in await public.heard(1)] == ["loaded"]
    await user.notifications.remove(account, made.id)
    await loads(filing(new_number(), "gabbro"))
    await match(engine, made_settings)
    again = await site.listen(f"after={begun}", path=path, authorization=bearer)
    (left,) = await again.heard(1)
    assert left.data["id"] != made.id
    await user.triggers.remove(account, trigger.id)


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("after=x", 400, "`after`"),
        ("after=9007199254740000", 400, "after the end of the log"),
        ("limit=3", 400, "limit"),
        ("query=(", 400, "query"),
        ("after=1", 200, ""),
    ],
)
async def test_what_a_stream_cannot_begin_with_is_named(
    site: Site, query: str, status: int, words: str
) -> None:
    listener = await site.listen(query)
    assert (listener.status, words in listener.body.decode()) == (status, True)


async def test_streams_above_the_share_of_the_plan_are_refused(
    engine: Engine, made_settings: Settings
) -> None:
    own = msgspec.structs.replace(made_settings, plans="two=100/-/-/2", default_plan="two")
    key, _ = await ApiKeys(engine).create("test", "greedy")
    async with LifespanManager(create_app(own)) as manager, AsyncExitStack() as stack:
        site = Site(manager.app, key, stack)
        first, _, third = [await site.listen() for _ in range(3)]
        assert (first.status, third.status) == (200, 429)
        assert "an account may have 2 open" in third.body.decode()
        await first.close()
        assert (await site.listen()).status == 200


async def test_stream_is_another_call_for_each_thousand_events_and_ends_without_one(
    engine: Engine,
    made_settings: Settings,
    loads: Loads,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "EVENTS_OF_A_CALL", 2)
    own = msgspec.structs.replace(made_settings, plans="two=2/-/-/2", default_plan="two")
    key, _ = await ApiKeys(engine).create("test", "frugal")
    async with LifespanManager(create_app(own)) as manager, AsyncExitStack() as stack:
        listener = await Site(manager.app, key, stack).listen()
        for _ in range(5):
            await loads(filing(new_number(), "schist"))
        told = await listener.heard(5)
        assert [each.name for each in told] == ["loaded"] * 4 + ["end"]
        assert told[-1].id == told[3].id == told[-1].data["position"]
        assert "month" in told[-1].data["reason"]
        assert listener.ended


async def revoke_key(engine: Engine, site: Site) -> None:
    await ApiKeys(engine).revoke(site.key_id)


async def suspend_account(engine: Engine, site: Site) -> None:
    await Accounts(engine, Plans.from_settings(Settings())).suspend("listener")


@pytest.mark.parametrize(
    ("end", "reason"), [(revoke_key, "Invalid API key"), (suspend_account, "suspended")]
)
async def test_stream_that_is_always_busy_ends_with_its_key_or_account(
    engine: Engine,
    site: Site,
    loads: Loads,
    new_number: NewNumber,
    end: Callable[[Engine, Site], Awaitable[None]],
    reason: str,
) -> None:
    listener, other = await site.listen(), await site.listen("cik=0009990699")
    await loads(filing(new_number(), "dolerite"))
    await listener.heard(1)
    await end(engine, site)
    ended_at = time.monotonic()
    try:
        while not listener.ended and time.monotonic() - ended_at < 20:
            await loads(filing(new_number(), "dolerite"))
    finally:
        await Accounts(engine, Plans.from_settings(Settings())).resume("listener")
    last = listener.told[-1]
    assert last.name == "end" and reason in last.data["reason"]
    # A load takes a part of a second, and nothing is sent five seconds later.
    assert len(listener.told) < 5 / 0.1 and time.monotonic() - ended_at < 10
    assert (await other.heard(1))[-1].name == "end"


async def test_stream_of_notifications_ends_with_its_token(
    made_settings: Settings, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = LocalIssuer(made_settings.absolute_home).token("somebody", 1)
    path = "/auth/notifications/stream"
    listener = await site.listen(path=path, authorization=f"Bearer {token}")
    assert listener.status == 200
    # Not before, since a busy machine may take longer to begin than the token lasts.
    monkeypatch.setattr(signed_token, "LEEWAY", 0)
    (last,) = await listener.heard(1)
    assert last.name == "end" and "expired" in last.data["reason"]
    await listener.until_ended()


async def test_replay_takes_turns_with_searches_and_streams_of_now_do_not_wait_for_it(
    engine: Engine,
    made_settings: Settings,
    loads: Loads,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(3):
        await loads(filing(new_number(), "tuff"))
    own = msgspec.structs.replace(made_settings, plans="pro=-/-/1/9", default_plan="pro")
    key, _ = await ApiKeys(engine).create("test", "replayer")
    other_key, _ = await ApiKeys(engine).create("test", "other")
    async with LifespanManager(create_app(own)) as manager, AsyncExitStack() as stack:
        now = await Site(manager.app, other_key, stack).listen()
        held, free = asyncio.Event(), asyncio.Event()
        match_alone = EventMatcher.match_alone

        async def slow(*arguments: Any) -> list[MatchedEvent]:
            held.set()
            await free.wait()
            return await match_alone(*arguments)

        monkeypatch.setattr(EventMatcher, "match_alone", slow)
        site = Site(manager.app, key, stack)
        replay = await site.listen("after=0&query=tuff")
        await held.wait()
        # The account's only place is taken.
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(manager.app), base_url="http://test"
        ) as client:
            reply = await client.get("/v1/search?query=tuff", headers={"X-API-Key": key})
        assert reply.status_code == 503 and "may run 1 at" in reply.text
        await loads(filing(new_number(), "tuff"))
        assert len(await now.heard(1)) == 1 and replay.told == []
        free.set()
        assert [each.name for each in await replay.heard(4)] == ["loaded"] * 4
