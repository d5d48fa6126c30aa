"""Programs for EDGAR as published, each in an environment of its own: their requirements disagree.

`python -m tests.support.edgar_clients` makes all that are missing, as `make clients` does. They are
kept below `.edgar/clients/`.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

_FOLDER = Path(__file__).parents[2] / ".edgar" / "clients"


class Client(NamedTuple):
    """A program's requirement, and what else it is installed with.

    With `alone` its own requirements are not installed, but those in `beside`.
    """

    requirement: str
    beside: tuple[str, ...] = ()
    alone: bool = False


# The limiter of version 4 has other names, which these do not know.
_LIMITER = "pyrate-limiter<4"
CLIENTS = {
    "sec-edgar-downloader": Client("sec-edgar-downloader==5.1.0"),
    "sec-edgar-api": Client("sec-edgar-api==1.1.0", (_LIMITER,)),
    "secedgar": Client("secedgar==0.6.0", (_LIMITER,)),
    "python-edgar": Client("python-edgar==3.1.3"),
    "edgar-tool": Client("edgar-tool==2.1.2"),
    "openbb": Client("openbb-sec==2.0.0"),
    # The newest version whose extension for HTTP is on PyPI.
    "duckdb": Client("duckdb==1.5.5", ("duckdb-extension-httpfs==1.5.5",)),
    # Its modules of EDGAR's search need no more; the whole package has forty requirements.
    "datamule": Client("datamule==5.0.2", ("aiohttp", "tqdm"), alone=True),
    "edgartools": Client(
        "edgartools==5.62.1",
        (
            *("beautifulsoup4", "certifi", "httpx<0.29", "httpxthrottlecache[httpx]", "humanize"),
            *("jinja2", "lxml", "mcp>=1.28.1,<2", "nest-asyncio", "orjson", "pandas", "pyarrow"),
            *("pydantic", _LIMITER, "rank-bm25", "rapidfuzz", "rich", "stamina", "tabulate"),
            *("textdistance", "tqdm", "truststore", "unidecode"),
        ),
        alone=True,
    ),
}
_SMALL = ("datamule", "sec-edgar-api", "sec-edgar-downloader")


def python_of(name: str) -> Path:
    """Return the interpreter of a program's environment; skip the test without it.

    Environments of a few megabytes are made if they are missing.
    """
    if not _is_made(name):
        if name not in _SMALL:
            pytest.skip(f"{name} is missing: `make clients` installs it")
        if failure := make(name):
            pytest.skip(f"{name} cannot be installed, as without PyPI: {failure}")
    return _python(name)


def make(name: str) -> str:
    """Make a program's environment anew; return the last line of pip's error, or ""."""
    client, folder = CLIENTS[name], _FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder)
    steps = [[*client.beside, client.requirement]]
    if client.alone:
        steps = [[*client.beside], ["--no-deps", client.requirement]]
    for step in steps:
        command = [sys.executable, "-m", "pip", "--python", str(_python(name)), "install"]
        command += ["--quiet", "--disable-pip-version-check", "--retries", "1", *step]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip().rpartition("\n")[2]
    _mark(name).write_text(client.requirement)
    return ""


def _is_made(name: str) -> bool:
    return _mark(name).exists() and _mark(name).read_text() == CLIENTS[name].requirement


def _mark(name: str) -> Path:
    """Return the file with the installed version, which is written last."""
    return _FOLDER / name / "installed"


def _python(name: str) -> Path:
    return _FOLDER / name / "bin" / "python"


def main() -> int:
    """Make the missing environments, and print those that could not be made."""
    failures = {name: failure for name in CLIENTS if not _is_made(name) and (failure := make(name))}
    for name, failure in failures.items():
        print(f"{name}: {failure}; the tests that need it will be skipped", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
