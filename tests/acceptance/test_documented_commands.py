"""Commands of README.md and docs/, run over the samples and compared with what is printed there."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.loading import environment
from edgar_search.settings import Settings
from tests.acceptance.service import Service, command, serving
from tests.support import parameter_tables
from tests.support.edgar_site import EdgarSite
from tests.support.engines import CHECKOUT, installation

pytestmark = pytest.mark.any_engine
PAGES = ("README.md", "docs/examples.md", *(f"docs/{page}" for page in parameter_tables.PAGES))
ADDRESS = "http://127.0.0.1:8000"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Documented(NamedTuple):
    """A command of a page, and the output that is printed below it."""

    page: str
    line: int
    command: str
    output: str


def commands_of(page: str) -> Iterator[Documented]:
    """Find the lines that begin with `$ `, with their continuations."""
    text = (CHECKOUT / page).read_text()
    for block in _BLOCK.finditer(text):
        first = text[: block.start(2)].count("\n") + 1
        lines = block[2].splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for start, following in pairwise([*starts, len(lines)]):
            end = start + 1
            while lines[end - 1].endswith("\\"):
                end += 1
            asked = "\n".join(lines[start:end]).removeprefix("$ ")
            yield Documented(page, first + start, asked, "\n".join(lines[end:following]))


# Commands over the samples that EDGAR has and this installation has loaded; one deletes.
INGEST = "docs/ingest.md"
# Of those that load and compare, 3 says that something is missing or differs.
_OPERATED = (0, 3)
FIDELITY = "docs/fidelity.md"
COMMANDS = [each for page in PAGES for each in commands_of(page)]
# Blocks of the pages, run in their order: a later command may use a file or variable of an earlier.
OPENED = [each.page + ":" + str(each.line) for each in COMMANDS]


@pytest.fixture(scope="module")
def samples(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, dict[str, str]]]:
    """The service over the samples, and the environment of a reader's shell."""
    home = tmp_path_factory.mktemp("home")
    settings = installation(engine_settings, "documented", home, pages="open", local_issuer=True)
    folder = CHECKOUT / "samples"
    for arguments in (("load", str(folder)), ("tickers", str(folder / "company_tickers.json"))):
        done = command(settings, "ingest.cli", *arguments)
        assert done.returncode == 0, done.stderr
    # On a quiet machine these are more calls a second than the default plan has.
    plan = ("--name", "reader", "--plan", "unlimited")
    made = command(settings, "edgar_search.cli", "keys", "create", *plan)
    token = command(settings, "edgar_search.cli", "token", "--sub", "reader")
    key = made.stdout.splitlines()[-1]
    environ = environment(settings) | {
        "KEY": key,
        "EDGAR_SEARCH_KEY": key,
        "TOKEN": token.stdout.splitlines()[-1],
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    with serving(settings, key) as service:
        yield service, environ


@pytest.fixture(scope="module")
def loading(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The environment of an operator who has loaded the samples, which EDGAR has."""
    files = sorted((CHECKOUT / "samples").glob("*.txt"))
    with EdgarSite(file.read_bytes() for file in files).serving() as site:
        settings = installation(
            engine_settings,
            "operated",
            tmp_path_factory.mktemp("operator"),
            edgar_url=site.url,
            edgar_data_url=site.url,
            contact="operator@example.com",
        )
        done = command(settings, "ingest.cli", "load", *map(str, files))
        assert done.returncode == 0, done.stderr
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        yield environment(settings) | {"PATH": path}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a reader runs the commands, with the programs where README has them."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return folder


def run(text: str, environ: dict[str, str], folder: Path, accepted: Sequence[int] = (0,)) -> str:
    done = subprocess.run(
        ["sh", "-c", f"alias curl='curl --silent'\n{text}"],
        env=environ,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in accepted, done.stderr + done.stdout
    return done.stdout


def agrees(printed: str, documented: str) -> bool:
    """Return True if output is as documented: `...` stands for anything, white space is free."""
    pieces = ["".join(piece.split()) for piece in documented.split("...")]
    rest = "".join(printed.split())
    if not rest.startswith(pieces[0]):
        return False
    if len(pieces) == 1:
        return rest == pieces[0]
    place = len(pieces[0])
    for piece in pieces[1:]:
        place = rest.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


@pytest.mark.parametrize(
    ("printed", "documented", "expected"),
    [
        ('{"a": 1, "b": [2]}\n', '{"a":1,\n "b":[2]}', True),
        ('{"a": 1, "b": [2]}\n', '{"a":1, ...]}', True),
        ('{"a": 1, "b": [2]}\n', '{"a":2, ...', False),
        ('{"a": 1, "b": [2]}\n', '{"a":1', False),
        ('{"a": 1, "b": [2]}\n', '... "b":[3] ...', False),
    ],
)
def test_comparison(printed: str, documented: str, expected: bool) -> None:
    assert agrees(printed, documented) is expected


@pytest.mark.parametrize("documented", COMMANDS, ids=OPENED)
def test_command_prints_what_its_page_shows(
    samples: tuple[Service, dict[str, str]], folder: Path, documented: Documented
) -> None:
    service, environ = samples
    printed = run(documented.command.replace(ADDRESS, service.url), environ, folder)
    assert agrees(printed, documented.output or "..."), printed[:3_000]
    assert not printed.startswith('{"error"')


@pytest.mark.parametrize("documented", list(commands_of(INGEST)), ids=lambda each: each.command)
def test_command_of_an_operator_prints_what_its_page_shows(
    loading: dict[str, str], folder: Path, documented: Documented
) -> None:
    printed = run(documented.command, loading, folder, _OPERATED)
    assert agrees(printed, documented.output), printed


@pytest.mark.long
@pytest.mark.parametrize("documented", list(commands_of(FIDELITY)), ids=lambda each: each.command)
def test_tables_of_fidelity_are_those_that_the_command_prints(
    corpus: Path, folder: Path, documented: Documented
) -> None:
    printed = subprocess.run(
        [sys.executable, *documented.command.split()[1:]],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    ).stdout
    page = {" ".join(line.split()) for line in (CHECKOUT / FIDELITY).read_text().splitlines()}
    rows = [" ".join(line.split()) for line in printed.splitlines() if line.startswith("|")]
    assert [row for row in rows if row not in page] == []
    assert rows


def test_program_of_the_examples_runs(
    samples: tuple[Service, dict[str, str]], folder: Path
) -> None:
    service, environ = samples
    text = (CHECKOUT / "docs" / "examples.md").read_text()
    (program,) = [block[2] for block in _BLOCK.finditer(text) if block[1] == "python"]
    program = f"import os\nKEY = os.environ['KEY']\n{program}".replace(ADDRESS, service.url)
    (folder / "example.py").write_text(program)
    assert "<mark>material weakness</mark>" in run(f"{sys.executable} example.py", environ, folder)


GENERATORS = CHECKOUT / ".edgar" / "generators"
CALLED = {"found": 3, "total": 7, "matches": True, "value": 74496000, "health": "ok"}


def test_generated_python_client_makes_five_calls(
    samples: tuple[Service, dict[str, str]], tmp_path: Path
) -> None:
    generator = GENERATORS / "python" / "bin" / "openapi-python-client"
    if not generator.exists():
        pytest.skip("openapi-python-client is missing: `make generators` installs it")
    service, environ = samples
    document = CHECKOUT / "docs" / "openapi.json"
    made = subprocess.run(
        [generator, "generate", "--path", document, "--meta", "none", "--output-path", "client"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stdout
    # Answers that are files are left out by the generator; it reads all others.
    assert set(
        re.findall(r"^WARNING parsing (\S+ \S+)", made.stdout + made.stderr, re.MULTILINE)
    ) == {
        f"{method} /v2/{path}"
        for method in ("GET", "POST")
        for path in ("financials/export/excel", "pdf")
    }
    (tmp_path / "client").rename(tmp_path / "edgar_search_client")
    shutil.copy(CHECKOUT / "tests" / "support" / "generated_client.py", tmp_path / "calls.py")
    python = GENERATORS / "python" / "bin" / "python"
    printed = run(f"{python} calls.py", environ | {"URL": service.url}, tmp_path)
    assert json.loads(printed) == CALLED


def test_generated_typescript_client_makes_five_calls(
    samples: tuple[Service, dict[str, str]], tmp_path: Path
) -> None:
    modules = GENERATORS / "node_modules"
    if shutil.which("node") is None or not (modules / "typescript").exists():
        pytest.skip("@hey-api/openapi-ts is missing: `make generators` installs it, with npm")
    service, environ = samples
    document = CHECKOUT / "docs" / "openapi.json"
    (tmp_path / "node_modules").symlink_to(modules)
    shutil.copy(CHECKOUT / "tests" / "support" / "generated_client.ts", tmp_path / "calls.ts")
    options: dict[str, Any] = {
        "target": "es2022",
        "module": "commonjs",
        "lib": ["es2022", "dom", "dom.iterable"],
        "types": [],
    }
    options |= {"strict": True, "skipLibCheck": True, "outDir": "made"}
    configuration = {"compilerOptions": options, "files": ["calls.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(configuration))
    text = f"""{modules}/.bin/openapi-ts --silent -i {document} -o client
        {modules}/.bin/tsc
        node made/calls.js"""
    environ = environ | {"URL": service.url}
    assert json.loads(run(f"set -e\n{text}", environ, tmp_path)) == CALLED
