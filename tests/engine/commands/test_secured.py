"""Every documented command on an Elasticsearch with security, under the documented roles.

The tests share the engine, in the order of this file.
"""

import asyncio
import json
import re
import urllib.error
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.accounts import UNLIMITED
from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.cli import main as edgar_search
from edgar_search.engine.engine import Engine
from ingest.cli import main as edgar_ingest
from tests.engine.upkeep.test_rebuild import left_switching
from tests.support.edgar_site import EdgarSite
from tests.support.engines import CHECKOUT
from tests.support.fetching import CONTACT
from tests.support.pages import Browser, open_pages
from tests.support.secured import ADMINISTRATOR, Secured, secured_engine
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import serving_users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.long]
SERVICE, INGEST, BACKUP = "edgar_service", "edgar_ingest", "edgar_backup"
SAMPLES = CHECKOUT / "samples"
NUMBER = "0009990101-25-000004"
MARBLE = MadeUpEntity("0009990188", "MARBLE")
TRIGGER = {"name": "paper", "query": "paper", "filters": {}}


@pytest.fixture(scope="module")
def secured() -> Iterator[Secured]:
    with secured_engine() as secured:
        yield secured


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(
    secured: Secured,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Runs a command of one of the programs as one of the users; its exit status and output."""

    def run(user: str, line: str, main: Callable[[list[str]], int] = edgar_ingest) -> Any:
        settings = secured.settings(user, home)
        monkeypatch.setenv("EDGAR_SEARCH_ES_URL", secured.url)
        monkeypatch.setenv("EDGAR_SEARCH_ES_USER", user)
        monkeypatch.setenv("EDGAR_SEARCH_ES_PASSWORD", str(settings.es_password))
        monkeypatch.setenv("EDGAR_SEARCH_HOME", str(home))
        status = main(line.split())
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


LOADING = [
    "templates put",
    "templates diff",
    f"load {SAMPLES}",
    f"tickers {SAMPLES / 'company_tickers.json'}",
    "load --again",
    "indices list",
    "indices apply",
    "indices rebuild filings",
    "indices switch filings",
    "indices status",
    "indices rebuild entities",
    "indices switch entities",
    "indices back filings",
    "load --archive",
    "indices prune",
    "indices rebuild passages",
    "indices abandon passages",
    "indices rebuild documents",
    "indices status",
    "indices switch documents",
    "indices prune --previous",
    f"delete {NUMBER}",
    f"load {SAMPLES}",
]


@pytest.mark.parametrize("line", LOADING)
def test_loader_may_what_it_documents(command: Command, line: str) -> None:
    status, said = command(INGEST, line)
    assert status == 0, said


def test_loader_may_take_over_a_switch_that_was_killed(
    command: Command, secured: Secured, home: Path
) -> None:
    async def leave() -> None:
        settings = secured.settings(INGEST, home)
        engine = Engine.from_settings(settings)
        try:
            await left_switching(engine, settings, "sections")
        finally:
            await engine.close()

    assert command(INGEST, "indices rebuild sections")[0] == 0
    asyncio.run(leave())
    status, said = command(INGEST, "indices status")
    assert (status, "is held by process 1 on elsewhere" in said) == (3, True), said
    status, said = command(INGEST, "indices resume sections")
    assert status == 0, said
    assert command(INGEST, "indices status")[0] == 0


def test_loader_may_fetch(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    day = date(2021, 1, 4)
    number = f"0009990188-21-00000{day.day}"
    made = MadeUp(number, (MARBLE,), (MadeUpDocument("Moss.\n"),), filing_date=day)
    with EdgarSite([txt(made)]).serving() as site:
        monkeypatch.setenv("EDGAR_SEARCH_EDGAR_URL", site.url)
        monkeypatch.setenv("EDGAR_SEARCH_CONTACT", CONTACT)
        status, said = command(INGEST, f"fetch --from {day} --to {day}")
        assert (status, '"loaded": 1' in said) == (0, True), said
        status, said = command(INGEST, f"check --from {day} --to {day}")
        assert (status, '"searchable": 1' in said) == (0, True), said


def test_doctor_finds_every_right(command: Command) -> None:
    for user, line in ((SERVICE, "doctor"), (INGEST, "doctor --loading")):
        status, said = command(user, line, edgar_search)
        assert status == 0, said
        rights = [line for line in said.splitlines() if " right to " in line]
        assert len(rights) == (7 if user == SERVICE else 11)
        assert {line.split()[0] for line in rights} == {"ok"}


def test_doctor_names_the_rights_that_lack(command: Command) -> None:
    status, said = command(SERVICE, "doctor --loading", edgar_search)
    wrong = [line for line in said.splitlines() if line.startswith("wrong")]
    assert status == 1
    assert [line.split(":")[0].removeprefix("wrong").strip() for line in wrong] == [
        "right to manage_index_templates",
        "right to create_index",
        "right to manage",
        "right to load",
    ]
    status, said = command(BACKUP, "doctor", edgar_search)
    assert (status, "wrong   right to read: " in said) == (1, True), said
    # What else that right is needed for is not said once more.
    assert "wrong   Elasticsearch: " not in said


@pytest.fixture(scope="module")
def key(secured: Secured, home: Path) -> str:
    """A key that the service's user has made."""

    async def make() -> str:
        engine = Engine.from_settings(secured.settings(SERVICE, home))
        try:
            return (await ApiKeys(engine).create("test", "test")).key
        finally:
            await engine.close()

    return asyncio.run(make())


def test_service_may_keep_keys(command: Command) -> None:
    status, said = command(SERVICE, "keys create --name laptop --plan unlimited", edgar_search)
    assert status == 0, said
    (made,) = re.findall(r"^id (\w+),", said, re.MULTILINE)
    status, said = command(SERVICE, f"keys rotate {made}", edgar_search)
    assert status == 0, said
    for line in (f"keys revoke {made}", "keys list --account laptop"):
        status, said = command(SERVICE, line, edgar_search)
        assert status == 0, said


SEARCHES = [
    "/v1/lookup?form_type=10-K&limit=1&cursor=*",
    "/v1/search?query=paper",
    "/v1/search?query=paper&limit=1&cursor=*&snapshot=true",
    "/v1/search?query=paper&group_by=filing&company=quillfeather",
    "/v1/facets?query=paper&by=form_type",
    "/v1/check?query=pap*",
    "/v1/coverage",
    "/v1/export?query=paper&format=jsonl",
    "/v1/export?query=paper&format=csv&what=matches",
    "/v2/fulltext_search?query=paper",
]


async def test_service_may_answer_every_request(secured: Secured, home: Path, key: str) -> None:
    # A quick machine asks more than a free account may in a second.
    settings = msgspec.structs.replace(secured.settings(SERVICE, home), default_plan=UNLIMITED.name)
    async with LifespanManager(create_app(settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            http.headers["X-API-Key"] = key
            for path in SEARCHES:
                reply = await http.get(path)
                assert reply.status_code == 200, (path, reply.text)
                if "cursor" in path:
                    walk = {"cursor": reply.json()["next_cursor"]}
                    reply = await http.get(path.partition("?")[0], params=walk)
                    assert reply.status_code == 200, (path, reply.text)
            found = (await http.get("/v1/search?query=paper")).json()["items"][0]["document_id"]
            for path in ("/v1/matches", "/v1/text"):
                given = {"document_id": found} | ({"query": "paper"} if "match" in path else {})
                reply = await http.get(path, params=given)
                assert reply.status_code == 200, (path, reply.text)
            assert (await http.get("/health/ready")).status_code == 200


async def test_service_may_keep_what_users_have(secured: Secured, home: Path) -> None:
    settings = secured.settings(SERVICE, home)
    async with serving_users(settings, 1) as users:
        user = users.new()
        await user.post("alert_triggers/add", TRIGGER)
        await user.post("api_keys/create", {"name": "laptop"})
        assert (await user.get("alert_triggers/get"))["total_count"] == 1
    async with open_pages(settings) as app:
        browser = Browser(app)
        assert (await browser.sign_in("somebody")).status_code == 303
        for path in ("/account", "/account/usage", "/account/history", "/search?query=paper"):
            page = await browser.get(path)
            assert page.status_code == 200, (path, page.text)
        await browser.http.aclose()


def test_service_may_match_alerts(command: Command) -> None:
    for line in ("alerts --once", "alerts --status"):
        status, said = command(SERVICE, line, edgar_search)
        assert status == 0, said
    assert json.loads(said)["waiting"] == 0


def test_service_may_not_touch_what_is_loaded(command: Command) -> None:
    status, said = command(SERVICE, f"delete {NUMBER}")
    assert (status, "Traceback" in said) == (1, False), said
    status, said = command(SERVICE, "templates put")
    assert (status, "Traceback" in said) == (1, False), said


def test_service_may_export_and_delete_an_account(command: Command) -> None:
    assert command(SERVICE, "keys create --name leaving", edgar_search)[0] == 0
    status, said = command(SERVICE, "accounts export leaving", edgar_search)
    assert (status, '"complete":true' in said) == (0, True), said
    status, said = command(SERVICE, "accounts delete leaving --yes", edgar_search)
    assert (status, "deleted from account leaving: 1 API keys" in said) == (0, True), said


def test_backup_may_take_a_snapshot_and_read_nothing(
    secured: Secured, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = {"type": "fs", "settings": {"location": str(secured.snapshots)}}
    secured.ask(ADMINISTRATOR, "PUT", "/_snapshot/backup", repository)
    monkeypatch.setenv("EDGAR_SEARCH_BACKUP_REPOSITORY", "backup")
    for line in ("backups create", "backups list"):
        status, said = command(BACKUP, line)
        assert (status, "\tcomplete\t" in said) == (0, True), said
    name = said.split("\t")[0]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        secured.ask(BACKUP, "GET", "/edgar-filings/_search")
    status, said = command("edgar_restore", "restore --replace")
    assert (status, f"restored {name}" in said) == (0, True), said
    # The user of the service looks how old the last one is.
    backups = secured.ask(SERVICE, "GET", "/_snapshot/backup/*")["snapshots"]
    assert [backup["snapshot"] for backup in backups] == [name]
    secured.ask(BACKUP, "DELETE", f"/_snapshot/backup/{name}")
