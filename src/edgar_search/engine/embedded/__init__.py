"""The embedded engine: an Elasticsearch on this machine, without a server, Docker or Java.

It keeps running after the command that started it; its home folder records its address. Linux only.
Its modules: `folders` (its files, their owner and the state), `install` (Elasticsearch and Java),
`process` (configure, start, find and stop it).
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from edgar_search.engine.embedded import folders, install, process
from edgar_search.engine.embedded.folders import EngineFolders, Report, State
from edgar_search.errors import EngineUnavailable, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.extras import install_command, is_installed, require_package

# A start takes 20 s on two idle cores. A slower one is reported at this interval, with the reason.
REPORT_SECONDS = 15.0
# Long enough for a machine that is thirty times as slow.
START_SECONDS = 600.0
STOP_SECONDS = 30.0
POLL_SECONDS = 0.2
_UNSET = "EDGAR_SEARCH_ES_URL names no Elasticsearch"


class RunningEngine(msgspec.Struct, frozen=True):
    """An engine that answers; `pid` is its launcher, `started` is true if this call started it."""

    url: str
    pid: int
    version: str
    started: bool


def _silent(_message: str) -> None:
    pass


def up(settings: Settings, report: Report = _silent) -> RunningEngine:
    """Return the running engine of this home, starting one if needed; may take minutes.

    `report` receives lines for a person. Raises SettingsError if no Java fits or the extra
    `embedded` is not installed, and EngineUnavailable, with the reason, if the engine cannot be
    downloaded or does not start.
    """
    if not sys.platform.startswith("linux"):
        raise SettingsError("the embedded engine needs Linux: set EDGAR_SEARCH_ES_URL")
    running = status(settings)
    if running is not None:
        return running
    require_package("jgo", "embedded", f"{_UNSET}, and the embedded Elasticsearch")
    with _alone(settings, report):
        return _already_starting(settings, report) or _start(settings, report)


def down(settings: Settings) -> bool:
    """Stop the engine of this home and return True if one ran; kills it after 30 seconds.

    Raises EngineUnavailable if it belongs to another account.
    """
    if not folders.control_folder(settings).is_dir():
        return False
    with _alone(settings, _silent):
        return _stop(folders.find(settings))


def status(settings: Settings) -> RunningEngine | None:
    """Return the engine of this home if it runs and answers, otherwise None; changes nothing."""
    state = folders.read_state(settings)
    if state is None:
        return None
    where = folders.find(settings)
    pid = process.launcher(where)
    url = _url(state.port)
    if pid is None or not process.answers(url, where.cluster_name):
        return None
    return RunningEngine(url=url, pid=pid, version=state.version, started=False)


def resolve(settings: Settings) -> Settings:
    """Return `settings` with an `es_url`: their own, or the running embedded engine's.

    An engine that runs but does not answer, because it is frozen or starting, counts too: requests
    wait for it as for any other. Raises EngineUnavailable if there is neither.
    """
    if settings.es_url is not None:
        return settings
    running = status(settings)
    url = running.url if running else _silent_url(settings)
    if url is None:
        raise EngineUnavailable(f"no Elasticsearch: set EDGAR_SEARCH_ES_URL, or {_how_to_start()}")
    return msgspec.structs.replace(settings, es_url=url)


def _how_to_start() -> str:
    up = "run `edgar-search engine up`"
    if not is_installed("jgo"):
        return f"install an embedded one by `{install_command('embedded')}` and {up}"
    return up


def _silent_url(settings: Settings) -> str | None:
    """Return the URL of a running engine of this home that does not answer yet, or None."""
    state = folders.read_state(settings)
    if state is None or process.launcher(folders.find(settings)) is None:
        return None
    # An answer here, after none above, comes from another engine on this port.
    return _url(state.port) if process.is_silent(_url(state.port)) else None


@contextmanager
def _alone(settings: Settings, report: Report) -> Iterator[None]:
    # Two processes must not start one home's engine at once, or stop one that is starting.
    try:
        with folders.locked(folders.control_folder(settings), report):
            yield
    except OSError as error:
        file = f" ({error.filename})" if error.filename else ""
        raise EngineUnavailable(f"the embedded engine: {error.strerror or error}{file}") from error


def _already_starting(settings: Settings, report: Report) -> RunningEngine | None:
    """Wait for an engine that does not answer yet; None if none runs, or if it ends.

    Another process may have just started it, or it was left behind by one that was killed.
    """
    where = folders.find(settings)
    if folders.read_state(settings) is None:
        _stop(where)  # its port is unknown now
        return None
    running = _await_answer(settings, where, report)
    if running is None and not process.has_ended(where):
        raise EngineUnavailable(
            "the embedded engine runs but does not answer: run `edgar-search engine down`, or see"
            f" its log {where.log}"
        )
    return running


def _await_answer(settings: Settings, where: EngineFolders, report: Report) -> RunningEngine | None:
    """Return the engine as soon as it answers; None if it ends, or is not ready in time.

    A slow start is not an error: `report` receives how long it has taken, and why.
    """
    began = time.monotonic()
    reports = 1
    while not process.has_ended(where):
        running = status(settings)
        if running is not None:
            return running
        waited = time.monotonic() - began
        if waited > START_SECONDS:
            return None
        if waited > REPORT_SECONDS * reports:
            reports += 1
            report(
                f"still starting after {waited:.0f} s, of {START_SECONDS:.0f}:"
                f" {process.reason(where)}"
            )
        time.sleep(POLL_SECONDS)
    return None


def _start(settings: Settings, report: Report) -> RunningEngine:
    engine = install.choose(settings)
    last = folders.read_state(settings)
    data_version = last.data_version if last and folders.has_data(settings) else None
    _refuse_older(engine.version, data_version)
    where = folders.prepare(settings)
    home = install.find_or_unpack(engine.version, settings, where, report)
    runtime = install.reachable_copy(engine.java, where, report)
    port = process.choose_port(settings, last, where)
    process.write(home, where, port, engine.modules)
    folders.write_state(settings, State(str(where.folder), port, engine.version, data_version))
    free = process.free_bytes(where)
    if free < 2 * process.LOW_BYTES:
        report(f"low disk space: {free} bytes are free at {where.data}; loads may stop")
    report(f"starting Elasticsearch {engine.version}, heap {settings.engine_heap}")
    began = time.monotonic()
    heap = settings.engine_heap
    options = f"-Xms{heap} -Xmx{heap} {settings.engine_java_options}".rstrip()
    process.start(home, runtime, where, options)
    running = _await(settings, where, report)
    folders.write_state(settings, State(str(where.folder), port, engine.version, engine.version))
    report(f"Elasticsearch answers at {running.url} after {time.monotonic() - began:.0f} s")
    return running


def _refuse_older(version: str, data_version: str | None) -> None:
    if data_version is not None and _number(version) < _number(data_version):
        raise SettingsError(
            f"the data of this home were written by Elasticsearch {data_version}, which {version}"
            " cannot read: set EDGAR_SEARCH_JAVA_HOME to a full JDK, or EDGAR_SEARCH_HOME to"
            " another folder"
        )


def _number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _await(settings: Settings, where: EngineFolders, report: Report) -> RunningEngine:
    try:
        running = _await_answer(settings, where, report)
        if running is not None:
            process.await_shards(running.url)
            return msgspec.structs.replace(running, started=True)
        late = f"is not ready after {START_SECONDS:g} s"
        raise EngineUnavailable(
            f"the embedded engine {'ended' if process.has_ended(where) else late};"
            f" its log {where.log} says:\n{process.last_words(where)}"
        )
    except BaseException:
        # On Ctrl-C too: otherwise a half-started engine would be left behind.
        _stop(where)
        raise


def _stop(where: EngineFolders) -> bool:
    signalled: set[int] = set()
    deadline = time.monotonic() + STOP_SECONDS
    while not process.has_ended(where):
        pids = set(process.all_of(where))
        overdue = time.monotonic() > deadline
        process.signal_all(pids if overdue else pids - signalled, kill=overdue)
        signalled |= pids
        time.sleep(POLL_SECONDS)
    return bool(signalled)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
