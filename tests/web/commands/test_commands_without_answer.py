"""Messages of commands if Elasticsearch does not listen, does not answer, or is late."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from edgar_search.cli import main as edgar_search
from edgar_search.engine import engine
from ingest.cli import main as edgar_ingest

Command = Callable[[], int]
COMMANDS = {
    "edgar-ingest templates put": lambda: edgar_ingest(["templates", "put"]),
    "edgar-ingest indices list": lambda: edgar_ingest(["indices", "list"]),
    "edgar-search keys list": lambda: edgar_search(["keys", "list"]),
    "edgar-search search": lambda: edgar_search(["search", "goodwill"]),
}
SECONDS = 0.3
NO_CONNECTION = (
    "the search engine is not reachable: no address of EDGAR_SEARCH_ES_URL takes connections; is"
    " it running there?"
)
TIMED_OUT = (
    "the search engine did not answer within 0.3 s: if its cluster is only busy, raise"
    " EDGAR_SEARCH_ES_TIMEOUT; else a node hangs"
)


@pytest.fixture(params=COMMANDS)
def command(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("EDGAR_SEARCH_ES_TIMEOUT", str(SECONDS))
    found: Command = COMMANDS[request.param]
    return found


@contextmanager
def listening(*, backlog: int | None) -> Iterator[str]:
    """The address of a port that never answers, or that takes no connections without a backlog."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if backlog is not None:
            listener.listen(backlog)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_address_that_takes_no_connections_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listening(backlog=None) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert command() == 1
    assert NO_CONNECTION in capsys.readouterr().err


def test_address_that_never_answers_is_told_from_one_that_is_not_there(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listening(backlog=50) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert command() == 1
    assert TIMED_OUT in capsys.readouterr().err


def test_load_says_so_too_after_it_has_waited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("EDGAR_SEARCH_ES_TIMEOUT", str(SECONDS))
    monkeypatch.setenv("EDGAR_SEARCH_LOAD_PATIENCE", "0")
    with listening(backlog=50) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert edgar_ingest(["load", "samples"]) == 1
    said = capsys.readouterr().err
    assert "did not answer within 0.3 s (waited 0 s, EDGAR_SEARCH_LOAD_PATIENCE); start" in said
    assert "if its cluster is only busy, raise EDGAR_SEARCH_ES_TIMEOUT; else a node hangs" in said


@contextmanager
def busy_cluster(status: int, delay: float) -> Iterator[str]:
    """Yield the address of a cluster without templates, which takes its time for each new one."""

    async def answer(request: web.Request) -> web.Response:
        headers = {"X-Elastic-Product": "Elasticsearch"}
        if request.method != "PUT":
            return web.json_response({}, status=404, headers=headers)
        await asyncio.sleep(delay)
        error = {"type": "process_cluster_event_timeout_exception", "reason": ""}
        return web.json_response({"error": error}, status=status, headers=headers)

    loop = asyncio.new_event_loop()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
    serving = threading.Thread(target=loop.run_forever)
    serving.start()
    try:
        yield "http://{}:{}".format(*runner.addresses[0][:2])
    finally:
        loop.call_soon_threadsafe(loop.stop)
        serving.join()
        loop.run_until_complete(runner.cleanup())
        loop.close()


@pytest.mark.parametrize("command", ["edgar-ingest templates put"], indirect=True)
def test_templates_are_put_though_the_cluster_takes_longer_than_a_search_may(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with busy_cluster(200, 2 * SECONDS) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert command() == 0
    assert capsys.readouterr().out.startswith("put: shared, filings, ")


@pytest.mark.parametrize("command", ["edgar-ingest templates put"], indirect=True)
def test_templates_have_an_end_too(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "ADMINISTRATION_TIMEOUT", 2 * SECONDS)
    with busy_cluster(200, 4 * SECONDS) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert command() == 1
    assert (
        "the search engine did not answer within 0.6 s: if its cluster is only busy, wait and run"
        " it again; else a node hangs"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("command", ["edgar-ingest templates put"], indirect=True)
def test_error_that_it_answered_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with busy_cluster(503, 0.0) as address:
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", address)
        assert command() == 1
    assert capsys.readouterr().err == (
        "edgar-ingest: the search engine is overloaded or not ready; try again later: it answered"
        " 503 process_cluster_event_timeout_exception\n"
    )
