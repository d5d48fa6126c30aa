"""Loads that meet at one accession number: one of the versions ends whole, never a mixture."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.loading import ledger as module
from ingest.loading.ledger import Ledger, read_entries
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission
from tests.support.loading import Hit, Loads, counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990140", "MARBLE & MOSS CORP")
LONG = (MadeUpDocument("Quarries were bought. " * 900), MadeUpDocument("Moss grows.\n", "EX-99"))
SHORT = (MadeUpDocument("Only this.\n"),)
SEED = random.randrange(2**32)

Prepare = Callable[[MadeUp], PreparedSubmission]


@pytest.fixture
def long(new_number: Callable[[], str]) -> MadeUp:
    return MadeUp(new_number(), (MARBLE,), LONG)


@pytest.fixture
def short(long: MadeUp) -> MadeUp:
    return msgspec.structs.replace(long, documents=SHORT)


@pytest.fixture
def owners(settings: Settings) -> Iterator[tuple[Owner, Owner]]:
    with Owner(settings.absolute_home) as one, Owner(settings.absolute_home) as other:
        yield one, other


@pytest.fixture
async def writers(
    engine: Engine, settings: Settings, owners: tuple[Owner, Owner]
) -> AsyncIterator[tuple[SubmissionWriter, SubmissionWriter]]:
    """Two loads of the same installation."""
    one, other = (SubmissionWriter(engine, settings, owner) for owner in owners)
    await one.set_up()
    yield one, other


async def contents(engine: Engine, number: str) -> dict[str, list[Hit]]:
    """Return all that is stored below an accession number, without the times of loading."""
    found = {}
    for kind in ("filings", "documents", "passages"):
        await engine.refresh(kind)
        found[kind] = await stored(engine, kind, number)
        for hit in found[kind]:
            hit.source.pop("loaded_at", None)
    return found


async def entry(engine: Engine, number: str) -> LedgerEntry:
    return (await read_entries(engine, [number]))[number]


async def test_two_versions_at_once_end_as_one_of_them_whole(
    engine: Engine,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    new_number: Callable[[], str],
) -> None:
    numbers = [new_number() for _ in range(6)]
    versions = [[MadeUp(n, (MARBLE,), documents) for n in numbers] for documents in (LONG, SHORT)]
    alone = {}
    for each in (each for version in versions for each in version):
        own = msgspec.structs.replace(each, accession_number=new_number())
        await writers[0].write([prepared(own)])
        found = await contents(engine, own.accession_number)
        alone[each] = plain(found, own.accession_number)
    print("seed", SEED)
    shuffled = random.Random(SEED)
    batches = []
    for version in versions:
        shuffled.shuffle(version)
        batches.append([prepared(each) for each in version])
    await asyncio.gather(
        *(writer.write(batch) for writer, batch in zip(writers, batches, strict=True))
    )
    for number in numbers:
        known = await entry(engine, number)
        assert (known.status, known.owner, len(known.hashes)) == ("loaded", None, 2)
        (stands,) = [
            each
            for version, batch in zip(versions, batches, strict=True)
            for each, p in zip(version, batch, strict=True)
            if p.sha256 == known.loaded_hash and p.accession_number == number
        ]
        assert plain(await contents(engine, number), number) == alone[stands]


def plain(found: dict[str, list[Hit]], number: str) -> str:
    """Contents with the accession number taken out, so that two submissions' can be compared."""
    return msgspec.json.encode(found).decode().replace(number, "NUMBER")


async def test_load_waits_for_one_that_runs_and_then_replaces_its_version(
    engine: Engine,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
) -> None:
    number = long.accession_number
    first, second = writers
    claims = await first.ledger.claim([prepared(long)])
    waiting = asyncio.create_task(second.write([prepared(short)]))
    await asyncio.sleep(1.2)
    assert not waiting.done()
    assert (await entry(engine, number)).owner == first.ledger.owner.name
    await first._write_claimed(claims.held)
    (result,) = await waiting
    assert result.outcome == "loaded"
    assert (await entry(engine, number)).parts == {f"{number}-1": 1}


async def test_claim_of_a_load_that_ended_is_taken_over_at_once(
    engine: Engine,
    settings: Settings,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
) -> None:
    number = long.accession_number
    with pytest.raises(RuntimeError), Owner(settings.absolute_home) as dead:
        writer = SubmissionWriter(engine, settings, dead)
        (held,) = (await writer.ledger.claim([prepared(long)])).held
        await writer._writer.write_all(held.prepared.passages)
        raise RuntimeError("as if it were killed here")
    assert (await entry(engine, number)).status == "pending"
    (result,) = await asyncio.wait_for(writers[0].write([prepared(short)]), 5)
    assert result.outcome == "loaded"
    found = await contents(engine, number)
    assert {kind: len(hits) for kind, hits in found.items()} == {
        "filings": 1,
        "documents": 1,
        "passages": 1,
    }


async def test_claim_that_nobody_can_see_the_end_of_is_taken_over_after_its_lease(
    engine: Engine,
    settings: Settings,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Owner(tmp_path / "another-home") as elsewhere:
        await SubmissionWriter(engine, settings, elsewhere).ledger.claim([prepared(long)])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(writers[0].write([prepared(short)]), 1.5)
        monkeypatch.setattr(module, "LEASE_SECONDS", 1.0)
        (result,) = await asyncio.wait_for(writers[0].write([prepared(short)]), 10)
    assert result.outcome == "loaded"


async def test_load_that_was_only_paused_cannot_go_on_with_what_it_lost(
    engine: Engine,
    settings: Settings,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number = long.accession_number
    paused, other = writers
    claims = await paused.ledger.claim([prepared(long)])
    monkeypatch.setattr(Ledger, "_is_anothers", lambda *_: False)
    assert [r.outcome for r in await other.write([prepared(short)])] == ["loaded"]
    results, lost = await paused._write_claimed(claims.held)
    assert (results, [p.accession_number for p in lost]) == ([], [number])
    found = await contents(engine, number)
    assert [hit.id for hit in found["passages"]] == [f"{number}-1#0"]
    assert (await entry(engine, number)).parts == {f"{number}-1": 1}
    assert len(found["documents"]) == 1


async def test_crash_over_a_loaded_version_brings_that_version_back(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
) -> None:
    """A crash leaves a mixture, so the earlier version is not `unchanged` any more."""
    number = long.accession_number
    await loads({"short.txt": txt(short)})
    before = await contents(engine, number)
    with pytest.raises(RuntimeError), Owner(settings.absolute_home) as dead:
        writer = SubmissionWriter(engine, settings, dead)
        (held,) = (await writer.ledger.claim([prepared(long)])).held
        await writer._writer.write_all([*held.prepared.passages, *held.prepared.documents])
        raise RuntimeError("as if it were killed here")
    assert counts(await loads({"short.txt": txt(short)})) == (1, 0, 0, 0)
    after = await contents(engine, number)
    for found in (before, after):
        found["filings"][0].source.pop("archive")
    assert after == before


async def test_wrong_clock_does_not_keep_a_later_version_out(
    engine: Engine,
    writers: tuple[SubmissionWriter, SubmissionWriter],
    prepared: Prepare,
    long: MadeUp,
    short: MadeUp,
) -> None:
    number = long.accession_number
    ahead = prepared(long)
    await writers[0].write([ahead.with_epoch(ahead.epoch + 10**9)])
    (result,) = await writers[0].write([prepared(short)])
    assert result.outcome == "loaded"
    assert len((await contents(engine, number))["passages"]) == 1
    assert (await entry(engine, number)).epoch == ahead.epoch + 10**9 + 1
