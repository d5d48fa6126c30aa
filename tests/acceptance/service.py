"""The commands and the service as processes of their own, as an operator has them."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from edgar_search.settings import Settings

START_SECONDS = 30.0


class Service:
    """A service that runs, and a valid API key."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=60)

    def search(self, **parameters: Any) -> dict[str, Any]:
        """The reply of /v1/search."""
        return self._get("/v1/search", parameters)

    def lookup(self, **parameters: Any) -> dict[str, Any]:
        """The reply of /v1/lookup."""
        return self._get("/v1/lookup", parameters)

    def _get(self, path: str, parameters: dict[str, Any]) -> dict[str, Any]:
        response = self.http.get(path, params=parameters)
        assert response.status_code == 200, f"{parameters}: {response.text}"
        reply: dict[str, Any] = response.json()
        return reply


def command(settings: Settings, module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run `edgar-ingest` (`ingest.cli`) or `edgar-search` (`edgar_search.cli`) to its end."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=600,
    )


def last_line_json(finished: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    """The summary that a command of ingest prints on its last line."""
    summary: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return summary


@contextmanager
def serving(settings: Settings, key: str) -> Iterator[Service]:
    """The service on a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = [sys.executable, "-m", "edgar_search.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(
        arguments, env=environment(settings), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    service = Service(f"http://127.0.0.1:{port}", key)
    try:
        _await(service)
        yield service
    finally:
        service.http.close()
        process.terminate()
        process.wait(timeout=30)


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a command that works on this installation."""
    given = {
        "EDGAR_SEARCH_HOME": str(settings.home),
        "EDGAR_SEARCH_PREFIX": settings.prefix,
        "EDGAR_SEARCH_ES_URL": settings.es_url or "",
    }
    return {**os.environ, **given}


def _await(service: Service) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            if service.http.get("/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < until, "the service did not start"
        time.sleep(0.1)
