"""The service under torture: a process of its own whose log is kept, and what is asked of it."""

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import psutil

from bench.loading import environment
from edgar_search.settings import Settings
from edgar_search.web.server import HEALTH_SECONDS

START_SECONDS = 60.0
# Up to the exception, which alone of its lines is not indented.
_TRACEBACK = re.compile(r"^Traceback .*\n(?:[ \n].*\n?)*.*$", re.MULTILINE)
_STOP_SECONDS = 30.0
REPLY_SECONDS = 60.0


class Target(NamedTuple):
    """A service that runs, with credentials of an account without limits and of a user."""

    port: int
    process: psutil.Process
    log: Path
    key: str
    token: str

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process id of its parent, or of its only worker."""
        return self.process.pid

    def rss(self) -> int:
        """Resident memory of all its processes, in bytes."""
        family = [self.process, *self.process.children(recursive=True)]
        return sum(each.memory_info().rss for each in family)

    def workers(self) -> list[psutil.Process]:
        """Return its worker processes, where it has several: those that run, and at least one."""
        until = time.monotonic() + START_SECONDS
        while True:
            running = [child for child in self.process.children() if _is_worker(child)]
            if running:
                return running
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.05)

    def client(self, connections: int = 100) -> aiohttp.ClientSession:
        """Return a client with both credentials, which keeps its connections."""
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections),
            headers={"X-API-Key": self.key, "Authorization": f"Bearer {self.token}"},
            timeout=aiohttp.ClientTimeout(total=REPLY_SECONDS),
        )

    def faults(self) -> list[str]:
        """Return the tracebacks in its log: what nobody expected."""
        return _TRACEBACK.findall(self.log.read_text())


def _is_worker(process: psutil.Process) -> bool:
    # Python's own tracker of resources is a child too, and so is one that has ended.
    try:
        return any("spawn_main" in argument for argument in process.cmdline())
    except psutil.NoSuchProcess:
        return False


def command(settings: Settings, module: str, *arguments: str) -> str:
    """Run a command to its end, which must be a good one; its last line."""
    finished = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert finished.returncode in (0, 3), finished.stderr
    return finished.stdout.splitlines()[-1]


def new_key(settings: Settings, account: str, plan: str = "unlimited") -> str:
    """Return an API key of an account."""
    named = ("--name", account, "--account", account, "--plan", plan)
    return command(settings, "edgar_search.cli", "keys", "create", *named)


@contextmanager
def serving(
    settings: Settings,
    folder: Path,
    workers: int = 1,
    program: Sequence[str] = ("-m", "edgar_search.cli"),
) -> Iterator[Target]:
    """Yield the command `edgar-search serve`, which must end by itself when it is told to."""
    key = new_key(settings, "torture")
    token = command(settings, "edgar_search.cli", "token", "--sub", "torture")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / f"log-{port}"
    arguments = ["serve", "--port", str(port), "--workers", str(workers)]
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            env=environment(settings) | {"PYTHONUNBUFFERED": "1"},
            stderr=stderr,
        )
    target = Target(port, psutil.Process(process.pid), log, key, token)
    try:
        _await_ready(target)
        yield target
        process.send_signal(signal.SIGTERM)
        # A worker that was killed as it started keeps uvicorn waiting for its sign of life.
        process.wait(_STOP_SECONDS if workers == 1 else _STOP_SECONDS + HEALTH_SECONDS)
    finally:
        family = target.process.children(recursive=True) if process.poll() is None else []
        process.kill()
        for each in family:
            each.kill()
        process.wait()


def _await_ready(target: Target) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"{target.url}/health/ready", timeout=START_SECONDS):
                return
        except OSError:
            assert time.monotonic() < until, target.log.read_text()
            time.sleep(0.1)


async def status(client: aiohttp.ClientSession, url: str, **query: str) -> int | str:
    """Return the status of an answer, or the name of what came instead of one."""
    return await ask(client, url, query, {})


async def ask(
    client: aiohttp.ClientSession, url: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> int | str:
    """Return the same of a request with these headers."""
    try:
        async with client.get(url, params=query, headers=headers) as reply:
            await reply.read()
            return reply.status
    except (aiohttp.ClientError, TimeoutError) as error:
        return type(error).__name__


class Times(NamedTuple):
    """The durations of requests, in seconds, and their outcomes."""

    seconds: list[float]
    ended: Counter[int | str]

    def quantile(self, part: float) -> float:
        """Return the time within which this part of the requests was answered."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    def extend(self, others: "Times") -> None:
        """Take these too."""
        self.seconds.extend(others.seconds)
        self.ended.update(others.ended)

    def __str__(self) -> str:
        p50, p99 = (self.quantile(part) * 1000 for part in (0.5, 0.99))
        return (
            f"{len(self.seconds)} requests {dict(self.ended)}, p50 {p50:.0f} ms, p99 {p99:.0f} ms"
        )


async def timed(client: aiohttp.ClientSession, times: Times, url: str, **query: str) -> int | str:
    """Ask once, and note how long it took."""
    began = time.perf_counter()
    answered = await status(client, url, **query)
    times.seconds.append(time.perf_counter() - began)
    times.ended[answered] += 1
    return answered
