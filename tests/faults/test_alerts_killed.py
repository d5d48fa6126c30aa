"""No notification is lost or made twice while loaders, matchers and the engine are struck.

Each point loads a slice of the real corpus by two loaders at once, while two matchers run. At a
random request a loader, the matcher that holds the lease, or the engine is killed, or the matcher
is stopped past its lease and continued. In the end the notifications are what searches find.
test_deliveries_killed.py has a short form. `EDGAR_SEARCH_TEST_SEED` repeats a run.
"""

import asyncio
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.faults.alert_processes import Fault, site, strike
from tests.faults.made_triggers import add_triggers, queries, searched, told
from tests.faults.striking import Strike
from tests.support.engines import own_engine

pytestmark = pytest.mark.anyio
TRIGGERS = 200
POINTS = 52
# Filings that the words of queries are taken from.
WORDS = 40
SLICE = 10
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "0")) or random.randrange(2**32)
# About how many requests a batch of the matcher has, and a load.
BATCH_REQUESTS = 20
LOAD_REQUESTS = 45
MATCHER_STRIKES: tuple[Strike, ...] = ("kill after", "stop before", "kill before", "stop after")
LOADER_STRIKES: tuple[Strike, ...] = ("kill before", "kill after")
OTHER_STRIKES: tuple[Strike, ...] = ("cut request", "cut reply", "reject", "away")


def fault(number: int) -> Fault:
    """Return the fault of the point of this number; every kind gets its turn."""
    chosen = random.Random(f"{SEED} {number}")
    if number % 12 == 11:
        return Fault("matcher", "kill engine", chosen.randrange(BATCH_REQUESTS))
    if number % 2:
        return Fault("loader", LOADER_STRIKES[number // 2 % 2], chosen.randrange(1, LOAD_REQUESTS))
    kinds = OTHER_STRIKES if number % 10 == 8 else MATCHER_STRIKES
    return Fault("matcher", kinds[number // 2 % len(kinds)], chosen.randrange(BATCH_REQUESTS))


@pytest.fixture
def engine() -> Iterator[Settings]:
    """Settings of an engine that is this test's."""
    with own_engine("768m", prefix="test-alerts-") as settings:
        yield settings


def slices(corpus: Path, size: int) -> list[list[Path]]:
    """Return the filings in a random order, in pieces of this size."""
    files = sorted(path for path in (corpus / "filings").iterdir() if path.suffix != ".jsonl")
    random.Random(SEED).shuffle(files)
    return [files[start : start + size] for start in range(0, len(files), size)]


@pytest.mark.long
async def test_no_notification_is_lost_or_made_twice_over_all_points_and_the_whole_corpus(
    engine: Settings, corpus: Path
) -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    pieces = slices(corpus, SLICE)
    words = [path for piece in pieces for path in piece][:WORDS]
    made = await asyncio.to_thread(queries, words, TRIGGERS, SEED)
    async with site(engine, random.Random(SEED)) as place:
        await Indices(place.engine, engine).set_up()
        added = await add_triggers(place.engine, made)
        struck = 0
        for number, files in enumerate(pieces[:POINTS]):
            chosen = fault(number)
            began = time.monotonic()
            came = await strike(place, files, chosen, engine)
            struck += came
            seconds = time.monotonic() - began
            print(f"{number}\t{chosen}\tstruck {came}\t{seconds:.1f} s", flush=True)
        rest = [path for piece in pieces[POINTS:] for path in piece]
        await asyncio.gather(place.load(rest), place.load(list(reversed(rest))))
        await place.settle()
        await place.engine.refresh("documents")
        wanted, found = await searched(place.engine, added), await told(place.engine)
        twice = {pair for pair, count in found.items() if count > 1}
        lost, surplus = wanted - found.keys(), found.keys() - wanted
        print(f"{POINTS} points, {struck} struck, {len(wanted)} notifications")
        assert (lost, surplus, twice) == (set(), set(), set())
        assert len(wanted) > 5 * POINTS
        # Everything again: nothing is told a second time.
        await place.load([path for piece in pieces[:POINTS] for path in piece])
        await place.settle()
        assert await told(place.engine) == found
    assert struck >= POINTS * 2 // 3
