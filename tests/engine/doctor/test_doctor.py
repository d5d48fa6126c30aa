"""The report of `edgar-search doctor` on an installation that works, and on broken ones."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.alerts.webhooks import delivery_key
from edgar_search.doctor import doctor
from edgar_search.doctor.doctor import examine
from edgar_search.doctor.findings import Finding
from edgar_search.engine.engine import Engine
from edgar_search.events.log import EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import StoredEvent
from edgar_search.stored.installation import StoredRebuild
from edgar_search.stored.user_items import SentEvent, StoredDelivery

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


async def report(settings: Settings) -> dict[str, Finding]:
    return {finding.what: finding async for finding in examine(settings)}


async def wrong(settings: Settings) -> list[str]:
    found = (await report(settings)).values()
    return [finding.line for finding in found if finding.level == "wrong"]


async def test_nothing_is_wrong_where_everything_is_there(made_settings: Settings) -> None:
    found = await report(made_settings)
    assert [finding.line for finding in found.values() if finding.level == "wrong"] == []
    expected = {"settings", "archive", "address 1", "indices", "aliases", "write blocks", "clock"}
    assert {name for name, finding in found.items() if finding.level == "ok"} >= expected
    assert found["right to write"].level == "ok"


async def test_rights_are_tried_without_changing_anything(
    engine: Engine, made_settings: Settings
) -> None:
    async def state() -> Any:
        paths = ("_alias", "_mapping", "_count", "_settings")
        names = f"/{made_settings.prefix}*"
        return [await engine.administer("GET", f"{names}/{path}") for path in paths]

    before = await state()
    found = {each.what: each async for each in examine(made_settings, loading=True)}
    rights = {name: each for name, each in found.items() if name.startswith("right to ")}
    assert {each.level for each in rights.values()} == {"ok"}
    assert [name.removeprefix("right to ") for name in rights] == [
        "read",
        "view_index_metadata",
        "maintenance",
        "monitor",
        "write",
        "create_index of the history",
        "manage the history",
        "write the history",
        "manage_index_templates",
        "create_index",
        "manage",
        "load",
    ]
    assert await state() == before


async def test_missing_indices_are_said_with_the_command_that_makes_them(
    made_settings: Settings,
) -> None:
    bare = msgspec.structs.replace(made_settings, prefix=f"{made_settings.prefix}bare-")
    (line,) = await wrong(bare)
    assert line.startswith("wrong   indices: there is none for filings, documents, ")
    assert line.endswith("; run `edgar-ingest templates put`")


async def test_right_to_make_what_is_missing_is_tried_before_it_is_there(
    made_settings: Settings,
) -> None:
    bare = msgspec.structs.replace(made_settings, prefix=f"{made_settings.prefix}bare-")
    found = {each.what: each.level async for each in examine(bare, loading=True)}
    rights = {name: level for name, level in found.items() if name.startswith("right to ")}
    assert rights == {"right to manage_index_templates": "ok"}


async def test_address_that_does_not_answer_is_said_and_the_others_are_used(
    made_settings: Settings,
) -> None:
    urls = f"http://127.0.0.1:1,{made_settings.es_url}"
    (line,) = await wrong(msgspec.structs.replace(made_settings, es_url=urls))
    assert line == (
        "wrong   address 1: 127.0.0.1:1: no answer: nothing listens there; start Elasticsearch"
        " there, correct the port in EDGAR_SEARCH_ES_URL, or remove it from EDGAR_SEARCH_ES_URL"
        " if others are left"
    )


async def test_index_without_writes_is_said_with_who_holds_it(
    engine: Engine, made_settings: Settings
) -> None:
    name = f"{made_settings.prefix}usage.all.v1"
    path = f"/{name}/_settings"
    await engine.administer("PUT", path, {"index.blocks.write": True})
    try:
        assert [line for line in await wrong(made_settings) if "write block" in line] == [
            f"wrong   write block: {name} has index.blocks.write; run `curl -sS -X PUT"
            f" {made_settings.es_url}/{name}/_settings -H 'Content-Type: application/json'"
            """ -d '{"index.blocks.write":null}'`"""
        ]
        since = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        held = StoredRebuild("switching", name, "new", "id", holder="me", blocked_at=since)
        await engine.put("rebuilds", "usage.all", held)
        found = (await report(made_settings))["write block"]
        assert found.level == "warning"
        assert found.text == f"{name} is held by me since 2026-01-02 03:04:05 UTC"
        # One that is not in use stays as it was when it was switched away from.
        left = f"{made_settings.prefix}usage.all.v7"
        await engine.create_index(left, {"settings": {"index.blocks.write": True}})
        await engine.administer("PUT", path, {"index.blocks.write": None})
        assert (await report(made_settings))["write blocks"].level == "ok"
    finally:
        await engine.administer("PUT", path, {"index.blocks.write": None})


async def test_accounts_on_plans_that_are_not_set_are_counted(
    engine: Engine, made_settings: Settings
) -> None:
    with_plan = msgspec.structs.replace(made_settings, plans="gold=5/5")
    await ApiKeys(engine).create("test", "test")
    await Accounts(engine, Plans.from_settings(with_plan)).set_plan("test", "gold")
    assert (await report(with_plan))["accounts"].level == "ok"
    found = (await report(made_settings))["accounts"]
    assert found.text == "1 accounts are on plans that are not set here: gold"


async def test_lag_of_alerts_and_deliveries_is_said(
    engine: Engine, made_settings: Settings
) -> None:
    await EventLog(engine).mark()
    found = await report(made_settings)
    behind = "0 s behind; no process has the lease"
    assert [found[each].text for each in ("alerts", "deliveries")] == [behind, behind]
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    arrived = StoredEvent("loaded", hour_ago, "0009990001-26-000001", arrivals=1)
    delivery = StoredDelivery(
        "doctor", "a webhook", "1", hour_ago, hour_ago, "waiting", SentEvent("x", "{}")
    )
    await EventLog(engine).append([("an arrival", arrived)])
    await engine.create("deliveries", delivery_key("doctor", "1"), delivery)
    try:
        found = await report(made_settings)
        assert (found["alerts"].level, found["alerts"].text) == (
            "warning",
            "1 arrivals wait, the oldest for 60 minutes; no process has the lease",
        )
        assert (found["deliveries"].level, found["deliveries"].text) == (
            "warning",
            "1 webhooks and mails wait, the oldest for 60 minutes; no process has the lease",
        )
    finally:
        await engine.delete_where("deliveries", {"match_all": {}})
        await engine.delete_where("events", {"term": {"kind": "loaded"}})


async def test_archive_that_cannot_be_written_is_said(made_settings: Settings) -> None:
    place = msgspec.structs.replace(made_settings, archive_url="file:///proc/nowhere")
    (line,) = await wrong(place)
    assert line.startswith("wrong   archive: file:///proc/nowhere: ")


async def test_home_that_is_no_folder_is_said(made_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = await report(msgspec.structs.replace(made_settings, home=tmp_path / "file"))
    assert found["home"].line == (
        f"wrong   home: {tmp_path}/file is not a folder that this user may write to;"
        " set EDGAR_SEARCH_HOME, or give this user access to it"
    )


async def test_folder_that_may_not_be_looked_into_is_said_at_once(
    made_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(settings: Settings) -> list[Finding]:
        raise PermissionError(13, "Permission denied", "/closed/home")

    monkeypatch.setattr(doctor, "look_at_places", refuse)
    (line,) = await wrong(made_settings)
    assert line == (
        "wrong   home: [Errno 13] Permission denied: '/closed/home'; give this user access to"
        " it, or set EDGAR_SEARCH_HOME"
    )


async def test_address_with_a_path_is_said_and_the_report_does_not_break_off(
    made_settings: Settings,
) -> None:
    url = f"{made_settings.es_url}/elastic"
    (line,) = await wrong(msgspec.structs.replace(made_settings, es_url=url))
    at = str(made_settings.es_url).removeprefix("http://")
    assert line == (
        f"wrong   address 1: {at}: something answers that is not Elasticsearch, or not at this"
        " path;"
        " write its address in EDGAR_SEARCH_ES_URL as http://HOST:PORT or https://HOST:PORT,"
        " without any path"
    )


async def test_authority_that_cannot_be_used_is_said(
    made_settings: Settings, tmp_path: Path
) -> None:
    url, authority = "https://127.0.0.1:1", tmp_path / "ca.crt"
    lines = await wrong(msgspec.structs.replace(made_settings, es_url=url, es_ca=authority))
    assert lines == [
        f"wrong   address 1: 127.0.0.1:1: cannot be asked: EDGAR_SEARCH_ES_CA: {authority} cannot"
        " be read: No such file or directory; correct it"
    ]


async def test_plans_that_cannot_be_used_are_said_once(made_settings: Settings) -> None:
    (line,) = await wrong(msgspec.structs.replace(made_settings, plans="pro"))
    assert line.startswith("wrong   settings: EDGAR_SEARCH_PLANS: `pro` is not a plan; ")


async def test_index_members_that_cannot_be_read_are_said(
    made_settings: Settings, tmp_path: Path
) -> None:
    missing = tmp_path / "members.csv"
    (line,) = await wrong(msgspec.structs.replace(made_settings, index_members=missing))
    assert line == (
        f"wrong   settings: EDGAR_SEARCH_INDEX_MEMBERS: {missing} cannot be read:"
        " No such file or directory; correct it"
    )
