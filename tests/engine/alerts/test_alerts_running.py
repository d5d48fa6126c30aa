"""The matcher where it runs: in the service, and as a command."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

import msgspec
import pytest
from asgi_lifespan import LifespanManager

from bench.loading import environment
from edgar_search.alerts.matcher import Matcher, status
from edgar_search.app import create_app
from edgar_search.cli import main
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineFault, EngineUnavailable
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.support.alerting import Told, Watcher, alerts, filing, hurry, match
from tests.support.loading import Loads, load_now

pytestmark = pytest.mark.any_engine
SOON = 20.0
NewNumber = Callable[[], str]


async def until_told(watcher: Watcher, wanted: list[Told]) -> None:
    until = time.monotonic() + SOON
    while await watcher.told() != wanted:
        assert time.monotonic() < until, await watcher.told()
        await asyncio.sleep(0.1)


@pytest.mark.anyio
async def test_service_matches_in_one_of_its_workers_and_hands_over_when_that_stops(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A busy machine takes longer than a service that stops should wait.
    monkeypatch.setattr("edgar_search.alerts.matcher._RELEASE_SECONDS", SOON)
    hurry(monkeypatch)
    await Indices(engine, settings).set_up()
    hosting = msgspec.structs.replace(settings, alerts=True)
    watcher = Watcher(engine, "hosted")
    trigger = await watcher.watch("tourmaline")
    told: list[Told] = []
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(AsyncExitStack())
        for _ in range(2):
            await first.enter_async_context(LifespanManager(create_app(hosting)))
        for _ in range(2):
            number = new_number()
            await loads(filing(number, "tourmaline"))
            told.append(Told(trigger.id, f"{number}-1"))
            await until_told(watcher, sorted(told))
            await stack.enter_async_context(LifespanManager(create_app(hosting)))
            await first.aclose()
    assert (await status(engine)).holder is None


@pytest.mark.anyio
async def test_service_without_the_setting_matches_nothing(
    engine: Engine, settings: Settings
) -> None:
    await Indices(engine, settings).set_up()
    before = (await status(engine)).epoch
    async with LifespanManager(create_app(settings)):
        await asyncio.sleep(0.5)
    assert (await status(engine)).epoch == before


@pytest.mark.anyio
@pytest.mark.parametrize("fault", [EngineUnavailable("away"), EngineFault("refused"), KeyError(1)])
async def test_matcher_goes_on_after_any_fault(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    new_number: NewNumber,
    fault: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await Indices(engine, settings).set_up()
    number = new_number()
    watcher = Watcher(engine, f"faulty {number}")
    trigger = await watcher.watch("zeolite")
    await loads(filing(number, "zeolite"))
    hurry(monkeypatch)
    whole, sizes = Matcher.match, []

    async def faulty(self: Matcher, batch: object, most: int) -> object:
        sizes.append(most)
        if len(sizes) < 4:
            raise fault
        return await whole(self, batch, most)  # type: ignore[arg-type]

    monkeypatch.setattr(Matcher, "match", faulty)
    matching = asyncio.create_task(alerts(engine, settings).run_forever())
    await until_told(watcher, [Told(trigger.id, f"{number}-1")])
    matching.cancel()
    await asyncio.gather(matching, return_exceptions=True)
    assert sizes[:4] == [250, 125, 62, 31]


@pytest.mark.anyio
async def test_status_says_what_waits_and_how_long_it_took(
    engine: Engine, settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    await Indices(engine, settings).set_up()
    await match(engine, settings)
    await loads(filing(new_number(), "one", "two"))
    waits = await status(engine)
    assert (waits.waiting, waits.oldest_waiting is None) == (2, False)
    await match(engine, settings)
    found = await status(engine)
    assert (found.waiting, found.oldest_waiting) == (0, None)
    assert found.matched_last_24_hours == waits.matched_last_24_hours + 2
    assert sorted(found.lag_seconds) == ["max", "p50", "p90", "p99"]
    assert all(lag is not None and 0 < lag < 600 for lag in found.lag_seconds.values())


def test_command_matches_once_and_prints_how_alerts_stand(
    settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    load_now(settings, tmp_path_factory.mktemp("files"), filing(new_number(), "granite"))
    for name, value in environment(settings).items():
        monkeypatch.setenv(name, value)
    assert main(["alerts", "--once"]) == 0
    assert json.loads(capsys.readouterr().out)["matched"] >= 1
    assert main(["alerts", "--status"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["waiting"], found["holder"]) == (0, None)
