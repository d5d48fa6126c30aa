"""An installation of an earlier release is upgraded while it answers, and goes back by its backup.

The steps are those of docs/upgrades.md. Two services, between which a balancer would choose, are
replaced one after the other, and everything after that happens while they are searched.
"""

import io
import json
import re
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from bench.loading import environment
from bench.service import Process, ending, free_port
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT, installation

pytestmark = [pytest.mark.long, pytest.mark.any_engine]
EARLIER = "0cd460db"
QUERIES = ("revenue", '"material weakness"', "swap*", "company AND NOT merger", "risk OR tax")
PAUSE = 0.1  # between two searches
START_SECONDS = 300.0  # on two busy cores


class Release(NamedTuple):
    """The programs of a release, which work on one installation."""

    checkout: Path
    settings: Settings

    def environment(self, drain: str = "2") -> dict[str, str]:
        """Return the environment of its commands: its modules come before the present ones."""
        path = f"{self.checkout / 'src'}:{self.checkout}"
        return {**environment(self.settings), "PYTHONPATH": path, "EDGAR_SEARCH_DRAIN": drain}

    def run(self, module: str, *arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        """Run a command; its output. AssertionError for another exit status."""
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=self.environment(),
            cwd=self.checkout,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode in statuses, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def ingest(self, *arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        """Run a command of `edgar-ingest`; its output."""
        return self.run("ingest.cli", *arguments, statuses=statuses)

    def serve(self, port: int) -> Process:
        """Start a service, and return once it is ready."""
        process = subprocess.Popen(
            [sys.executable, "-m", "edgar_search.cli", "serve", "--port", str(port)],
            env=self.environment(),
            cwd=self.checkout,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + START_SECONDS
        while not ready(port):
            if process.poll() is not None or time.monotonic() > until:
                process.kill()
                process.wait()
                raise AssertionError(f"the service of {self.checkout} does not answer")
            time.sleep(0.2)
        return process


def ready(port: int) -> bool:
    """Return True if the service at a port is ready."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=30):
            return True
    except OSError:
        return False


class Balancer(threading.Thread):
    """Searches one after the other, each at a service that says it is ready."""

    def __init__(self, ports: tuple[int, ...], key: str) -> None:
        super().__init__()
        self._ports, self._headers = ports, {"X-API-Key": key}
        self._done = threading.Event()
        self.statuses: Counter[int] = Counter()
        self.totals: dict[str, set[int]] = {query: set() for query in QUERIES}

    def run(self) -> None:
        """Ask until the end, of each service in turn."""
        number = 0
        while not self._done.wait(PAUSE):
            number += 1
            query = QUERIES[number % len(QUERIES)]
            port = self._choose(number)
            status, body = self.ask(port, query)
            self.statuses[status] += 1
            if status == 200:
                self.totals[query].add(json.loads(body)["total_count"])
            else:
                print(status, body)

    def ask(self, port: int, query: str) -> tuple[int, bytes]:
        """Return the status and body of a search; 0 if there was no answer."""
        path = f"/v1/search?query={urllib.parse.quote(query)}&limit=100"
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=self._headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError as error:
            return 0, str(error).encode()

    def _choose(self, number: int) -> int:
        turn = number % len(self._ports)
        for port in (*self._ports[turn:], *self._ports[:turn]):
            if ready(port):
                return port
        raise AssertionError("no service was ready")

    def end(self) -> Counter[int]:
        """Stop asking; the number of searches by status."""
        self._done.set()
        self.join()
        return self.statuses


@contextmanager
def asking(ports: tuple[int, ...], key: str) -> Iterator[Balancer]:
    """Search beside what is done."""
    balancer = Balancer(ports, key)
    balancer.start()
    try:
        yield balancer
    finally:
        balancer.end()


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of the earlier release."""
    folder = tmp_path_factory.mktemp("earlier")
    packed = subprocess.run(["git", "archive", EARLIER], cwd=CHECKOUT, capture_output=True)
    if packed.returncode:
        pytest.skip(f"this checkout has no commit {EARLIER}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def backed_up(engine_settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an installation with a repository of its own, which goes at its end."""
    settings = installation(engine_settings, "upgrade", tmp_path / "home")
    name = f"{settings.prefix}backups"
    request_engine(
        settings, "PUT", f"/_snapshot/{name}", {"type": "fs", "settings": {"location": name}}
    )
    try:
        yield msgspec.structs.replace(settings, backup_repository=name)
    finally:
        kept = request_engine(settings, "GET", f"/_snapshot/{name}/*")["snapshots"]
        for each in kept:
            request_engine(settings, "DELETE", f"/_snapshot/{name}/{each['snapshot']}")
        request_engine(settings, "DELETE", f"/_snapshot/{name}")


def request_engine(settings: Settings, method: str, path: str, body: Any = None) -> Any:
    """Return the reply of Elasticsearch to a request of an operator."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{settings.es_url}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def found(balancer: Balancer, port: int) -> dict[str, Any]:
    """Return the total and the documents of each query."""
    answers = {}
    for query in QUERIES:
        status, body = balancer.ask(port, query)
        assert status == 200, body
        answer = json.loads(body)
        ids = sorted(item["document_id"] for item in answer["items"])
        answers[query] = (answer["total_count"], ids)
    return answers


def test_earlier_release_is_upgraded_during_searches_and_comes_back_by_its_backup(
    earlier: Path, backed_up: Settings, engine_settings: Settings, tmp_path: Path
) -> None:
    before, now = Release(earlier, backed_up), Release(CHECKOUT, backed_up)
    samples = str(earlier / "samples")
    before.ingest("load", samples)
    before.ingest("tickers", f"{samples}/company_tickers.json")
    said = before.run("edgar_search.cli", "keys", "create", "--name", "ann", "--plan", "unlimited")
    key = said.split()[-1]
    before.ingest("backups", "create")
    ports = (free_port(), free_port())
    services = [before.serve(port) for port in ports]
    began = time.monotonic()
    try:
        with asking(ports, key) as balancer:
            at_first = found(balancer, ports[0])
            for number, port in enumerate(ports):
                with ending(services[number]):
                    pass
                services[number] = now.serve(port)
            rolled = Counter(balancer.statuses)
            assert found(balancer, ports[0]) == at_first
            now.ingest("templates", "put")
            updated = json.loads(now.ingest("update").splitlines()[-1])
            assert updated["loaded"] > 0, updated
            for kind in to_rebuild(now):
                now.ingest("indices", "rebuild", kind)
                now.ingest("indices", "switch", kind, "--may-differ")
            assert to_rebuild(now) == []
            upgraded = found(balancer, ports[1])
        print(f"loaded again: {updated['loaded']}")
        print(
            f"{sum(balancer.statuses.values())} searches, {sum(rolled.values())} of them during the"
            f" rolling restart, in {time.monotonic() - began:.0f} s: {dict(balancer.statuses)}"
        )
        assert set(balancer.statuses) == {200}
        # What is loaded again is never away: a search finds a filing as it was, or as it is now.
        for query, totals in balancer.totals.items():
            assert totals <= {at_first[query][0], upgraded[query][0]}, query

        fresh = Release(CHECKOUT, installation(engine_settings, "fresh", tmp_path / "fresh"))
        fresh.ingest("load", samples)
        fresh_key = fresh.run("edgar_search.cli", "keys", "create", "--name", "ann").split()[-1]
        port = free_port()
        with ending(fresh.serve(port)):
            assert upgraded == found(Balancer((port,), fresh_key), port)
    finally:
        for service in services:
            with ending(service):
                pass
    before.ingest("restore", "--replace")
    service = before.serve(ports[0])
    with ending(service):
        assert found(Balancer(ports[:1], key), ports[0]) == at_first


def to_rebuild(release: Release) -> list[str]:
    """Return the kinds of indices that `templates diff` says need a rebuild."""
    said = release.ingest("templates", "diff", statuses=(0, 3))
    return sorted(set(re.findall(rf"{release.settings.prefix}(\w+)[^\n]*needs a rebuild", said)))
