"""Hosts without a common home share EDGAR's rate through a real Elasticsearch."""

import asyncio
import subprocess
import sys

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import StoredLease
from ingest.fetching.rate import NAME

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
PROGRAM = """
import asyncio, sys, time
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.fetching.rate import make_slots
async def main():
    values = {"es_url": sys.argv[1], "prefix": sys.argv[2], "edgar_rate_shared": True}
    engine = Engine.from_settings(Settings(**values))
    slots = make_slots(Settings(**values), engine)
    for _ in range(25):
        await slots.wait()
        print(time.monotonic(), flush=True)
    await engine.close()
asyncio.run(main())
"""


def output_of(command: list[str]) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, timeout=120, check=True
    ).stdout


async def test_processes_stay_below_the_rate_with_a_write_a_second(
    engine: Engine, made_settings: Settings
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(made_settings.es_url), made_settings.prefix]
    outputs = await asyncio.gather(*(asyncio.to_thread(output_of, command) for _ in range(2)))
    times = sorted(float(line) for output in outputs for line in output.split())
    assert len(times) == 50
    busiest = max(sum(begin <= t < begin + 1 for t in times) for begin in times)
    span = times[-1] - times[0]
    stored = await engine.get("leases", NAME, StoredLease)
    assert stored is not None and stored.source is not None
    print(f"50 requests in {span:.1f} s, {busiest} in the busiest, {stored.source.revision} writes")
    assert busiest <= 10
    assert stored.source.revision <= span + 2
