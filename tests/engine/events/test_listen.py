"""`edgar-search listen`: events of the log, over cuts of a service, and a command for each."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from edgar_search.commands import listen
from edgar_search.engine.engine import Engine
from edgar_search.errors import FetchFailed, SettingsError
from edgar_search.events.log import EventLog
from edgar_search.http_client import Stream
from edgar_search.settings import Settings
from tests.support.alerting import filing
from tests.support.loading import Loads

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]


async def test_log_is_listened_to_with_the_filters_of_the_stream(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    begun = await EventLog(engine).end()
    numbers = [new_number() for _ in range(3)]
    for number, text in zip(numbers, ("rhyolite", "tuff", "rhyolite"), strict=True):
        await loads(filing(number, text))
    raw = {"query": ["rhyolite"], "after": [str(begun)]}
    found: list[Mapping[str, Any]] = []
    async with aclosing(listen.local_events(engine, made_settings, raw)) as events:  # type: ignore[type-var]
        async for event in events:
            found.append(event)
            if len(found) == 2:
                break
    told = [(event["event"], event["filing"]["accnum"], event["documents"]) for event in found]
    assert told == [("loaded", n, [f"{n}-1"]) for n in (numbers[0], numbers[2])]
    assert begun < found[0]["id"] < found[1]["id"]


class Cutting:
    """A service whose answers are given."""

    def __init__(self, *answers: tuple[int, list[bytes]] | FetchFailed) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    @asynccontextmanager
    async def stream(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[Stream]:
        self.asked.append(headers.get("Last-Event-ID", ""))
        answer = self._answers.pop(0)
        if isinstance(answer, FetchFailed):
            raise answer
        status, pieces = answer

        async def given() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        yield Stream(status, {}, given())


async def test_service_is_listened_to_over_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "_WAIT", 0.0)
    first = b'id: 7\nevent: loaded\ndata: {"at":1}\n\n'
    service = Cutting(
        (200, [b"retry: 3000\n\n: ping\nid: 5\n\n", first[:9], first[9:], b"id: 8\nevent: lo"]),
        FetchFailed("gone"),
        (503, [b"{}"]),
        (200, [b'id: 8\nevent: changed\ndata: {"at":2}\n\n: ping\nid: 9\n\n']),
        (200, [b'id: 9\nevent: end\ndata: {"reason":"stopping","position":9}\n\n']),
        (410, [b'{"error":"after: is gone"}']),
    )
    http: Any = service
    found = []
    with pytest.raises(SettingsError, match="410: after: is gone"):
        async for event in listen.service_events(http, "http://x/v1/stream", {}, {}):
            found.append(event)
    assert found == [{"id": 7, "event": "loaded", "at": 1}, {"id": 8, "event": "changed", "at": 2}]
    assert service.asked == ["", "7", "7", "7", "9", "9"]


async def test_command_takes_each_event_and_its_failure_ends_the_listening(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    await listen._Command(f"sh -c 'cat >> {taken}'").take({"id": 3, "event": "loaded"})
    assert json.loads(taken.read_text()) == {"id": 3, "event": "loaded"}
    with pytest.raises(SettingsError, match="sh exited with status 4 .* `--after 2` repeats it"):
        await listen._Command("sh -c 'exit 4'").take({"id": 3})
    with pytest.raises(SettingsError, match="no-such-command: No such file"):
        await listen._Command("no-such-command").take({"id": 3})
