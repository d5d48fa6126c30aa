"""Comparisons with EDGAR that are killed at any request, and end as if they had not been."""

import asyncio
import random
import signal
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.ledger import read_entries
from tests.conftest import remove_everything
from tests.faults.proxy import listening
from tests.faults.striking import Strike, Striking
from tests.support.alerting import events_of
from tests.support.edgar_site import EdgarSite
from tests.support.engines import installation
from tests.support.fetching import CONTACT, Command
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
SEED = random.randrange(2**32)
BASALT = MadeUpEntity("0009990073", "BASALT COMPARISONS CORP")
NUMBERS = [f"0009990073-21-{number:06d}" for number in range(40)]
CHANGED, REMOVED = NUMBERS[::3], NUMBERS[1:3]
STRIKES: tuple[Strike, ...] = ("kill before", "kill after") * 3


def submission(number: str, words: str) -> bytes:
    return txt(MadeUp(number, (BASALT,), (MadeUpDocument(f"{words}\n"),)))


async def test_killed_comparison_ends_as_without(engine_settings: Settings, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    chosen = random.Random(SEED)
    made = installation(engine_settings, "reconcile-hit", tmp_path / "hit")
    site = EdgarSite(submission(number, "Moss.") for number in NUMBERS)
    engine = Engine.from_settings(made)
    try:
        with site.serving():
            settings = msgspec.structs.replace(made, edgar_url=site.url, contact=CONTACT)
            loading = Command(settings, "fetch", "--from", "2021-01-01", "--to", "2021-01-31")
            status, summary = await asyncio.to_thread(loading.ended)
            assert status == 0, summary
            for number in CHANGED:
                site.add(submission(number, "Fern."))
            site.removed = set(REMOVED)
            proxy = Striking(str(settings.es_url), settings.prefix, chosen)
            async with listening(proxy):
                struck = msgspec.structs.replace(settings, es_url=proxy.url)
                for strike in STRIKES:
                    proxy.arm(strike, "", chosen.randint(5, 40))
                    comparing = Command(struck, "reconcile", "--workers", "1")
                    proxy.load = comparing.process.pid
                    assert await asyncio.to_thread(comparing.process.wait) == -signal.SIGKILL
                    comparing.process.communicate()
                proxy.disarm()
                # A filing is withdrawn when the indices of two runs lack it.
                for _ in range(2):
                    status, summary = await asyncio.to_thread(Command(struck, "reconcile").ended)
                    assert status == 0, summary
        entries = await read_entries(engine, NUMBERS)
        withdrawn = [each for each in NUMBERS if entries[each].withdrawn_at is not None]
        assert withdrawn == REMOVED
        for number in NUMBERS:
            expected = Counter(["loaded"])
            expected.update(["changed"] if number in CHANGED else [])
            expected.update(["withdrawn"] if number in REMOVED else [])
            assert Counter(event.kind for event in await events_of(engine, number)) == expected
    finally:
        await engine.close()
        await remove_everything(made)
