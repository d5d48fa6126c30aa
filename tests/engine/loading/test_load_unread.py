"""A document that cannot be read, in a filing with a good one: what a load makes of both."""

import re
from collections.abc import AsyncIterator, Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.document.text import document_text
from edgar_search.engine.contents import count_outdated
from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound
from edgar_search.settings import Settings
from ingest.fetching.index_files import IndexEntry
from ingest.loading import session
from ingest.loading.ledger import read_entries
from ingest.loading.retry import Retry
from ingest.reading.workers import pool
from ingest.reading.workers.pool import Workers
from ingest.upkeep.check import CheckSummary, find_missing
from tests.support import hostile_readers
from tests.support.hostile_readers import DEADLY, FAULTY, GREEDY, MENDED, SLOW
from tests.support.loading import Loads, counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990045", "MARBLE & MOSS CORP")
TOO_SLOW = "too slow: not read after 2 s"
ENDED = "it ended its worker process 2 times: exit status 7"


@pytest.fixture
def loads(
    engine: Engine, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Loads:
    hostile_readers.install(monkeypatch, tmp_path / "patch")
    # Workers that are kept for all tests started before that.
    monkeypatch.setattr(session, "_start_workers", Workers)
    (tmp_path / "files").mkdir()
    monkeypatch.setattr(pool, "DOCUMENT_SECONDS", 2.0)
    strict = msgspec.structs.replace(settings, submission_memory=400_000_000)
    return Loads(engine, strict, tmp_path / "files")


def made_up(number: str, body: str) -> MadeUp:
    documents = (MadeUpDocument(f"{body}.\n"), MadeUpDocument("Moss grows.\n"))
    return MadeUp(number, (MARBLE,), documents)


async def assert_listed_and_the_other_searched(engine: Engine, number: str) -> None:
    (filing,) = await stored(engine, "filings", number)
    listed = [document["document_id"] for document in filing.source["documents"]]
    assert listed == [f"{number}-1", f"{number}-2"]
    assert [hit.id for hit in await stored(engine, "documents", number)] == [f"{number}-2"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [(SLOW, TOO_SLOW), (DEADLY, ENDED), (FAULTY, "reader failed: ZeroDivisionError")],
)
async def test_document_that_cannot_be_read_costs_only_itself(
    engine: Engine, loads: Loads, new_number: Callable[[], str], body: str, reason: str
) -> None:
    number = new_number()
    summary = await loads({"one.txt": txt(made_up(number, body))})
    assert counts(summary) == (1, 0, 0, 0)
    assert summary.as_dict(0)["unread"] == [{"document_id": f"{number}-1", "reason": reason}]
    await assert_listed_and_the_other_searched(engine, number)
    entry = (await read_entries(engine, [number]))[number]
    assert (entry.status, entry.unread) == ("loaded", {f"{number}-1": reason})
    assert entry.reason == f"{number}-1: {reason}"
    with pytest.raises(NotFound, match=re.escape(f"when it was loaded ({reason})")):
        await document_text(engine, f"{number}-1")


async def test_document_that_takes_all_memory_costs_only_itself(
    engine: Engine, loads: Loads, new_number: Callable[[], str]
) -> None:
    number = new_number()
    summary = await loads({"one.txt": txt(made_up(number, GREEDY))})
    assert (counts(summary), summary.too_large) == ((1, 0, 0, 0), [f"{number}-1"])
    await assert_listed_and_the_other_searched(engine, number)


async def test_submission_with_a_document_that_was_not_read_is_outdated_until_it_is_read(
    engine: Engine, loads: Loads, new_number: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = new_number()
    file = {"one.txt": txt(made_up(number, FAULTY))}
    assert not (await loads(file)).complete
    await engine.refresh("ledger")
    found = await count_outdated(engine)
    assert found.kinds == {"unread": found.submissions}
    checked = CheckSummary()
    missing = [
        each.why
        async for each in find_missing(engine, Retry(1), listed(number), checked, deep=False)
    ]
    assert missing == [f"not read whole: {number}-1: reader failed: ZeroDivisionError"]
    # Another load tries it again, without an end as long as it fails.
    assert counts(await loads(file)) == (1, 0, 0, 0)
    monkeypatch.setenv(MENDED, "1")
    summary = await loads(file)
    assert (counts(summary), summary.complete) == ((1, 0, 0, 0), True)
    await engine.refresh("ledger")
    assert (await count_outdated(engine)).submissions == found.submissions - 1
    assert counts(await loads(file)) == (0, 1, 0, 0)


async def listed(number: str) -> AsyncIterator[IndexEntry]:
    yield IndexEntry(number, "10-K", "MARBLE & MOSS CORP", "0009990045", date(2025, 3, 3), "")
