"""The embedded engine, really started and stopped, in homes of its own.

The tests of one engine share it, in the order of this file; the last one stops it for good.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from edgar_search.engine import embedded
from edgar_search.engine.embedded import RunningEngine, folders, install, process
from edgar_search.errors import EngineUnavailable, SettingsError
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT, FRUGAL

# The cache of the checkout's own home, so that what `make run` has fetched is not fetched again.
CACHE = CHECKOUT / ".edgar" / "engine" / "cache"
HEAP = "512m"


class Started(msgspec.Struct):
    """An engine and what the two calls that started it at the same time returned."""

    settings: Settings
    both: list[RunningEngine]

    @property
    def engine(self) -> RunningEngine:
        return self.both[0]


def settings_of(home: Path, version: Literal["9.5.4", "9.2.4"]) -> Settings:
    cache = Path(os.environ.get("EDGAR_SEARCH_ENGINE_CACHE") or CACHE)
    return Settings(
        home=home,
        engine_version=version,
        engine_heap=HEAP,
        engine_cache=cache,
        engine_java_options=FRUGAL,
    )


def remove(settings: Settings) -> None:
    embedded.down(settings)
    shutil.rmtree(folders.find(settings).folder, ignore_errors=True)  # may be outside the home
    shutil.rmtree(settings.absolute_home, ignore_errors=True)


# As root, the folder that mkdtemp makes is closed to the engine's account, so one of the two has
# its files outside the home. For any other account both are alike.
@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("9.5.4", 0o700), id="9.5.4"),
        pytest.param(("9.2.4", 0o755), id="9.2.4", marks=pytest.mark.long),
    ],
)
def started(request: pytest.FixtureRequest) -> Iterator[Started]:
    version, mode = request.param
    home = Path(tempfile.mkdtemp(prefix="edgar-search-test-"))
    home.chmod(mode)
    settings = settings_of(home, version)
    try:
        install.choose(settings)
    except SettingsError as error:
        home.rmdir()
        pytest.skip(str(error))
    try:
        with ThreadPoolExecutor(2) as threads:
            both = list(threads.map(embedded.up, [settings, settings]))
        yield Started(settings, both)
    finally:
        remove(settings)


def ask(url: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    method = "GET" if body is None else "PUT"
    request = urllib.request.Request(url, data, headers, method=method)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=30) as reply:
        answer: dict[str, object] = json.load(reply)
    return answer


def test_two_calls_at_once_start_one(started: Started) -> None:
    assert sorted(one.started for one in started.both) == [False, True]
    assert len({one.pid for one in started.both}) == 1


def test_version_is_the_wanted_one(started: Started) -> None:
    nodes = ask(f"{started.engine.url}/_nodes/_local?filter_path=nodes.*.version")["nodes"]
    assert isinstance(nodes, dict)
    assert list(nodes.values()) == [{"version": started.settings.engine_version}]


def test_resolve_gives_its_url(started: Started) -> None:
    assert embedded.resolve(started.settings).es_url == started.engine.url


def test_engine_is_in_a_session_of_its_own(started: Started) -> None:
    assert os.getsid(started.engine.pid) != os.getsid(0)


def test_engine_does_not_run_as_root(started: Started) -> None:
    assert Path(f"/proc/{started.engine.pid}").stat().st_uid != 0


def test_snapshots_can_be_stored(started: Started) -> None:
    location = str(folders.find(started.settings).snapshots / "one")
    body = {"type": "fs", "settings": {"location": location}}
    assert ask(f"{started.engine.url}/_snapshot/one", body) == {"acknowledged": True}


def test_killed_engine_comes_back_at_its_url_with_its_data(started: Started) -> None:
    url = started.engine.url
    ask(f"{url}/things", {"settings": {"number_of_replicas": 0}})
    ask(f"{url}/things/_doc/1?refresh=true", {"name": "one"})
    os.kill(started.engine.pid, signal.SIGKILL)
    while process.launcher(folders.find(started.settings)):
        time.sleep(0.01)  # the system takes a moment; its server still answers after that
    again = embedded.up(started.settings)
    assert (again.url, again.started) == (url, True)
    assert ask(f"{url}/things/_doc/1")["_source"] == {"name": "one"}


def test_engine_of_a_lost_state_file_is_replaced(started: Started) -> None:
    before = embedded.status(started.settings)
    (folders.control_folder(started.settings) / "state.json").unlink()
    after = embedded.up(started.settings)
    assert before is not None
    assert (after.url, after.pid == before.pid, after.started) == (before.url, False, True)


def test_down_stops_it_once(started: Started) -> None:
    assert [embedded.down(started.settings) for _ in range(2)] == [True, False]
    assert embedded.status(started.settings) is None
    assert process.all_of(folders.find(started.settings)) == []


@pytest.fixture
def small() -> Iterator[Settings]:
    """Settings of the engine that starts everywhere."""
    settings = settings_of(Path(tempfile.mkdtemp(prefix="edgar-search-test-")), "9.2.4")
    yield settings
    remove(settings)


def test_failed_start_says_why_and_where(small: Settings) -> None:
    too_small = msgspec.structs.replace(small, engine_heap="4m")
    with pytest.raises(EngineUnavailable) as raised:
        embedded.up(too_small)
    assert "OutOfMemoryError" in str(raised.value)
    assert str(folders.find(small).log) in str(raised.value)


def test_interrupt_while_starting_leaves_no_engine(small: Settings) -> None:
    code = (
        "import signal, sys; from pathlib import Path\n"
        "from edgar_search.engine import embedded; from edgar_search.settings import Settings\n"
        # Whoever started the tests may ignore it, as a shell does for what runs beside it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "home, cache = map(Path, sys.argv[1:])\n"
        "embedded.up(Settings(home=home, engine_cache=cache, engine_version='9.2.4'))\n"
    )
    command = [sys.executable, "-c", code, str(small.home), str(small.engine_cache)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as starting:
        while not process.all_of(folders.find(small)):
            assert starting.poll() is None
            time.sleep(0.05)
        starting.send_signal(signal.SIGINT)
        _, errors = starting.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    # A process that was killed is listed until the system has taken it down.
    end = time.monotonic() + 10
    while left := process.all_of(folders.find(small)):
        assert time.monotonic() < end, left
        time.sleep(0.05)


def freeze_what_starts(settings: Settings, seconds: float) -> threading.Thread:
    """Stop the processes of a start for a while, as a machine does that has no time for them."""

    def freeze() -> None:
        while not (found := process.all_of(folders.find(settings))):
            time.sleep(0.05)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = process.all_of(folders.find(settings))
            send(found, signal.SIGSTOP)
            time.sleep(0.2)
        send(found, signal.SIGCONT)

    def send(pids: list[int], sent: signal.Signals) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, sent)

    thread = threading.Thread(target=freeze)
    thread.start()
    return thread


def test_slow_start_is_reported_until_its_bound(
    small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "REPORT_SECONDS", 1.0)
    monkeypatch.setattr(embedded, "STOP_SECONDS", 0.0)
    monkeypatch.setattr(embedded, "START_SECONDS", 2.5)
    frozen = freeze_what_starts(small, 2.0)
    lines: list[str] = []
    with pytest.raises(EngineUnavailable) as raised:
        embedded.up(small, lines.append)
    frozen.join()
    told = [line for line in lines if line.startswith("still starting after")]
    assert told[0].startswith("still starting after 1 s, of 2: ")
    assert len(told) == 2
    assert "is not ready after 2.5 s; its log" in str(raised.value)
    assert process.all_of(folders.find(small)) == []


@pytest.mark.long
def test_start_of_more_than_two_minutes_goes_on(small: Settings) -> None:
    frozen = freeze_what_starts(small, 125.0)
    lines: list[str] = []
    assert embedded.up(small, lines.append).started
    frozen.join()
    told = [line for line in lines if line.startswith("still starting after")]
    assert len(told) >= 8
    assert ", of 600: " in told[-1]
