"""Submissions that an older version loaded, and `edgar-ingest update`, which loads them anew."""

import asyncio
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.doctor.indices import look_at_templates
from edgar_search.engine.contents import CONTENTS, contents_made, count_outdated, oldest_first
from edgar_search.engine.engine import Engine
from edgar_search.search.coverage import ledger_state
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.cli import main
from ingest.loading.ledger import read_entries
from ingest.loading.retry import Retry
from ingest.loading.update import Order, outdated_batches, update
from ingest.sources.paths import EVERYTHING, FilingFilter, Sources
from tests.support.alerting import events_of
from tests.support.asking import Client
from tests.support.loading import Hit, Loads, counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990361", "Marble & Moss Corp")
# An 8-K may have sections: its items.
CURRENT = contents_made({"entries", "html", "plain", "sections"})


@pytest.fixture
def settings(emptied_settings: Settings) -> Settings:
    """An installation for each test."""
    return emptied_settings


@pytest.fixture
async def filings(loads: Loads, new_number: Callable[[], str]) -> list[str]:
    """The numbers of three loaded filings, of three days, the newest first."""
    made = [
        MadeUp(
            new_number(),
            (MARBLE,),
            (MadeUpDocument("<p>Quarries were bought.</p>"), MadeUpDocument("Moss.", "EX-99")),
            filing_date=date(2021, 1, day),
        )
        for day in (7, 6, 5)
    ]
    assert counts(await loads({f"{each.accession_number}.txt": txt(each) for each in made})) == (
        3,
        0,
        0,
        0,
    )
    return [each.accession_number for each in made]


async def age(engine: Engine, number: str, contents: list[str]) -> None:
    """Make a submission one that an older version loaded."""
    (entry,) = await engine.multi_get("ledger", [number], LedgerEntry)
    assert entry.source is not None
    older = msgspec.structs.replace(entry.source, contents=contents)
    await engine.replace("ledger", entry, older)


async def whole(engine: Engine, numbers: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for kind in ("filings", "documents", "passages", "sections"):
        await engine.refresh(kind)
        for number in numbers:
            hits: list[Hit] = await stored(engine, kind, number)
            found |= {f"{kind} {hit.id}": hit.source for hit in hits}
    return found


async def test_what_is_loaded_is_of_this_version(
    engine: Engine, settings: Settings, filings: list[str]
) -> None:
    entries = await read_entries(engine, filings)
    assert [entries[number].contents for number in filings] == [CURRENT] * 3
    assert (await count_outdated(engine)).submissions == 0
    summary, left = await update(engine, settings, None, 1, EVERYTHING)
    assert (summary.seen, left.submissions) == (0, 0)


async def test_update_loads_what_is_outdated_and_nothing_else(
    engine: Engine, settings: Settings, filings: list[str], client: Client
) -> None:
    before = await whole(engine, filings)
    await age(engine, filings[0], [])
    await age(
        engine, filings[1], ["html:0", *(each for each in CURRENT if not each.startswith("html:"))]
    )
    await engine.refresh("ledger")
    found = await count_outdated(engine)
    assert found.submissions == 2
    assert found.kinds == {kind: 2 if kind == "html" else 1 for kind in CONTENTS}
    assert (await ledger_state(engine)).outdated == found.kinds
    (told,) = [
        template
        for template in await look_at_templates(engine, settings.prefix)
        if template.what == "outdated submissions"
    ]
    assert told.remedy == "run `edgar-ingest update`"
    coverage = await client.http.get(
        "/v1/coverage", params={"from_date": "2021-01-06", "to_date": "2021-01-07"}
    )
    assert coverage.json()["outdated"] == 2

    summary, left = await update(engine, settings, None, 1, EVERYTHING)
    assert (counts(summary), left.submissions) == ((2, 0, 0, 0), 0)
    assert await whole(engine, filings) == before
    entries = await read_entries(engine, filings)
    assert [entries[number].contents for number in filings] == [CURRENT] * 3
    events = [await events_of(engine, number) for number in filings]
    assert [[event.kind for event in each] for each in events] == [["loaded"]] * 3


async def test_form_that_had_no_sections_before_is_outdated_until_it_is_read_again(
    engine: Engine, settings: Settings, loads: Loads, new_number: Callable[[], str]
) -> None:
    numbers = [new_number(), new_number()]
    markup = "<p>PROPOSAL 1</p><p>More moss.</p><p>PROPOSAL 2</p>"
    for number, form_type in zip(numbers, ("DEF 14A", "SC TO-T"), strict=True):
        filing = MadeUp(number, (MARBLE,), (MadeUpDocument(markup, form_type),), form_type)
        await loads({f"{number}.txt": txt(filing)})
        await age(engine, number, contents_made({"entries", "html"}))
    await engine.refresh("ledger")
    found = await count_outdated(engine)
    assert (found.examples, found.kinds) == (numbers[:1], {"sections": 1})
    summary, left = await update(engine, settings, None, 1, EVERYTHING)
    assert (counts(summary), left.submissions) == ((1, 0, 0, 0), 0)
    entry = (await read_entries(engine, numbers))[numbers[0]]
    assert entry.sections == [f"{numbers[0]}-1#proposal1"]


async def test_half_loaded_submission_is_loaded_by_the_next_update(
    engine: Engine, settings: Settings, filings: list[str]
) -> None:
    before = await whole(engine, filings)
    entry = (await read_entries(engine, filings[:1]))[filings[0]]
    claimed = msgspec.structs.replace(
        entry, status="pending", loaded_hash=None, settled=[], contents=[]
    )
    await engine.put("ledger", filings[0], claimed)
    summary, left = await update(engine, settings, None, 1, EVERYTHING)
    assert (counts(summary).loaded, left.submissions) == (1, 0)
    assert await whole(engine, filings) == before


@pytest.mark.parametrize(
    ("order", "places"), [("newest", [0, 1, 2]), ("oldest-version", [2, 1, 0])]
)
async def test_update_has_the_order_that_is_asked_for(
    engine: Engine, settings: Settings, filings: list[str], order: Order, places: list[int]
) -> None:
    lacks_one, older = CURRENT[:-1], ["entries:0", *CURRENT[1:]]
    for number, contents in zip(filings, (lacks_one, older, []), strict=True):
        await age(engine, number, contents)
    batches = outdated_batches(engine, Retry(settings.load_patience), EVERYTHING, order)
    found = [hit.id for batch in [batch async for batch in batches] for hit in batch]
    assert found == [filings[place] for place in places]
    assert len(oldest_first(["loaded"])) == max(CONTENTS.values()) + 2


async def test_filter_of_update_leaves_the_rest_outdated(
    engine: Engine, settings: Settings, filings: list[str]
) -> None:
    for number in filings:
        await age(engine, number, [])
    only = FilingFilter(from_date=date(2021, 1, 7))
    summary, left = await update(engine, settings, None, 1, only)
    assert (counts(summary).loaded, left.submissions) == (1, 0)
    assert (await count_outdated(engine)).submissions == 2


def taken_out(settings: Settings, number: str, folder: Path) -> Path:
    """Return a submission's file, which the archive has no more."""
    (path,) = Path(str(settings.archive_place.folder)).rglob(f"{number}*.gz")
    return path.rename(folder / f"{number}.txt.gz")


async def test_what_the_archive_lacks_is_named_and_loaded_from_its_file(
    engine: Engine, settings: Settings, filings: list[str], tmp_path: Path
) -> None:
    for number in filings:
        await age(engine, number, [])
    lost = filings[1]
    kept = taken_out(settings, lost, tmp_path)
    summary, left = await update(engine, settings, None, 1, EVERYTHING)
    assert (counts(summary).loaded, left.submissions, left.examples) == (2, 1, [lost])
    summary, left = await update(engine, settings, Sources([kept]), 1, EVERYTHING)
    assert (counts(summary).loaded, left.submissions) == (1, 0)


async def test_without_an_archive_update_says_what_it_needs(
    engine: Engine,
    settings: Settings,
    filings: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    await age(engine, filings[0], [])
    for name, value in {
        "ES_URL": settings.es_url,
        "PREFIX": settings.prefix,
        "HOME": str(settings.home),
        "ARCHIVE": "false",
    }.items():
        monkeypatch.setenv(f"EDGAR_SEARCH_{name}", str(value))
    status = await asyncio.to_thread(main, ["update"])
    out, err = capfd.readouterr()
    assert (status, json.loads(out.splitlines()[-1])["outdated"]) == (3, 1)
    assert "EDGAR_SEARCH_ARCHIVE=false" in err
    assert filings[0] in err
