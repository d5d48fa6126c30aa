"""Submissions of which Elasticsearch refuses a part: taken back whole, the others stay."""

from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission
from tests.support.loading import Loads, counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990040", "MARBLE & MOSS CORP")
KINDS: tuple[Kind, ...] = ("filings", "documents", "passages")
STRICT = "400 strict_dynamic_mapping_exception"


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    documents = (MadeUpDocument("Quarries. " * 500), MadeUpDocument("Moss grows.\n"))
    return MadeUp(new_number(), (MARBLE,), documents)


@pytest.fixture
async def writer(engine: Engine, settings: Settings) -> AsyncIterator[SubmissionWriter]:
    with Owner(settings.absolute_home) as owner:
        writer = SubmissionWriter(engine, settings, owner)
        await writer.set_up()
        yield writer


def poisoned(prepared: PreparedSubmission, kind: str) -> PreparedSubmission:
    """Return the same with a field in the last operation of this kind that no mapping has."""
    lines: bytes | list[bytes] = prepared.filing if kind == "filings" else getattr(prepared, kind)
    whole = lines if isinstance(lines, bytes) else b"".join(lines)
    start, brace, end = whole.rpartition(b"\n{")
    bad = start + brace + b'"no_such_field":1,' + end
    if kind == "filings":
        return msgspec.structs.replace(prepared, filing=bad)
    return msgspec.structs.replace(prepared, **{kind: [bad]})


async def parts(engine: Engine, number: str) -> dict[str, int]:
    for kind in KINDS:
        await engine.refresh(kind)
    return {kind: len(await stored(engine, kind, number)) for kind in KINDS}


@pytest.mark.parametrize(
    ("kind", "part"), [("filings", ""), ("documents", "-2"), ("passages", "-2#0")]
)
async def test_poisoned_submission_is_refused_whole_and_the_other_loaded(
    writer: SubmissionWriter,
    engine: Engine,
    prepared: Callable[[MadeUp], PreparedSubmission],
    filing: MadeUp,
    new_number: Callable[[], str],
    kind: str,
    part: str,
) -> None:
    number = filing.accession_number
    good = prepared(msgspec.structs.replace(filing, accession_number=new_number()))
    bad = poisoned(prepared(filing), kind)
    reason = f"Elasticsearch refused {number}{part} ({STRICT})"
    results = await writer.write([bad, good])
    assert [(r.prepared, r.outcome, r.reason) for r in results] == [
        (good, "loaded", ""),
        (bad, "refused", reason),
    ]
    assert await parts(engine, number) == {"filings": 0, "documents": 0, "passages": 0}
    assert await parts(engine, good.accession_number) == {
        "filings": 1,
        "documents": 2,
        "passages": 4,
    }
    entry = (await read_entries(engine, [number]))[number]
    assert (entry.status, entry.reason, entry.parts) == ("refused", reason, {})


async def test_poisoned_version_takes_the_earlier_one_with_it_which_can_come_back(
    writer: SubmissionWriter,
    engine: Engine,
    loads: Loads,
    prepared: Callable[[MadeUp], PreparedSubmission],
    filing: MadeUp,
) -> None:
    number = filing.accession_number
    assert counts(await loads({"good.txt": txt(filing)})).loaded == 1
    changed = msgspec.structs.replace(filing, documents=(MadeUpDocument("Changed.\n"),))
    (result,) = await writer.write([poisoned(prepared(changed), "documents")])
    assert result.outcome == "refused"
    assert await parts(engine, number) == {"filings": 0, "documents": 0, "passages": 0}
    assert counts(await loads({"good.txt": txt(filing)})) == (1, 0, 0, 0)
    assert await parts(engine, number) == {"filings": 1, "documents": 2, "passages": 4}


async def test_sections_are_taken_back_too(
    writer: SubmissionWriter,
    engine: Engine,
    prepared: Callable[[MadeUp], PreparedSubmission],
    filing: MadeUp,
) -> None:
    number = filing.accession_number
    page = "<html><p>Item 1. Business</p><p>Quarries.</p><p>Item 2. Properties</p><p>Moss.</p>"
    first = msgspec.structs.replace(
        filing, form_type="10-K", documents=(MadeUpDocument(page, "10-K"),)
    )
    second = msgspec.structs.replace(
        first, documents=(MadeUpDocument(page.partition("<p>Item 2")[0], "10-K"),)
    )
    (result,) = await writer.write([prepared(first)])
    await engine.refresh("sections")
    assert result.outcome == "loaded"
    assert len(await stored(engine, "sections", number)) == 2
    # The last of these is the section's.
    (result,) = await writer.write([poisoned(prepared(second), "passages")])
    await engine.refresh("sections")
    assert (result.outcome, await stored(engine, "sections", number)) == ("refused", [])
