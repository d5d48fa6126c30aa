"""Installations that are broken, each named by `edgar-search doctor` in one line, and mended by it.

Each test breaks something, runs the command, follows what its line says, and runs it again. Where
the remedy has a command, that very command is run, as it was printed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edgar_search.engine.templates import load_templates
from edgar_search.settings import Settings
from tests.support import fronts

pytestmark = [pytest.mark.any_engine, pytest.mark.long, pytest.mark.own_installation]
# One data node, no backups and a heap that others use as well are no fault of an installation.
_ASIDE = re.compile(r"warning (replicas|backups|page cache|heap of|disk of|version of)\b")
_COMMAND = re.compile(r"`((?:curl|edgar-ingest|edgar-search) [^`]+)`")
_SECONDS = 60


class Installation:
    """One installation as its operator sees it: an environment, and commands."""

    def __init__(self, settings: Settings) -> None:
        self.url = str(settings.es_url)
        self.prefix = settings.prefix
        self.environment = {
            "EDGAR_SEARCH_ES_URL": self.url,
            "EDGAR_SEARCH_PREFIX": settings.prefix,
            "EDGAR_SEARCH_HOME": str(settings.home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def run(self, command: str, **changes: str) -> tuple[int, str]:
        """Return a command of a shell: its status and what it printed."""
        done = subprocess.run(
            ["bash", "-c", command],
            env={**os.environ, **self.environment, **changes},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        return done.returncode, done.stdout

    def troubles(self, **changes: str) -> list[str]:
        """Return the lines of the report that are not ok, except for those of the machine."""
        status, said = self.run("edgar-search doctor", **changes)
        lines = said.splitlines()
        assert status == any(line.startswith("wrong ") for line in lines), said
        return [line for line in lines if not line.startswith("ok ") and not _ASIDE.match(line)]

    def trouble(self, **changes: str) -> str:
        """Return the one line that is not ok."""
        lines = self.troubles(**changes)
        assert len(lines) == 1, lines
        return lines[0]

    def follow(self, line: str, **changes: str) -> None:
        """Run what a line says is to be run."""
        commands = _COMMAND.findall(line)
        assert commands, line
        # What comes after an `or` is another way.
        for command in commands[:1] if "; or " in line else commands:
            status, said = self.run(command, **changes)
            assert (status, '"error"' in said) == (0, False), said

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Elasticsearch's answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def index(self, kind: str) -> str:
        """Return the index of a kind that is in use."""
        (name,) = self.ask("GET", f"/_alias/{self.prefix}{kind}")
        return str(name)


@pytest.fixture(scope="module")
def installation(made_settings: Settings) -> Installation:
    """An installation in which everything is there."""
    made = Installation(made_settings)
    assert made.troubles() == []
    return made


class Broken(NamedTuple):
    """A fault of an installation, and the line of the report, without the names of indices."""

    name: str
    break_it: Callable[[Installation], object]
    line: str


def lost_index(installation: Installation) -> None:
    installation.ask("DELETE", f"/{installation.index('leases')}")


def lost_template(installation: Installation) -> None:
    installation.ask("DELETE", f"/_index_template/{installation.prefix}documents")


def other_template(installation: Installation) -> None:
    template = load_templates(installation.prefix)["shared"]
    template["template"]["settings"]["refresh_interval"] = "7s"
    installation.ask("PUT", f"/_component_template/{installation.prefix}shared", template)


def older_mapping(kind: str) -> Callable[[Installation], None]:
    def break_it(installation: Installation) -> None:
        path = f"/{installation.index(kind)}/_mapping"
        installation.ask("PUT", path, {"_meta": {"version": 0}})

    return break_it


def lost_alias(installation: Installation) -> None:
    lost = {"index": installation.index("usage"), "alias": f"{installation.prefix}usage"}
    installation.ask("POST", "/_aliases", {"actions": [{"remove": lost}]})


def closed(*kinds: str) -> Callable[[Installation], None]:
    def break_it(installation: Installation) -> None:
        for kind in kinds:
            installation.ask("POST", f"/{installation.index(kind)}/_close")

    return break_it


def red(setting: str, value: str) -> Callable[[Installation], None]:
    """Return an index that no node may hold.

    A node keeps what it holds already, so it is made anew.
    """

    def break_it(installation: Installation) -> None:
        name = installation.index("snapshots")
        aliases = installation.ask("GET", f"/{name}/_alias")[name]["aliases"]
        installation.ask("DELETE", f"/{name}")
        settings = {f"index.routing.allocation.{setting}": value}
        body = {"settings": settings, "aliases": aliases}
        installation.ask("PUT", f"/{name}?wait_for_active_shards=0", body)

    return break_it


def blocked(block: str, *kinds: str) -> Callable[[Installation], None]:
    def break_it(installation: Installation) -> None:
        for kind in kinds:
            path = f"/{installation.index(kind)}/_settings"
            installation.ask("PUT", path, {f"index.blocks.{block}": True})

    return break_it


def killed_switch(installation: Installation) -> None:
    """A switch that ended where the old index takes no writes, as by a kill."""
    assert installation.run("edgar-ingest indices rebuild sessions")[0] == 0
    name = installation.index("sessions")
    held = {"stage": "switching", "holder": "process 1", "blocked_at": "2026-01-02T03:04:05Z"}
    path = f"/{installation.prefix}rebuilds/_update/sessions.all?refresh=true"
    installation.ask("POST", path, {"doc": held})
    installation.ask("PUT", f"/{name}/_settings", {"index.blocks.write": True})


CASES = [
    Broken("lost index", lost_index, "wrong indices: there is none for leases; run `edgar-ingest"),
    Broken(
        "lost template",
        lost_template,
        "wrong templates: documents: missing, so new indices would lack them; run"
        " `edgar-ingest templates put`",
    ),
    Broken(
        "other template",
        other_template,
        "warning templates: shared: different from this version's, such as"
        " `- template.settings.refresh_interval: 7s`; run `edgar-ingest templates put`",
    ),
    Broken(
        "older mapping of the usage",
        older_mapping("usage"),
        "warning mapping version: P-usage.all.v1 has 0, this version of edgar-search N; run"
        " `edgar-ingest templates put`",
    ),
    Broken(
        "older mapping of filings",
        older_mapping("filings"),
        "warning mapping version: P-filings.all.v1 has 0, this version of edgar-search N; run"
        " `edgar-ingest update`",
    ),
    Broken(
        "older mapping of entities",
        older_mapping("entities"),
        "warning mapping version: P-entities.all.v1 has 0, this version of edgar-search N; run"
        " `edgar-ingest indices rebuild entities`, then `edgar-ingest indices switch entities`",
    ),
    Broken(
        "lost alias",
        lost_alias,
        "wrong aliases: P-usage: missing; run `edgar-ingest templates put`",
    ),
    Broken(
        "closed index",
        closed("documents"),
        "wrong closed: P-documents.all.v1 is closed, and can be neither searched nor written; run",
    ),
    Broken(
        "two closed indices",
        closed("ledger", "leases"),
        "wrong closed: P-leases.all.v1, P-ledger.all.v1 are closed, and can be neither searched"
        " nor written; run",
    ),
    Broken(
        "index that a filter keeps from all nodes",
        red("require._name", "nowhere"),
        "wrong red: P-snapshots.all.v1: no node may hold it, since node does not match index"
        ' setting [index.routing.allocation.require] filters [_name:"nowhere"]; run',
    ),
    Broken(
        "index without allocation",
        red("enable", "none"),
        "wrong red: P-snapshots.all.v1: no node may hold it, since no allocations are allowed due"
        " to index setting [index.routing.allocation.enable=none]; run",
    ),
    Broken(
        "indices that take no writes",
        blocked("write", "usage", "accounts"),
        "wrong write block: P-accounts.all.v1, P-usage.all.v1 have index.blocks.write; run",
    ),
    Broken(
        "index that is only read",
        blocked("read_only", "arrivals"),
        "wrong write block: P-arrivals.all.v1 has index.blocks.read_only; run",
    ),
    Broken(
        "switch that was killed",
        killed_switch,
        "warning write block: P-sessions.all.v1 is held by process 1 since 2026-01-02 03:04:05 UTC;"
        " if that process is gone, run `edgar-ingest indices resume sessions.all`",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_is_broken_in_elasticsearch_is_one_line_and_mended_by_its_command(
    installation: Installation, case: Broken
) -> None:
    case.break_it(installation)
    line = installation.trouble()
    said = re.sub(r" +", " ", line.replace(installation.prefix, "P-"))
    assert re.sub(r"edgar-search \d+;", "edgar-search N;", said).startswith(case.line)
    installation.follow(line)
    eventually(lambda: installation.troubles() == [])


def eventually(content: Callable[[], bool]) -> None:
    """Wait until an index that was opened is ready."""
    until = time.monotonic() + 15
    while not content():
        assert time.monotonic() < until
        time.sleep(0.5)


def test_installation_without_indices_is_one_line(installation: Installation) -> None:
    bare = {"EDGAR_SEARCH_PREFIX": f"{installation.prefix}bare-"}
    line = installation.trouble(**bare)
    assert line.startswith("wrong   indices: there is none for filings, documents, ")
    installation.follow(line, **bare)
    assert installation.troubles(**bare) == []


def test_address_at_which_nothing_listens(installation: Installation) -> None:
    line = installation.trouble(EDGAR_SEARCH_ES_URL=f"http://127.0.0.1:1,{installation.url}")
    assert line.startswith("wrong   address 1: 127.0.0.1:1: no answer: nothing listens there; ")
    assert line.endswith("or remove it from EDGAR_SEARCH_ES_URL if others are left")
    assert installation.troubles() == []


def test_cluster_that_is_away_is_one_line(installation: Installation) -> None:
    line = installation.trouble(
        EDGAR_SEARCH_ES_URL="http://127.0.0.1:1,http://127.0.0.1:2,http://127.0.0.1:3"
    )
    assert line.startswith(
        "wrong   addresses 1, 2, 3: 127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3: no answer: nothing"
    )
    assert installation.troubles() == []


def test_name_that_no_machine_has(installation: Installation) -> None:
    urls = f"{installation.url},http://nowhere.invalid:9200"
    line = installation.trouble(EDGAR_SEARCH_ES_URL=urls)
    assert line == (
        "wrong   address 2: nowhere.invalid:9200: no machine is known by this name; correct it"
        " in EDGAR_SEARCH_ES_URL"
    )
    assert installation.troubles() == []


def test_cluster_that_hangs_is_one_line_within_seconds(installation: Installation) -> None:
    with fronts.silent() as port:
        began = time.monotonic()
        line = installation.trouble(EDGAR_SEARCH_ES_URL=f"http://127.0.0.1:{port}")
        assert time.monotonic() - began < 30
        assert line == (
            f"wrong   address 1: 127.0.0.1:{port}: no answer: it takes connections, and sends"
            " nothing within 2 s; find out why it hangs and restart it, or remove it from"
            " EDGAR_SEARCH_ES_URL if others are left"
        )
        # Taken out, or with the others that answer, it keeps nothing from being looked at.
        both = f"http://127.0.0.1:{port},{installation.url}"
        assert len(installation.troubles(EDGAR_SEARCH_ES_URL=both)) == 1
    assert installation.troubles() == []


def test_cluster_that_stops_answering_is_one_line_within_seconds(
    installation: Installation,
) -> None:
    with fronts.stalling_front(installation.url, "/_settings/index.uuid") as port:
        began = time.monotonic()
        line = installation.trouble(EDGAR_SEARCH_ES_URL=f"http://127.0.0.1:{port}")
        assert time.monotonic() - began < 40
    assert line.startswith("wrong   Elasticsearch: stopped answering: ")
    assert installation.troubles() == []


def test_plain_port_that_is_asked_by_https(installation: Installation) -> None:
    url = installation.url.replace("http:", "https:")
    line = installation.trouble(EDGAR_SEARCH_ES_URL=url)
    at = installation.url.removeprefix("http://")
    assert line == (
        f"wrong   address 1: {at}: it speaks http, not https; write it with http:// in"
        " EDGAR_SEARCH_ES_URL"
    )
    (scheme,) = re.findall(r"write it with (\S+) in", line)
    assert installation.troubles(EDGAR_SEARCH_ES_URL=f"{scheme}{at}") == []


def test_port_of_https_that_is_asked_plainly_and_its_authority(
    installation: Installation, tmp_path: Path
) -> None:
    certificate = fronts.write_certificate(tmp_path / "own.pem", "127.0.0.1")
    with fronts.tls_front(installation.url, certificate) as port:
        at = f"127.0.0.1:{port}"
        line = installation.trouble(EDGAR_SEARCH_ES_URL=f"http://{at}")
        assert line == (
            f"wrong   address 1: {at}: it speaks https, not http; write it with https:// in"
            " EDGAR_SEARCH_ES_URL"
        )
        changed = {"EDGAR_SEARCH_ES_URL": f"https://{at}"}
        line = installation.trouble(**changed)
        assert line == (
            f"wrong   address 1: {at}: its certificate is not accepted, self-signed certificate;"
            " set EDGAR_SEARCH_ES_CA to the file of the authority that signed it"
        )
        changed["EDGAR_SEARCH_ES_CA"] = str(certificate)
        assert installation.troubles(**changed) == []


def test_certificate_of_another_name(installation: Installation, tmp_path: Path) -> None:
    certificate = fronts.write_certificate(tmp_path / "own.pem", "127.0.0.1")
    with fronts.tls_front(installation.url, certificate) as port:
        changed = {"EDGAR_SEARCH_ES_CA": str(certificate)}
        line = installation.trouble(EDGAR_SEARCH_ES_URL=f"https://localhost:{port}", **changed)
        assert line.startswith(f"wrong   address 1: localhost:{port}: its certificate is not")
        assert line.endswith("; write a name in EDGAR_SEARCH_ES_URL that its certificate has")
        url = f"https://127.0.0.1:{port}"
        assert installation.troubles(EDGAR_SEARCH_ES_URL=url, **changed) == []


def test_password_that_is_wrong_and_commands_that_are_printed_with_it(
    installation: Installation,
) -> None:
    with fronts.guarded_front(installation.url, "operator", "right") as port:
        changed = {"EDGAR_SEARCH_ES_URL": f"http://127.0.0.1:{port}"}
        line = installation.trouble(**changed)
        assert line == (
            f"wrong   address 1: 127.0.0.1:{port}: credentials are needed, and none are set; set"
            " EDGAR_SEARCH_ES_USER and EDGAR_SEARCH_ES_PASSWORD"
        )
        changed |= {"EDGAR_SEARCH_ES_USER": "operator", "EDGAR_SEARCH_ES_PASSWORD": "wrong"}
        line = installation.trouble(**changed)
        assert line == (
            f"wrong   address 1: 127.0.0.1:{port}: the credentials of EDGAR_SEARCH_ES_USER are"
            " refused; correct them; they may have been changed there"
        )
        changed["EDGAR_SEARCH_ES_PASSWORD"] = "right"
        assert installation.troubles(**changed) == []
        closed("secrets")(installation)
        line = installation.trouble(**changed)
        assert "right" not in line
        installation.follow(line, **changed)
        eventually(lambda: installation.troubles(**changed) == [])


def test_address_of_another_server(installation: Installation) -> None:
    with fronts.another_server() as port:
        urls = f"http://127.0.0.1:{port},{installation.url}"
        line = installation.trouble(EDGAR_SEARCH_ES_URL=urls)
    assert line.startswith(
        f"wrong   address 1: 127.0.0.1:{port}: something answers that is not Elasticsearch, "
    )
    assert installation.troubles() == []


def test_address_of_another_cluster(installation: Installation) -> None:
    with fronts.another_cluster() as port:
        urls = f"http://127.0.0.1:{port},{installation.url}"
        line = installation.trouble(EDGAR_SEARCH_ES_URL=urls)
    assert line == (
        f"wrong   address 1: 127.0.0.1:{port}: another cluster: it has none of the indices that"
        " address 2 has; correct it, or remove it from EDGAR_SEARCH_ES_URL"
    )
    assert installation.troubles() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk")
@pytest.mark.parametrize("archive_alone", [True, False])
def test_disk_that_is_full(
    installation: Installation, tmp_path: Path, *, archive_alone: bool
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=True)
    try:
        filler = disk / "filler"
        filler.write_bytes(bytes(7_500_000))
        changed = {"EDGAR_SEARCH_FREE_BYTES": "4000000"}
        if archive_alone:
            changed["EDGAR_SEARCH_ARCHIVE_URL"] = f"file://{disk}/archive"
        else:
            changed["EDGAR_SEARCH_HOME"] = str(disk)
        line = installation.trouble(**changed)
        of = "archive" if archive_alone else "home and the archive"
        assert line.startswith(f"wrong   disk of the {of}: 0.0 GB are free at {disk}; make room: ")
        assert line.endswith(
            "copy the archive to a larger disk and set EDGAR_SEARCH_ARCHIVE_URL to it"
        )
        filler.unlink()
        assert installation.troubles(**changed) == []
        filler.write_bytes(bytes(7_500_000))
        larger = f"file://{shutil.copytree(disk, tmp_path / 'larger')}/archive"
        moved = {**changed, "EDGAR_SEARCH_ARCHIVE_URL": larger}
        # The other way serves the archive; a home needs its room itself.
        assert len(installation.troubles(**moved)) == (0 if archive_alone else 1)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_backups_that_are_missing(installation: Installation) -> None:
    name = installation.prefix.strip("-")
    said = {"EDGAR_SEARCH_BACKUP_REPOSITORY": name}

    def of_backups() -> str:
        lines = installation.run("edgar-search doctor", **said)[1].splitlines()
        (line,) = [each for each in lines if " backups: " in each]
        return line.split(maxsplit=2)[0] + " " + line.split(": ", 1)[1]

    assert of_backups().startswith("wrong EDGAR_SEARCH_BACKUP_REPOSITORY: Elasticsearch has no ")
    place = {"type": "fs", "settings": {"location": name}}
    installation.ask("PUT", f"/_snapshot/{name}", place)
    try:
        line = of_backups()
        assert line == f"warning there is none yet in `{name}`; run `edgar-ingest backups create`"
        installation.follow(line, **said)
        assert re.fullmatch(r"ok the last complete one, \S+, is 0 hours old", of_backups())
    finally:
        for each in installation.ask("GET", f"/_snapshot/{name}/*")["snapshots"]:
            installation.ask("DELETE", f"/_snapshot/{name}/{each['snapshot']}")
        installation.ask("DELETE", f"/_snapshot/{name}")


def test_home_that_is_no_folder(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = installation.trouble(EDGAR_SEARCH_HOME=f"{tmp_path}/file")
    assert line == (
        f"wrong   home: {tmp_path}/file is not a folder that this user may write to;"
        " set EDGAR_SEARCH_HOME, or give this user access to it"
    )
    assert installation.troubles(EDGAR_SEARCH_HOME=str(tmp_path)) == []


def test_account_on_a_plan_that_is_not_set(installation: Installation) -> None:
    plans = {"EDGAR_SEARCH_PLANS": "gold=5/5"}
    command = "edgar-search keys create --name laptop --account alice --plan gold"
    assert installation.run(command, **plans)[0] == 0
    installation.ask("POST", f"/{installation.prefix}*/_refresh")
    line = installation.trouble()
    assert line.startswith(
        "warning accounts: 1 accounts are on plans that are not set here: gold; "
    )
    assert installation.troubles(**plans) == []
    assert installation.run("edgar-search keys create --name b --account alice --plan free")[0] == 0
    eventually(lambda: installation.troubles() == [])


def test_plans_that_cannot_be_read(installation: Installation) -> None:
    line = installation.trouble(EDGAR_SEARCH_PLANS="gold")
    assert line.startswith("wrong   settings: EDGAR_SEARCH_PLANS: `gold` is not a plan; ")
    assert installation.troubles(EDGAR_SEARCH_PLANS="gold=5/5") == []


def test_no_address_and_no_engine(installation: Installation, tmp_path: Path) -> None:
    nowhere = {"EDGAR_SEARCH_ES_URL": "", "EDGAR_SEARCH_HOME": str(tmp_path)}
    status, said = installation.run("env -u EDGAR_SEARCH_ES_URL edgar-search doctor", **nowhere)
    (line,) = [splitline for splitline in said.splitlines() if not splitline.startswith("ok ")]
    assert (status, line) == (
        1,
        "wrong   Elasticsearch: no address is set, and no embedded engine runs; set"
        " EDGAR_SEARCH_ES_URL, or run `edgar-search engine up`",
    )
    assert installation.troubles() == []
