"""An installation of an older version: it continues, and has all once all is loaded again."""

import copy
import json
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.engine import templates
from edgar_search.engine.bulk_lines import operations_in
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.index_names import Kind
from edgar_search.engine.templates import load_templates
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED, ROW_KINDS
from ingest.indices import indices
from ingest.indices.differences import diff_live
from ingest.indices.indices import Indices
from ingest.loading.bulk import BulkWriter, Refusal
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.update import reload_all
from ingest.sources.paths import EVERYTHING, FilingFilter, Sources
from ingest.upkeep.delete import Deleter
from ingest.upkeep.rebuild import Rebuild
from tests.support.alerting import events_of
from tests.support.asking import Client
from tests.support.loading import Hit, Loads, counts, stored
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.own_installation]
VERMONT = Address("1 QUARRY ROAD", "STONEFIELD", "VT")
MARBLE = MadeUpEntity("0009990351", "Marble & Moss Corp", address=VERMONT)
REPORT = "<html><p>Item 1. Business</p><p>Quarries.</p><p>Item 2. Properties</p><p>Moss.</p>"
# What the templates have now, and had not in the older version.
NEW: dict[str, set[str]] = {
    "documents": {"root_form", "items", "states", "period", "archived"}
    | {"text_sha256", "text_length", "headings", "text_version", "incorporation_states"}
    | {"file_numbers", "film_numbers", "business_locations"},
    "filings": {"root_form", "states", "entity_name_key", "header_items"}
    | {"incorporation_states", "file_numbers"},
    "sections": {"text_start", "text_end", "followed"},
}
OLDER_VERSIONS = {"documents": 2, "filings": 3, "sections": 1, "entities": 3}
NOT_YET = (
    "not possible yet, since the entries were loaded by an older version; the operator's next step"
    " is `edgar-ingest update` (docs/operations.md, Upgrades)"
)
KINDS: tuple[Kind, ...] = (*PARTITIONED, "entities")
_NAMES = iter("abcdefgh")


@pytest.fixture
def settings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An installation for each test; all begin with the module's prefix."""
    prefix, home = f"{settings.prefix}{next(_NAMES)}-", tmp_path_factory.mktemp("home")
    return msgspec.structs.replace(settings, prefix=prefix, home=home)


@pytest.fixture(autouse=True)
def versions_are_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FreshValues, "value", lambda values, key: values._read(key))


@pytest.fixture
def filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Two current reports and an annual one."""
    news = MadeUpDocument("Quarries were bought.\n")
    usual = [MadeUp(new_number(), (MARBLE,), (news,)) for _ in range(2)]
    annual = (MadeUpDocument(REPORT, "10-K"), MadeUpDocument("Quarries.\n", "EX-99"))
    return [*usual, MadeUp(new_number(), (MARBLE,), annual, form_type="10-K")]


def older_templates(prefix: str) -> dict[str, dict[str, Any]]:
    """Return the templates as the older version had them."""
    older = copy.deepcopy(load_templates(prefix))
    for name, version in OLDER_VERSIONS.items():
        mappings = older[name]["template"]["mappings"]
        mappings["_meta"] = older[name]["_meta"] = {"version": version}
        for field in NEW.get(name, ()):
            del mappings["properties"][field]
    older["documents"]["template"]["mappings"]["properties"]["document_type"]["index"] = False
    names = older["entities"]["template"]["mappings"]["properties"]
    del names["name"]["fields"], names["former_names"]["properties"]["name"]["fields"]
    return older


@pytest.fixture
async def older(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> AsyncIterator[None]:
    """The filings are loaded as the older version did it."""
    write = BulkWriter.write

    async def write_less(self: BulkWriter, pieces: Iterable[bytes]) -> dict[str, Refusal]:
        return await write(self, map(_without_new, pieces))

    async def nothing(self: Indices) -> list[str]:
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indices, "load_templates", older_templates)
        patch.setattr(templates, "load_templates", older_templates)
        await Indices(engine, settings).set_up()
        patch.setattr(Indices, "set_up", nothing)
        patch.setattr(BulkWriter, "write", write_less)
        assert counts(await loads(files(filings))).loaded == len(filings)
    yield


def _without_new(piece: bytes) -> bytes:
    operations = []
    for operation in operations_in(piece):
        action, *rest = operation.splitlines()
        alias = next(iter(json.loads(action).values()))["_index"]
        new = next((fields for kind, fields in NEW.items() if f"-{kind}." in alias), set())
        less = [{k: v for k, v in json.loads(line).items() if k not in new} for line in rest]
        lines = [action, *(json.dumps(each).encode() for each in less)]
        operations.append(b"".join(line + b"\n" for line in lines))
    return b"".join(operations)


def files(filings: Iterable[MadeUp]) -> dict[str, bytes]:
    return {f"{filing.accession_number}.txt": txt(filing) for filing in filings}


def archived(settings: Settings) -> Sources:
    assert settings.archive_place.folder is not None
    return Sources([Path(settings.archive_place.folder)], settings.absolute_home)


async def everything(engine: Engine, filings: list[MadeUp]) -> dict[str, Any]:
    """Return the stored entries of filings, by index and id."""
    found: dict[str, Any] = {}
    for kind in PARTITIONED:
        await engine.refresh(kind)
        for filing in filings:
            hits: list[Hit] = await stored(engine, kind, filing.accession_number)
            found |= {f"{kind} {hit.id}": hit.source for hit in hits}
    return found


async def found(client: Client) -> list[tuple[str, str]]:
    """Return documents and snippets; what was replaced counts for scores until segments merge."""
    reply = await client.search("quarries", limit=100)
    assert reply["total_count"] == len(reply["items"])
    return sorted((item["document_id"], item["snippet"]) for item in reply["items"])


async def refusal(client: Client, **parameters: str) -> tuple[int, str]:
    reply = await client.http.get("/v1/search", params={"query": "quarries", **parameters})
    return reply.status_code, reply.json()["error"]


@pytest.mark.usefixtures("older")
async def test_upgrade(
    client: Client,
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    new_number: Callable[[], str],
) -> None:
    before = await found(client), await everything(engine, filings)
    assert await refusal(client, document_type="8-K") == (503, f"document_type: {NOT_YET}")

    # The new version loads into the old indices, and is found with the old ones.
    later = MadeUp(new_number(), (MARBLE,), (MadeUpDocument("More quarries.\n"),))
    assert counts(await loads(files([later]))) == (1, 0, 0, 0)
    assert len(await found(client)) == len(before[0]) + 1
    for name, value in {
        "state": "VT",
        "item": "8.01",
        "form_family": "8-K",
        "fiscal_year": "2020",
    }.items():
        assert await refusal(client, **{name: value}) == (503, f"{name}: {NOT_YET}")
    assert await refusal(client, include="period,edgar_url") == (503, f"include=period: {NOT_YET}")
    reply = await client.http.get("/v1/facets", params={"query": "quarries", "by": "state,sic"})
    assert (reply.status_code, reply.json()["error"]) == (503, f"by=state: {NOT_YET}")
    facets = await client.facets(query="quarries", by="sic,company")
    assert facets["total_count"] == len(await found(client))
    reply = await client.http.get("/v1/check", params={"query": "quarries", "state": "VT"})
    assert (reply.status_code, reply.json()["error"]) == (503, f"state: {NOT_YET}")
    assert (await refusal(client, company="moss"))[1].startswith("company: not possible yet")
    with Owner(settings.absolute_home) as owner:
        await Deleter(engine, settings, owner).delete(later.accession_number)

    # A run that is stopped half-way leaves all refusals, and is gone on with.
    only = FilingFilter(forms=frozenset({"10-K"}))
    summary, left = await reload_all(engine, settings, archived(settings), 1, only)
    assert (counts(summary).loaded, left.number) == (1, 2)
    assert await refusal(client, primary="true") == (503, f"primary: {NOT_YET}")
    assert await found(client) == before[0]
    summary, left = await reload_all(engine, settings, archived(settings), 1, EVERYTHING)
    assert (counts(summary), left.number) == ((2, 1, 0, 0), 0)

    # All is there, and what was there is as it was.
    after = await everything(engine, filings)
    assert await found(client) == before[0]
    older = {key: {k: v for k, v in after[key].items() if k in before[1][key]} for key in before[1]}
    assert (after.keys(), older) == (before[1].keys(), before[1])
    assert len(await client.found("quarries", state="VT")) == 4
    assert await client.found("quarries", document_type="ex-99") == [
        f"{filings[2].accession_number}-2"
    ]

    # Names and the fields that became others want their index made anew.
    assert (await refusal(client, company="moss"))[0] == 503
    kinds: tuple[Kind, ...] = ("documents", "entities")
    for kind in kinds:
        rebuild = Rebuild(engine, settings)
        await rebuild.rebuild(kind, "all")
        await rebuild.switch(kind, "all")
    assert len(await client.found("quarries", company="moss", form_family="10-K")) == 2
    assert await diff_live(engine, settings) == {}
    assert await everything(engine, filings) == after


@pytest.mark.any_engine
@pytest.mark.usefixtures("older")
async def test_rebuilt_index_of_older_entries_is_not_taken_for_filled(
    client: Client, engine: Engine, settings: Settings
) -> None:
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("documents", "all")
    await rebuild.switch("documents", "all")
    assert await refusal(client, document_type="8-K") == (503, f"document_type: {NOT_YET}")
    await reload_all(engine, settings, archived(settings), 1, EVERYTHING)
    assert len(await client.found("quarries", document_type="8-K")) == 2


@pytest.mark.any_engine
async def test_loading_again_tells_nobody_and_keeps_when_it_was_first(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings))
    before = await everything(engine, filings)
    numbers = [filing.accession_number for filing in filings]
    ledger = await read_entries(engine, numbers)
    for _ in range(2):
        summary, left = await reload_all(engine, settings, archived(settings), 1, EVERYTHING)
        assert (counts(summary), left.number) == ((3, 0, 0, 0), 0)
    events = [await events_of(engine, number) for number in numbers]
    assert [[event.kind for event in each] for each in events] == [["loaded"]] * 3
    first = min(entry.seen_at for entry in ledger.values())
    after = await everything(engine, filings)
    for key, source in after.items():
        if "loaded_at" in source:
            assert abs((moment(source) - moment(before[key])).total_seconds()) < 0.001
            assert moment(source) >= first
    assert after == before
    again = await read_entries(engine, numbers)
    assert [again[n].announced for n in numbers] == [ledger[n].announced for n in numbers]
    assert all(again[n].loaded_at > ledger[n].loaded_at for n in numbers)  # type: ignore[operator]


def moment(source: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(source["loaded_at"])


@pytest.mark.any_engine
async def test_later_version_of_a_submission_stands_after_a_run_that_was_stopped_at_it(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    first = filings[0]
    second = msgspec.structs.replace(first, documents=(MadeUpDocument("Only this.\n"),))
    for version in (first, second):
        await loads(files([version]))
    number = first.accession_number
    before = await stored(engine, "documents", number), await stored(engine, "passages", number)
    entry = (await read_entries(engine, [number]))[number]
    # As the claim of a killed run leaves it.
    claimed = msgspec.structs.replace(
        entry, status="pending", loaded_hash=None, settled=entry.settled[:1]
    )
    await engine.put("ledger", number, claimed)
    summary, left = await reload_all(engine, settings, archived(settings), 1, EVERYTHING)
    assert (counts(summary), left.number) == ((1, 1, 0, 0), 0)
    after = await stored(engine, "documents", number), await stored(engine, "passages", number)
    assert after == before


@pytest.mark.any_engine
async def test_what_the_archive_lacks_is_named_and_the_run_goes_on_with_its_file(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp], tmp_path: Path
) -> None:
    await loads(files(filings))
    lost = filings[0].accession_number
    kept = taken_out(settings, lost, tmp_path)
    _, left = await reload_all(engine, settings, archived(settings), 1, EVERYTHING)
    assert left == (1, [lost])
    summary, left = await reload_all(engine, settings, Sources([kept]), 1, EVERYTHING)
    assert (counts(summary).loaded, left.number) == (1, 0)


def taken_out(settings: Settings, number: str, folder: Path) -> Path:
    """Return a submission's file, which the archive has no more."""
    (path,) = Path(str(settings.archive_place.folder)).rglob(f"{number}*.gz")
    return path.rename(folder / f"{number}.txt.gz")


@pytest.mark.any_engine
async def test_new_installation_needs_no_second_load(
    engine: Engine, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings))
    wanted = {"documents": 6, "filings": 6, "sections": 3, "passages": 1, "entities": 4}
    wanted |= dict.fromkeys(ROW_KINDS, 1)
    wanted |= {"facts": 3, "financials": 3, "insider_trades": 2, "manager_reports": 2}
    assert {kind: await engine.mapping_version(kind) for kind in KINDS} == wanted
