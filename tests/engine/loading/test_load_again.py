"""Submissions that come again: the same, changed, moved, or in EDGAR's other dialect."""

import asyncio
from collections.abc import Callable
from datetime import date

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.loading import session
from ingest.loading.ledger import read_entries
from ingest.loading.submission_writer import Result, SubmissionWriter
from ingest.reading.tasks import PreparedSubmission
from tests.support.loading import Loads, counts, stored, text_of
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990020", "MARBLE & MOSS CORP")
WORDS = "Quarries were bought. " * 300


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    """A filing of two documents, the first of several passages."""
    documents = (MadeUpDocument(f"{WORDS}\n"), MadeUpDocument("Moss grows.\n", "EX-99.1"))
    return MadeUp(new_number(), (MARBLE,), documents)


async def ledger(engine: Engine, number: str) -> LedgerEntry:
    return (await read_entries(engine, [number]))[number]


async def ids(engine: Engine, number: str) -> dict[str, list[str]]:
    """Return the ids below an accession number, without it, of each kind."""
    return {
        kind: [hit.id.removeprefix(number) for hit in await stored(engine, kind, number)]
        for kind in ("filings", "documents", "passages")
    }


async def test_same_file_again_is_unchanged(loads: Loads, engine: Engine, filing: MadeUp) -> None:
    number = filing.accession_number
    files = {f"{number}.txt": txt(filing)}
    assert counts(await loads(files)).loaded == 1
    before = await stored(engine, "filings", number), await ledger(engine, number)
    assert counts(await loads(files)) == (0, 1, 0, 0)
    assert (await stored(engine, "filings", number), await ledger(engine, number)) == before


async def test_same_file_under_another_name_is_unchanged(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    data = txt(filing)
    assert counts(await loads({"one.txt": data, "two.txt": data})) == (1, 1, 0, 0)
    assert (await ledger(engine, filing.accession_number)).source.endswith("one.txt")


async def test_shorter_version_leaves_nothing_over(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    number = filing.accession_number
    shorter = msgspec.structs.replace(filing, documents=(MadeUpDocument("Only this.\n"),))
    await loads({"first.txt": txt(filing)})
    assert len((await ids(engine, number))["passages"]) == 5
    assert counts(await loads({"second.txt": txt(shorter)})) == (1, 0, 0, 0)
    assert await ids(engine, number) == {
        "filings": [""],
        "documents": ["-1"],
        "passages": ["-1#0"],
    }
    assert await text_of(engine, f"{number}-1") == "Only this."
    assert (await ledger(engine, number)).parts == {f"{number}-1": 1}


async def test_of_two_versions_in_one_load_the_later_stands(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    number = filing.accession_number
    shorter = msgspec.structs.replace(filing, documents=(MadeUpDocument("Only this.\n"),))
    summary = await loads({"first.txt": txt(filing), "second.txt": txt(shorter)}, workers=2)
    assert counts(summary) == (2, 0, 0, 0)
    assert (await ids(engine, number))["passages"] == ["-1#0"]
    assert len((await ledger(engine, number)).hashes) == 2


async def test_a_later_version_waits_for_the_batch_of_the_first(
    loads: Loads, engine: Engine, filing: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []
    write = SubmissionWriter.write

    async def slow_at_first(
        writer: SubmissionWriter, batch: list[PreparedSubmission]
    ) -> list[Result]:
        began.append(batch[0].source)
        await asyncio.sleep(1.0 if len(began) == 1 else 0.0)
        return await write(writer, batch)

    monkeypatch.setattr(session, "BATCH_SUBMISSIONS", 1)
    monkeypatch.setattr(SubmissionWriter, "write", slow_at_first)
    shorter = msgspec.structs.replace(filing, documents=(MadeUpDocument("Only this.\n"),))
    assert counts(await loads({"1.txt": txt(filing), "2.txt": txt(shorter)})) == (2, 0, 0, 0)
    assert (await ids(engine, filing.accession_number))["passages"] == ["-1#0"]


async def test_version_seen_before_does_not_come_back(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    shorter = msgspec.structs.replace(filing, documents=(MadeUpDocument("Only this.\n"),))
    await loads({"first.txt": txt(filing), "second.txt": txt(shorter)})
    assert counts(await loads({"first.txt": txt(filing)})) == (0, 1, 0, 0)
    assert await text_of(engine, f"{filing.accession_number}-1") == "Only this."


@pytest.mark.parametrize("order", [("txt", "nc"), ("nc", "txt")])
async def test_txt_stands_over_nc_in_both_orders(
    loads: Loads, engine: Engine, filing: MadeUp, order: tuple[str, str]
) -> None:
    tagged = msgspec.structs.replace(filing, documents=(MadeUpDocument("From the feed.\n"),))
    forms = {"txt": txt(filing), "nc": nc(tagged)}
    number = filing.accession_number
    outcomes = [counts(await loads({f"{number}.{form}": forms[form]})) for form in order]
    assert outcomes[0] == (1, 0, 0, 0)
    assert outcomes[1] == ((0, 0, 1, 0) if order == ("txt", "nc") else (1, 0, 0, 0))
    assert (await ids(engine, number))["documents"] == ["-1", "-2"]
    assert (await ledger(engine, number)).variant == "txt"
    again = [counts(await loads({f"{number}.{form}": forms[form]})) for form in order]
    assert again == [(0, 1, 0, 0)] * 2


async def test_both_variants_in_one_load_are_one_loaded_and_one_superseded(
    loads: Loads, filing: MadeUp
) -> None:
    number = filing.accession_number
    summary = await loads({f"{number}.txt": txt(filing), f"{number}.nc": nc(filing)}, workers=2)
    assert counts(summary) == (1, 0, 1, 0)


async def test_later_nc_replaces_an_nc(loads: Loads, engine: Engine, filing: MadeUp) -> None:
    later = msgspec.structs.replace(filing, documents=(MadeUpDocument("Once more.\n"),))
    await loads({"first.nc": nc(filing)})
    assert counts(await loads({"second.nc": nc(later)})) == (1, 0, 0, 0)
    assert await text_of(engine, f"{filing.accession_number}-1") == "Once more."


class TestByYear:
    """The same where a filing's year decides its index."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        prefix = f"{settings.prefix}y-"
        return msgspec.structs.replace(settings, partition="year", prefix=prefix)

    async def test_changed_date_moves_all_parts(
        self, loads: Loads, engine: Engine, settings: Settings, filing: MadeUp
    ) -> None:
        number = filing.accession_number
        moved = msgspec.structs.replace(
            filing, filing_date=date(1999, 12, 31), documents=filing.documents[1:]
        )
        await loads({"first.txt": txt(filing)})
        assert await places(engine, number) == in_year(settings, 2021, 5)
        assert counts(await loads({"second.txt": txt(moved)})) == (1, 0, 0, 0)
        assert await places(engine, number) == in_year(settings, 1999, 1)
        assert (await ledger(engine, number)).partition == "1999"

    async def test_changed_date_within_the_year_leaves_one_filing(
        self, loads: Loads, engine: Engine, settings: Settings, filing: MadeUp
    ) -> None:
        number = filing.accession_number
        later = msgspec.structs.replace(filing, filing_date=date(2021, 12, 31))
        await loads({"first.txt": txt(filing), "second.txt": txt(later)})
        assert await places(engine, number) == in_year(settings, 2021, 5)
        (hit,) = await stored(engine, "filings", number)
        assert hit.source["filing_date"] == "2021-12-31"


async def places(engine: Engine, number: str) -> dict[str, list[str]]:
    """Return the index of each part of a filing, of each kind."""
    return {
        kind: [hit.index for hit in await stored(engine, kind, number)]
        for kind in ("filings", "documents", "passages")
    }


def in_year(settings: Settings, year: int, passages: int) -> dict[str, list[str]]:
    """The index of all parts of a filing with this many passages, all but one in its first."""
    documents = 1 if passages == 1 else 2
    numbers = {"filings": 1, "documents": documents, "passages": passages}
    return {kind: [f"{settings.prefix}{kind}.{year}.v1"] * many for kind, many in numbers.items()}
