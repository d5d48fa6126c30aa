"""`edgar-search clients env`, and the hook that it puts before programs for EDGAR."""

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from edgar_search.cli import main
from edgar_search.commands.clients import HOOK

KEY = "sk_live_" + "a" * 43
ASKED = {
    "urllib": "import urllib.request as u; print(u.urlopen({0!r}).read().decode())",
    "urllib request": (
        "import urllib.request as u;"
        " print(u.urlopen(u.Request({0!r}, headers={{'Host': 'www.sec.gov'}})).read().decode())"
    ),
    "httpx": "import httpx; print(httpx.get({0!r}).text)",
    "httpx client": (
        "import httpx; print(httpx.Client(base_url='https://www.sec.gov').get({1!r}).text)"
    ),
    "aiohttp": (
        "import asyncio, aiohttp\n"
        "async def ask():\n"
        " async with aiohttp.ClientSession() as s, s.get({0!r}) as r: print(await r.text())\n"
        "asyncio.run(ask())"
    ),
    "requests": (
        "import requests; print(requests.get({0!r}, headers={{'Host': 'data.sec.gov'}}).text)"
    ),
}


class Echo(BaseHTTPRequestHandler):
    """Answers with what was requested."""

    def do_GET(self) -> None:
        """Answer a request."""
        asked = {"path": self.path, "host": self.headers["Host"], "key": self.headers["X-API-Key"]}
        body = json.dumps(asked).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """The address of a server in place of an installation."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("library", ASKED)
@pytest.mark.parametrize("host", ["www.sec.gov", "data.sec.gov", "efts.sec.gov"])
def test_requests_go_to_the_installation(echo: str, library: str, host: str) -> None:
    if library == "requests":
        pytest.importorskip("requests")
    path = "/LATEST/search-index?q=%22a+b%22"
    code = ASKED[library].format(f"https://{host}{path}", path)
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(HOOK),
        "EDGAR_MIRROR_URL": f"http://{echo}/",
        "EDGAR_MIRROR_KEY": KEY,
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"path": path, "host": echo, "key": KEY}


def test_other_addresses_stay_and_a_hidden_module_is_imported(echo: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('other')\n")
    code = f"import urllib.request as u; print(u.urlopen('http://{echo}/x').read().decode())"
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{HOOK}{os.pathsep}{tmp_path}",
        "EDGAR_MIRROR_URL": "http://127.0.0.1:9/nowhere",
        "EDGAR_MIRROR_KEY": KEY,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    said, answer = done.stdout.splitlines()
    assert said == "other"
    assert json.loads(answer) == {"path": "/x", "host": echo, "key": None}


def test_env_prints_what_a_shell_exports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clients", "env", "--url", "https://filings.example/", "--key", KEY]) == 0
    lines = [shlex.split(line) for line in capsys.readouterr().out.splitlines()]
    given = dict(each[1].split("=", 1) for each in lines)
    assert given.pop("PYTHONPATH").startswith(str(HOOK))
    url = "https://filings.example"
    assert given == {
        "EDGAR_MIRROR_URL": url,
        "EDGAR_BASE_URL": url,
        "EDGAR_DATA_URL": url,
        "EDGAR_MIRROR_KEY": KEY,
    }
