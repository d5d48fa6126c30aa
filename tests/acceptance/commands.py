"""The commands as users run them: processes of their own, with settings from the environment."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

SCRIPTS = Path(sys.executable).parent
START_SECONDS = 30
LOAD_SECONDS = 300
_MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)


class Outcome(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    lines: list[str]
    errors: str

    def summary(self) -> dict[str, Any]:
        """The JSON on its last line."""
        summary: dict[str, Any] = json.loads(self.lines[-1])
        return summary


class Installation(NamedTuple):
    """An installation, known to every command by these settings."""

    settings: dict[str, str]

    def run(self, *command: str | Path) -> Outcome:
        """Run a command to its end."""
        words = [str(SCRIPTS / command[0]), *map(str, command[1:])]
        ended = subprocess.run(
            words,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=LOAD_SECONDS,
        )
        return Outcome(ended.returncode, ended.stdout.splitlines(), ended.stderr)

    def new_key(self, name: str) -> str:
        """An API key, made by the command."""
        made = self.run("edgar-search", "keys", "create", "--name", name)
        assert made.status == 0, made.errors
        return made.lines[-1]

    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.settings}


class Service(NamedTuple):
    """A running service; `log` is what it prints."""

    url: str
    log: Path

    def get(self, path: str, key: str | None, **parameters: Any) -> httpx.Response:
        """One request on a connection of its own."""
        headers = {"X-API-Key": key} if key else {}
        return httpx.get(self.url + path, params=parameters, headers=headers, timeout=30)


class Asker:
    """A client with a valid key, whose requests are to succeed."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def search(self, query: str, **parameters: Any) -> dict[str, Any]:
        """The reply of /v1/search."""
        return self._get("/v1/search", {"query": query, **parameters})

    def lookup(self, **parameters: Any) -> dict[str, Any]:
        """The reply of /v1/lookup."""
        return self._get("/v1/lookup", parameters)

    def hits(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        """All hits, page by page."""
        items: list[dict[str, Any]] = []
        while True:
            reply = self.search(query, limit=100, offset=len(items), **parameters)
            items += reply["items"]
            if not reply["items"]:
                assert reply["total_count"] == len(items)
                return items

    def _get(self, path: str, parameters: dict[str, Any]) -> dict[str, Any]:
        response = self._http.get(path, params=parameters)
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        return reply


@contextmanager
def serving(installation: Installation, folder: Path) -> Iterator[Service]:
    """The service on a free port, ready; stopped as an operator stops it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(SCRIPTS / "edgar-search"), "serve", "--port", str(port)]
    service = Service(f"http://127.0.0.1:{port}", folder / "service.log")
    with service.log.open("w") as log:
        environment = installation.environment()
        with subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:
            try:
                _await_ready(service, process)
                yield service
            finally:
                process.terminate()
                process.wait(30)


def _await_ready(service: Service, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, service.log.read_text()
        try:
            if service.get("/health/ready", None).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"the service was not ready in time: {service.log.read_text()}")


def marked(snippet: str) -> list[str]:
    """The texts that a snippet marks."""
    return _MARK.findall(snippet)
