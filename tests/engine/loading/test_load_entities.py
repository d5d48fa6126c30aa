"""Entities: every fact is that of its latest source, whatever the order of loading."""

import asyncio
import itertools
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search.company_names import company_ciks
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from tests.support.loading import Loads, counts
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
_CIKS = itertools.count(9990050000)
DOCUMENTS = (MadeUpDocument("Moss grows.\n"),)


@pytest.fixture
def cik() -> str:
    """A CIK that no other test has."""
    return str(next(_CIKS))


async def stored_entity(engine: Engine, cik: str) -> StoredEntity:
    (entry,) = await engine.multi_get("entities", [cik], StoredEntity)
    assert entry.source is not None
    return entry.source


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("together", [True, False], ids=["one load", "two loads"])
async def test_fact_with_the_later_date_wins_in_both_orders(
    loads: Loads,
    engine: Engine,
    cik: str,
    new_number: Callable[[], str],
    order: tuple[int, int],
    together: bool,
) -> None:
    # The later filing has the smaller number, and says nothing of the state.
    later, earlier = new_number(), new_number()
    old = MadeUpEntity(cik, "OLD NAME", state="VT", fiscal_year_end="0630")
    new = MadeUpEntity(cik, "NEW NAME", fiscal_year_end="1231")
    filings = [
        MadeUp(earlier, (old,), DOCUMENTS, filing_date=date(2009, 12, 31)),
        MadeUp(later, (new,), DOCUMENTS, filing_date=date(2010, 1, 1)),
    ]
    files = [{f"{n}.txt": txt(filings[n])} for n in order]
    for load in [files[0] | files[1]] if together else files:
        await loads(load)
    assert await stored_entity(engine, cik) == StoredEntity(
        cik=cik,
        name="NEW NAME",
        state_of_incorporation="VT",
        fiscal_year_end="1231",
        sources={
            "name": f"2010-01-01 {later}",
            "state_of_incorporation": f"2009-12-31 {earlier}",
            "fiscal_year_end": f"2010-01-01 {later}",
        },
    )


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_of_one_day_the_higher_number_wins_in_both_orders(
    loads: Loads, engine: Engine, cik: str, new_number: Callable[[], str], order: tuple[int, int]
) -> None:
    names = ["FIRST NAME", "SECOND NAME"]
    filings = [MadeUp(new_number(), (MadeUpEntity(cik, name),), DOCUMENTS) for name in names]
    for n in order:
        await loads({f"{n}.txt": txt(filings[n])})
    assert (await stored_entity(engine, cik)).name == "SECOND NAME"


@pytest.mark.parametrize("order", [("txt", "nc"), ("nc", "txt")])
async def test_facts_are_those_of_the_variant_that_stands(
    loads: Loads, engine: Engine, cik: str, new_number: Callable[[], str], order: tuple[str, str]
) -> None:
    filing = MadeUp(new_number(), (MadeUpEntity(cik, "FROM THE ARCHIVE"),), DOCUMENTS)
    tagged = msgspec.structs.replace(filing, entities=(MadeUpEntity(cik, "FROM THE FEED"),))
    forms = {"txt": txt(filing), "nc": nc(tagged)}
    for form in order:
        await loads({f"one.{form}": forms[form]})
    assert (await stored_entity(engine, cik)).name == "FROM THE ARCHIVE"


async def test_changed_version_of_a_filing_changes_its_facts(
    loads: Loads, engine: Engine, cik: str, new_number: Callable[[], str]
) -> None:
    filing = MadeUp(new_number(), (MadeUpEntity(cik, "MISSPELT"),), DOCUMENTS)
    corrected = msgspec.structs.replace(filing, entities=(MadeUpEntity(cik, "CORRECT"),))
    await loads({"one.txt": txt(filing)})
    await loads({"one.txt": txt(corrected)})
    assert (await stored_entity(engine, cik)).name == "CORRECT"


async def test_loads_at_once_lose_no_fact(
    engine: Engine, settings: Settings, tmp_path: Path, new_number: Callable[[], str]
) -> None:
    ciks = [str(next(_CIKS)) for _ in range(40)]
    facts = [
        MadeUpEntity("", "NAME", state="VT"),
        MadeUpEntity("", "NAME", fiscal_year_end="1231"),
        MadeUpEntity("", "NAME", address=Address("1 QUARRY ROAD", "STONEFIELD")),
        MadeUpEntity("", "NAME", former_names=(("OLD NAME", date(2001, 2, 3)),)),
    ]
    numbers = [new_number() for _ in facts]
    running = []
    for number, fact in zip(numbers, facts, strict=True):
        entities = tuple(msgspec.structs.replace(fact, cik=cik) for cik in ciks)
        (tmp_path / number).mkdir()
        loads = Loads(engine, settings, tmp_path / number)
        running.append(loads({"one.txt": txt(MadeUp(number, entities, DOCUMENTS))}))
    assert [counts(summary).loaded for summary in await asyncio.gather(*running)] == [1] * 4
    sources = [f"2021-01-05 {number}" for number in numbers]
    found = await engine.multi_get("entities", ciks, StoredEntity)
    assert [entry.source for entry in found] == [
        StoredEntity(
            cik=cik,
            name="NAME",
            state_of_incorporation="VT",
            fiscal_year_end="1231",
            business_address=StoredAddress(street1="1 QUARRY ROAD", city="STONEFIELD"),
            former_names=[StoredFormerName("OLD NAME", since=date(2001, 2, 3))],
            sources={
                "name": sources[3],
                "state_of_incorporation": sources[0],
                "fiscal_year_end": sources[1],
                "business_address": sources[2],
                "former_names": sources[3],
            },
        )
        for cik in ciks
    ]


async def test_filings_are_found_by_the_names_of_their_entities_when_a_load_has_ended(
    loads: Loads, engine: Engine, settings: Settings, cik: str, new_number: Callable[[], str]
) -> None:
    await loads({"first.txt": txt(MadeUp(new_number(), (MadeUpEntity(cik, "A"),), DOCUMENTS))})
    path = f"/{settings.prefix}entities/_settings"
    await engine.administer("PUT", path, {"index": {"refresh_interval": "-1"}})
    try:
        named = MadeUpEntity(cik, "WHEATEAR & WHINCHAT CORP")
        await loads({"named.txt": txt(MadeUp(new_number(), (named,), DOCUMENTS))})
        assert await company_ciks(engine, Tickers(engine), "whinchat") == [cik]
    finally:
        await engine.administer("PUT", path, {"index": {"refresh_interval": None}})
