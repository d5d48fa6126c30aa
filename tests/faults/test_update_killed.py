"""Updates that are killed at random moments, and end as if they had not been."""

import asyncio
import json
import random
import signal
import sys
import time
from datetime import date
from pathlib import Path

import msgspec
import pytest

from bench.loading import environment
from edgar_search.engine.contents import count_outdated
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from tests.conftest import remove_everything
from tests.faults.contents import Contents
from tests.faults.test_fault_matrix import held
from tests.support.engines import installation
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
SEED = random.randrange(2**32)
KILLS = 6
FILINGS = 1_500
SLATE = MadeUpEntity("0009990072", "SLATE UPDATES CORP")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Submissions of many days, most of them of several passages."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(FILINGS):
        accession = f"0009990072-21-{number:06d}"
        words = f"<p>Slate number {number} was cut in the quarry.</p>" * (number % 90 + 1)
        documents = (MadeUpDocument(words), MadeUpDocument("Moss.", "EX-99"))
        day = date(2021, 1 + number % 12, 1 + number % 28)
        made = MadeUp(accession, (SLATE,), documents, filing_date=day)
        (folder / f"{accession}.txt").write_bytes(txt(made))
    return folder


async def begin(settings: Settings, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ingest.cli", *command, "--workers", "2"),
        env=environment(settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )


async def stored(settings: Settings) -> Contents:
    """Everything that is stored, but for the file that each submission was loaded from last."""
    found = await held(settings)
    for entry in found["ledger"].values():
        entry.pop("source")
    return found


async def age(engine: Engine) -> None:
    """Make all submissions those of an older version."""
    numbers = [f"0009990072-21-{number:06d}" for number in range(FILINGS)]
    for entry in await engine.multi_get("ledger", numbers, LedgerEntry):
        assert entry.source is not None
        older = msgspec.structs.replace(entry.source, contents=["entries:0"])
        await engine.replace("ledger", entry, older, visible=False)
    await engine.refresh("ledger")


async def test_killed_at_any_moment_it_ends_as_without(
    engine_settings: Settings, folder: Path, tmp_path: Path
) -> None:
    settings = installation(engine_settings, "update-hit", tmp_path / "hit")
    chosen = random.Random(SEED)
    engine = Engine.from_settings(settings)
    try:
        assert await (await begin(settings, "load", str(folder))).wait() == 0
        before = await stored(settings)
        await age(engine)
        assert (await count_outdated(engine)).submissions == FILINGS
        killed, left, began = 0, [FILINGS], time.monotonic()
        while killed < KILLS:
            update = await begin(settings, "update")
            await asyncio.sleep(chosen.uniform(4, 14))
            if update.returncode is not None:
                break
            update.send_signal(signal.SIGKILL)
            assert await update.wait() == -signal.SIGKILL
            killed += 1
            await engine.refresh("ledger")
            left.append((await count_outdated(engine, None, ("loaded", "pending"))).submissions)
        update = await begin(settings, "update")
        out, _ = await update.communicate()
        print(f"seed {SEED}: {killed} kills, left {left}, {time.monotonic() - began:.0f} s")
        summary = json.loads(out.splitlines()[-1])
        assert (update.returncode, summary["outdated"]) == (0, 0)
        assert left == sorted(left, reverse=True)
        assert summary["loaded"] == left[-1]
        assert await stored(settings) == before
    finally:
        await engine.close()
        await remove_everything(settings)
