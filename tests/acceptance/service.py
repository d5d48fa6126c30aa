"""The commands and the service as processes of their own, as an operator has them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from bench.loading import environment
from bench.service import running_service
from edgar_search.settings import Settings


class Service:
    """A service that runs, and a valid API key."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key
        self.http = httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=60)

    def search(self, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/search."""
        return self._get("/v1/search", parameters)

    def facets(self, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/facets."""
        return self._get("/v1/facets", parameters)

    def lookup(self, **parameters: Any) -> dict[str, Any]:
        """Return the reply of /v1/lookup."""
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
    """Return the summary that a command of ingest prints on its last line."""
    summary: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return summary


@contextmanager
def serving(settings: Settings, key: str) -> Iterator[Service]:
    """Yield the service on a free port of the loopback interface."""
    with running_service(settings) as running:
        service = Service(running.url, key)
        try:
            yield service
        finally:
            service.http.close()
