"""Backups and restoring, by the commands: what comes back, and what is never overwritten."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from edgar_search.access.api_keys import ApiKeys
from edgar_search.engine.backups import NEEDED, backups
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import StoredLease
from ingest import cli
from ingest.loading.owner import Owner
from ingest.upkeep import backup, restore
from ingest.upkeep.backup import installed_indices
from ingest.upkeep.restore import Restore
from tests.support.commands import Ran, Run, runner
from tests.support.loading import Loads
from tests.support.serving import serving
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio]
ENTITY = MadeUpEntity("0009990177", "GODWIT")


@pytest.fixture
async def saved(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Settings]:
    """The settings with a repository of the test's own, which goes at its end."""
    name = f"{settings.prefix}backups"
    monkeypatch.setattr(restore, "WATCHED_SECONDS", 0.5)
    await engine.administer(
        "PUT", f"/_snapshot/{name}", {"type": "fs", "settings": {"location": name}}
    )
    with_backups = msgspec.structs.replace(settings, backup_repository=name)
    try:
        yield with_backups
    finally:
        for each in await backups(engine, name, settings.prefix):
            await engine.administer("DELETE", f"/_snapshot/{name}/{each.name}")
        await engine.administer("DELETE", f"/_snapshot/{name}")


@pytest.fixture
def run(
    saved: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs `edgar-ingest` with a line of arguments."""
    commands = runner(saved, monkeypatch, capsys)

    async def run(line: str) -> Ran:
        return await commands(cli.main, *line.split())

    return run


async def load(loads: Loads, new_number: Callable[[], str], words: list[str]) -> None:
    filings = [MadeUp(new_number(), (ENTITY,), (MadeUpDocument(f"{w}\n"),)) for w in words]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})


async def destroy(engine: Engine, settings: Settings) -> None:
    names = ",".join(await installed_indices(engine, settings.prefix))
    if names:
        await engine.administer("DELETE", f"/{names}")


async def answers(engine: Engine, settings: Settings) -> Any:
    """Return the answers to users: searches, look-ups, the ledger by coverage."""
    unlimited = msgspec.structs.replace(settings, default_plan="unlimited")
    async with serving(engine, unlimited, "asker") as client:
        paths = ("/v1/search?query=godwit", "/v1/search?query=tern", f"/v1/lookup?cik={ENTITY.cik}")
        return [json.loads((await client.http.get(path)).content) for path in paths]


async def test_what_was_destroyed_comes_back_and_answers_as_before(
    engine: Engine, settings: Settings, run: Run, loads: Loads, new_number: Callable[[], str]
) -> None:
    await load(loads, new_number, ["A godwit.", "A godwit and a tern."])
    key, _ = await ApiKeys(engine).create("kept", "somebody")
    before, aliases = (
        await answers(engine, settings),
        await installed_indices(engine, settings.prefix),
    )
    status, said, error = await run("backups create")
    assert (status, "\tcomplete\t" in said) == (0, True), said + error
    (name,) = [line.split("\t")[0] for line in said.splitlines()]

    # What is there is not touched unless that is said, and a dry run touches nothing at all.
    await load(loads, new_number, ["A tern since then."])
    status, said, _ = await run("restore --dry-run")
    assert (status, "needs --replace" in said) == (0, True)
    status, _, error = await run("restore")
    assert (status, f"{len(aliases)} indices of {settings.prefix} are in the way" in error) == (
        1,
        True,
    )
    assert (await answers(engine, settings))[1]["total_count"] == 2

    assert (await run(f"restore {name} --replace"))[0] == 0
    assert await answers(engine, settings) == before
    await destroy(engine, settings)
    status, said, error = await run("restore")
    assert status == 0, error
    assert f"restored {name}: {len(aliases)} indices" in said
    assert await answers(engine, settings) == before
    assert await installed_indices(engine, settings.prefix) == aliases
    assert await ApiKeys(engine).verify(key) is not None


@pytest.mark.long
async def test_restoring_that_was_stopped_goes_on(
    engine: Engine,
    saved: Settings,
    run: Run,
    loads: Loads,
    new_number: Callable[[], str],
) -> None:
    await destroy(engine, saved)
    await load(loads, new_number, ["A godwit again."])
    before, aliases = await answers(engine, saved), await installed_indices(engine, saved.prefix)
    assert (await run("backups create"))[0] == 0
    await destroy(engine, saved)
    restoring = Restore(engine, saved)
    plan = await restoring.plan()
    some = dict(sorted(plan.restored.items())[:7])
    # Killed when Elasticsearch had begun with some of them.
    await restoring._begin(plan._replace(restored=some))
    await restoring._await(some)
    status, said, error = await run("restore")
    assert status == 0, error
    assert [f"  keep {each}, restored before" in said for each in some] == [True] * len(some)
    assert await answers(engine, saved) == before
    assert await installed_indices(engine, saved.prefix) == aliases


@pytest.mark.long
async def test_index_that_lost_a_shard_is_named_and_the_others_are_saved(
    engine: Engine, saved: Settings, run: Run, loads: Loads, new_number: Callable[[], str]
) -> None:
    await destroy(engine, saved)
    await load(loads, new_number, ["A godwit at last."])
    before = await answers(engine, saved)
    red = f"{saved.prefix}filings.1999.v1"
    nowhere = {"index.routing.allocation.require._name": "no such node"}
    await engine.administer(
        "PUT",
        f"/{red}?wait_for_active_shards=0&timeout=1s",
        {"settings": nowhere, "aliases": {f"{saved.prefix}filings": {}}},
    )
    status, said, _ = await run("backups create")
    assert (status, "\tpartial\t" in said, f"lacks {red}:" in said) == (3, True, True)
    name = said.split("\t")[0]
    status, _, error = await run(f"restore {name} --replace")
    assert (status, f"{name} is partial and lacks {red}" in error) == (1, True)
    await destroy(engine, saved)
    status, said, error = await run(f"restore {name} --partial")
    assert (status, f"leave out {red}" in said) == (3, True), error
    assert await answers(engine, saved) == before


@pytest.mark.long
async def test_nothing_is_restored_while_a_load_or_a_lease_is_held(
    engine: Engine, saved: Settings, run: Run, loads: Loads, new_number: Callable[[], str]
) -> None:
    await load(loads, new_number, ["A godwit at work."])
    assert (await run("backups create"))[0] == 0
    with Owner(saved.absolute_home):
        status, _, error = await run("restore --replace")
    assert (status, "a load holds its lock" in error) == (1, True)

    async def renew_forever() -> None:
        for revision in range(1_000):
            lease = StoredLease("process 1 on elsewhere", 1, revision, 1.0, datetime.now(UTC))
            await engine.put("leases", "alerts", lease)
            await asyncio.sleep(0.1)

    renewing = asyncio.create_task(renew_forever())
    await asyncio.sleep(0.3)
    status, _, error = await run("restore --replace")
    renewing.cancel()
    assert (status, "process 1 on elsewhere holds the lease alerts" in error) == (1, True)
    # Who died holding it keeps nobody from it.
    assert (await run("restore --replace"))[0] == 0


@pytest.mark.long
async def test_backups_go_when_they_are_old_but_the_last_complete_one(
    engine: Engine, saved: Settings, run: Run, loads: Loads, new_number: Callable[[], str]
) -> None:
    await load(loads, new_number, ["A godwit for ever."])
    first, second = [(await run("backups create"))[1].split("\t")[0] for _ in range(2)]
    assert first != second
    other = f"{saved.prefix}by-hand"
    path = f"/_snapshot/{saved.backup_repository}/{other}?wait_for_completion=true"
    await engine.administer("PUT", path, {"indices": f"{saved.prefix}*"})
    later = datetime.now(UTC) + timedelta(days=saved.backup_days + 1)
    deleted = await backup.delete_old(engine, saved, later)
    assert (first in deleted, second in deleted, other in deleted) == (True, False, False)
    listed = (await run("backups list"))[1]
    assert (first in listed, second in listed, other in listed) == (False, True, True)


async def test_every_kind_that_a_backup_needs_is_made_by_a_load(
    engine: Engine, saved: Settings
) -> None:
    kinds = {
        name.removeprefix(saved.prefix).partition(".")[0]
        for name in await installed_indices(engine, saved.prefix)
    }
    assert kinds >= NEEDED


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("restore nothing-of-this-name", "has no backup nothing-of-this-name with the prefix"),
        ("restore --from-prefix other-", "has no complete backup with the prefix other-"),
    ],
)
async def test_what_cannot_be_restored_is_named(run: Run, line: str, reason: str) -> None:
    status, _, error = await run(line)
    assert (status, reason in error, "Traceback" in error) == (1, True, False)


async def test_repository_must_be_named_and_known(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_BACKUP_REPOSITORY", "nowhere")
    for line in ("backups create", "backups list", "restore"):
        status, _, error = await run(line)
        assert (status, "Elasticsearch has no repository `nowhere`" in error) == (1, True)
    monkeypatch.delenv("EDGAR_SEARCH_BACKUP_REPOSITORY")
    status, _, error = await run("backups create")
    assert (status, "EDGAR_SEARCH_BACKUP_REPOSITORY: name the" in error) == (1, True)
