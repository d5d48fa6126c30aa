"""The service as a process of its own."""

import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from typing import IO, Any

import psutil

from bench.loading import environment
from edgar_search.settings import Settings

START_SECONDS = 30.0
# The service gives requests under way ten seconds, and then writes what is not yet written. While
# it waits for a worker that starts in the place of another, up to a minute, it sees no signal.
STOP_SECONDS = 90.0
# Of what a process wrote that did not do what it should.
_LAST_BYTES = 8_000

Process = subprocess.Popen[Any]


class RunningService:
    """A worker that answers at `url`."""

    def __init__(self, process: Process, url: str) -> None:
        self.url = url
        self.process = psutil.Process(process.pid)

    def rss(self) -> int:
        """Resident memory in bytes."""
        return int(self.process.memory_info().rss)


@contextmanager
def running_service(
    settings: Settings, workers: int = 1, port: int | None = None
) -> Iterator[RunningService]:
    """Yield the service on this port of the loopback interface, or on a free one.

    Raises RuntimeError, with the end of its log, if it does not answer or does not end in time.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "edgar_search.cli", "serve"]
    command += ["--port", str(port), "--workers", str(workers)]
    # At SIGABRT it says where each of its threads is.
    given = {"EDGAR_SEARCH_DRAIN": "0", "PYTHONFAULTHANDLER": "1"}
    url = f"http://127.0.0.1:{port}"
    # A pipe that nobody reads would be full one day.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, env=environment(settings) | given, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            with ending(process):
                await_answer(f"{url}/health/ready", process)
                yield RunningService(process, url)
        except Exception as error:
            error.add_note(f"the service wrote last:\n{_last_words(log)}")
            raise


@contextmanager
def ending(process: Process) -> Iterator[None]:
    """Tell a process to end at the end; raises RuntimeError if it had to be killed."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise RuntimeError(
                f"{process.args!r} did not end in {STOP_SECONDS:g} s of SIGTERM and was killed"
            ) from None


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(url: str, process: Process) -> None:
    """Return once a GET of this process's address is answered.

    Raises RuntimeError if the process ends, or if that takes too long.
    """
    until = time.monotonic() + START_SECONDS
    answered = False
    while not answered:
        try:
            # Whoever takes a connection need not answer on it.
            with urllib.request.urlopen(url, timeout=START_SECONDS):
                answered = True
        except (OSError, HTTPException) as error:
            if time.monotonic() > until:
                raise RuntimeError(f"no answer from {url}: {error}") from None
            time.sleep(0.1)
        if process.poll() is not None:
            # If there was an answer, someone else has the port.
            raise RuntimeError(f"{process.args!r} ended with status {process.returncode}")


def _kill(process: Process) -> None:
    # The parent of several workers waits for them, and they would continue without it.
    family = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    for number in (signal.SIGABRT, signal.SIGKILL):
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(number)
        psutil.wait_procs(family, timeout=2)
    process.wait(STOP_SECONDS)


def _last_words(log: IO[bytes]) -> str:
    log.seek(max(0, log.seek(0, 2) - _LAST_BYTES))
    return log.read().decode(errors="replace")
