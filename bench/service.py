"""The service as a process of its own."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from bench.loading import environment
from edgar_search.settings import Settings

START_SECONDS = 30.0


class RunningService:
    """A worker that answers at `url`."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.url = url
        self.process = psutil.Process(process.pid)

    def rss(self) -> int:
        """Resident memory in bytes."""
        return int(self.process.memory_info().rss)


@contextmanager
def running_service(settings: Settings, workers: int = 1) -> Iterator[RunningService]:
    """The service on a free port of the loopback interface."""
    port = free_port()
    command = [sys.executable, "-m", "edgar_search.cli", "serve"]
    command += ["--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen(
        command, env=environment(settings) | {"EDGAR_SEARCH_DRAIN": "0"}, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        answering(f"{url}/health/ready")
        yield RunningService(process, url)
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """A port of the loopback interface that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answering(url: str) -> None:
    """Return once a GET is answered; raises OSError where that takes too long."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
