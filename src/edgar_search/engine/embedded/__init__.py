"""The embedded engine: an Elasticsearch on this machine, without a server, Docker or Java.

It runs on after the command that started it; its home folder says where it is. Linux only.
Its parts: `places` (folders and the state file), `java` (which engine on which Java),
`distribution` (get and unpack), `config` (what the engine is told), `process` (start, ask, stop).
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from edgar_search.engine.embedded import config, distribution, java, places, process
from edgar_search.engine.embedded.places import Places, Report, State
from edgar_search.errors import EngineUnavailable, SettingsError
from edgar_search.settings import Settings

START_SECONDS = 120.0  # 20 s on two idle cores; a busy machine needs several times that
STOP_SECONDS = 30.0
POLL_SECONDS = 0.2


class RunningEngine(msgspec.Struct, frozen=True):
    """An engine that answers; `pid` is its launcher, `started` says that this call started it."""

    url: str
    pid: int
    version: str
    started: bool


def _silent(_message: str) -> None:
    pass


def up(settings: Settings, report: Report = _silent) -> RunningEngine:
    """Return the running engine of this home, or get, start and await one; takes up to minutes.

    `report` receives lines for a person. Raises SettingsError when no Java fits, and
    EngineUnavailable when the engine cannot be fetched or does not start; its text tells why.
    """
    if not sys.platform.startswith("linux"):
        raise SettingsError("the embedded engine needs Linux: set EDGAR_SEARCH_ES_URL")
    running = status(settings)
    if running is not None:
        return running
    with _alone(settings, report):
        return _already_starting(settings) or _start(settings, report)


def down(settings: Settings) -> bool:
    """Stop the engine of this home; True if there was one. Kills it after 30 seconds.

    Raises EngineUnavailable if it is another account's.
    """
    if not places.control_folder(settings).is_dir():
        return False
    with _alone(settings, _silent):
        return _stop(places.find(settings))


def status(settings: Settings) -> RunningEngine | None:
    """Return the engine of this home if it runs and answers; else None. Changes nothing."""
    state = places.read_state(settings)
    if state is None:
        return None
    where = places.find(settings)
    pid = process.launcher(where)
    url = _url(state.port)
    if pid is None or not process.answers(url, where.cluster_name):
        return None
    return RunningEngine(url=url, pid=pid, version=state.version, started=False)


def resolve(settings: Settings) -> Settings:
    """Return `settings` with an `es_url`: their own, else that of the running embedded engine.

    One that runs and does not answer, as while it is frozen or starts, is taken too: whoever asks
    it waits as for any other. Raises EngineUnavailable if there is neither.
    """
    if settings.es_url is not None:
        return settings
    running = status(settings)
    url = running.url if running else _silent_url(settings)
    if url is None:
        raise EngineUnavailable(
            "no Elasticsearch: set EDGAR_SEARCH_ES_URL, or run `edgar-search engine up`"
        )
    return msgspec.structs.replace(settings, es_url=url)


def _silent_url(settings: Settings) -> str | None:
    """Where an engine of this home that runs will answer; None where none runs."""
    state = places.read_state(settings)
    if state is None or process.launcher(places.find(settings)) is None:
        return None
    # What answers by now and has not done so above is another engine on that port.
    return _url(state.port) if process.is_silent(_url(state.port)) else None


@contextmanager
def _alone(settings: Settings, report: Report) -> Iterator[None]:
    # Two processes must not start one home's engine at once, nor stop what is just starting.
    try:
        with places.locked(places.control_folder(settings), report):
            yield
    except OSError as error:
        file = f" ({error.filename})" if error.filename else ""
        raise EngineUnavailable(f"the embedded engine: {error.strerror or error}{file}") from error


def _already_starting(settings: Settings) -> RunningEngine | None:
    """Await an engine that runs without answering yet; None when there is none, or it ended.

    It is one that somebody else has just started, or the rest of one that was killed.
    """
    where = places.find(settings)
    if places.read_state(settings) is None:
        _stop(where)  # nobody knows its port any more
        return None
    deadline = time.monotonic() + START_SECONDS
    while not process.has_ended(where) and time.monotonic() < deadline:
        running = status(settings)
        if running is not None:
            return running
        time.sleep(POLL_SECONDS)
    if process.has_ended(where):
        return None
    raise EngineUnavailable(
        "the embedded engine runs but does not answer: run `edgar-search engine down`, or see"
        f" its log {where.log}"
    )


def _start(settings: Settings, report: Report) -> RunningEngine:
    engine = java.choose(settings)
    last = places.read_state(settings)
    data_version = last.data_version if last and places.has_data(settings) else None
    _refuse_older(engine.version, data_version)
    where = places.prepare(settings)
    home = distribution.unpacked(engine.version, settings, where, report)
    runtime = java.reachable_copy(engine.java, where, report)
    port = config.choose_port(settings, last, where)
    config.write(home, where, port, engine.modules)
    places.write_state(settings, State(str(where.folder), port, engine.version, data_version))
    free = config.free_bytes(where)
    if free < 2 * config.LOW_BYTES:
        report(f"little room: {free} bytes are free at {where.data}; loads may stop for it")
    report(f"starting Elasticsearch {engine.version}, heap {settings.engine_heap}")
    began = time.monotonic()
    process.start(home, runtime, where, _java_options(settings))
    running = _await(settings, where)
    places.write_state(settings, State(str(where.folder), port, engine.version, engine.version))
    report(f"Elasticsearch answers at {running.url} after {time.monotonic() - began:.0f} s")
    return running


def _java_options(settings: Settings) -> str:
    heap = settings.engine_heap
    return f"-Xms{heap} -Xmx{heap} {settings.engine_java_options}".rstrip()


def _refuse_older(version: str, data_version: str | None) -> None:
    if data_version is not None and _number(version) < _number(data_version):
        raise SettingsError(
            f"the data of this home were written by Elasticsearch {data_version}, which {version}"
            " cannot read: set EDGAR_SEARCH_JAVA_HOME to a full JDK, or EDGAR_SEARCH_HOME to"
            " another folder"
        )


def _number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _await(settings: Settings, where: Places) -> RunningEngine:
    deadline = time.monotonic() + START_SECONDS
    try:
        while time.monotonic() < deadline and not process.has_ended(where):
            running = status(settings)
            if running is not None:
                process.await_shards(running.url)
                return msgspec.structs.replace(running, started=True)
            time.sleep(POLL_SECONDS)
        reason = "ended" if process.has_ended(where) else "is not ready"
        raise EngineUnavailable(
            f"the embedded engine {reason}; its log {where.log} says:\n{process.last_words(where)}"
        )
    except BaseException:
        # Also on Ctrl-C: nobody would know of a half-started engine.
        _stop(where)
        raise


def _stop(where: Places) -> bool:
    asked: set[int] = set()
    deadline = time.monotonic() + STOP_SECONDS
    while not process.has_ended(where):
        found = set(process.all_of(where))
        overdue = time.monotonic() > deadline
        process.signal_all(found if overdue else found - asked, kill=overdue)
        asked |= found
        time.sleep(POLL_SECONDS)
    return bool(asked)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
