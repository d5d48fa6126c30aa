"""Updates that are killed after some submissions have settled, and end as if they had not been.

Beside them searches are asked: each filing is found as it was before, or as it is afterwards.
"""

import asyncio
import json
import random
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from bench.installation import Installation
from bench.loading import environment
from edgar_search.app import create_app
from edgar_search.engine.contents import count_outdated
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from tests.conftest import remove_everything
from tests.faults.contents import Contents
from tests.faults.proxy import listening
from tests.faults.striking import Strike, Striking
from tests.faults.test_fault_matrix import held
from tests.support.engines import installation
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
SEED = random.randrange(2**32)
FILINGS = 300
STRIKES: tuple[Strike, ...] = ("kill before", "kill after", "kill before", "kill after")
# With small batches some submissions settle before each kill, and some do not.
COMMAND = (
    "from ingest import cli; from ingest.loading import session;"
    " session.BATCH_SUBMISSIONS = 10; exit(cli.main())"
)
SLATE = MadeUpEntity("0009990072", "SLATE UPDATES CORP")
NUMBERS = [f"0009990072-21-{number:06d}" for number in range(FILINGS)]
OLDER = NUMBERS[::2]  # their stored texts have another word
# Queries, with the documents that they find before and after.
TOTALS = {
    "quarry OR chalk": (FILINGS, FILINGS),
    "moss": (FILINGS, FILINGS),
    "quarry": (FILINGS - len(OLDER), FILINGS),
    "chalk": (len(OLDER), 0),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Submissions of many days, most of them of several passages."""
    folder = tmp_path_factory.mktemp("many")
    for number, accession in enumerate(NUMBERS):
        words = f"<p>Slate number {number} was cut in the quarry.</p>" * (number % 90 + 1)
        documents = (MadeUpDocument(words), MadeUpDocument("Moss.", "EX-99"))
        day = date(2021, 1 + number % 12, 1 + number % 28)
        made = MadeUp(accession, (SLATE,), documents, filing_date=day)
        (folder / f"{accession}.txt").write_bytes(txt(made))
    return folder


async def begin(settings: Settings, url: str, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", COMMAND, *command, "--workers", "2"),
        env=environment(settings) | {"EDGAR_SEARCH_ES_URL": url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )


_OF_USERS = ("accounts", "history", "usage")


async def stored(settings: Settings) -> Contents:
    """Everything that is stored, except for the file that each submission was loaded from last."""
    found = await held(settings)
    for entry in found["ledger"].values():
        entry.pop("source")
    # Searches beside an update are someone's.
    return {kind: entries for kind, entries in found.items() if kind not in _OF_USERS}


class _Document(msgspec.Struct):
    id: str = msgspec.field(name="_id")
    index: str = msgspec.field(name="_index")
    source: dict[str, Any] = msgspec.field(name="_source")


async def age(engine: Engine) -> None:
    """Make all submissions those of an older version, and give some another text."""
    for entry in await engine.multi_get("ledger", NUMBERS, LedgerEntry):
        assert entry.source is not None
        older = msgspec.structs.replace(entry.source, contents=["entries:0"])
        await engine.replace("ledger", entry, older, visible=False)
    ids = [f"{number}-1" for number in OLDER]
    found = await engine.search(
        "documents", {"query": {"terms": {"document_id": ids}}, "size": FILINGS}, _Document
    )
    lines: list[bytes] = []
    for hit in found.hits.hits:
        lines.append(
            msgspec.json.encode({"index": {"_index": hit.index.rpartition(".")[0], "_id": hit.id}})
        )
        lines.append(msgspec.json.encode({**hit.source, "text": "slate was cut of chalk"}))
    assert not [
        item.error for item in await engine.bulk_items(b"\n".join([*lines, b""])) if item.error
    ]
    await asyncio.gather(engine.refresh("ledger"), engine.refresh("documents"))


@asynccontextmanager
async def asked(settings: Settings, engine: Engine) -> AsyncIterator[dict[str, list[int]]]:
    """Yield the totals of each query while this is open, asked again and again."""
    totals: dict[str, list[int]] = {query: [] for query in TOTALS}
    key = await Installation(settings, engine).key()
    async with LifespanManager(create_app(settings), startup_timeout=60) as manager:
        transport = httpx.ASGITransport(manager.app)
        headers = {"X-API-Key": key}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", headers=headers
        ) as http:

            async def ask() -> None:
                while True:
                    for query, found in totals.items():
                        # What has been written so far is seen at once.
                        await engine.refresh("documents")
                        sent = {"query": query, "limit": "10"}
                        reply = await http.get("/v1/search", params=sent)
                        assert reply.status_code == 200, reply.text
                        ids = [each["document_id"] for each in reply.json()["items"]]
                        assert len(ids) == len(set(ids))
                        found.append(reply.json()["total_count"])

            asking = asyncio.create_task(ask())
            try:
                yield totals
            finally:
                asking.cancel()
                outcome = await asyncio.gather(asking, return_exceptions=True)
                assert isinstance(outcome[0], asyncio.CancelledError), outcome


async def test_killed_after_some_have_settled_it_ends_as_without(
    engine_settings: Settings, folder: Path, tmp_path: Path
) -> None:
    settings = installation(engine_settings, "update-hit", tmp_path / "hit")
    chosen = random.Random(SEED)
    engine = Engine.from_settings(settings)
    url = str(settings.es_url)
    try:
        assert await (await begin(settings, url, "load", str(folder))).wait() == 0
        before = await stored(settings)
        await age(engine)
        left, began = [(await count_outdated(engine)).submissions], time.monotonic()
        proxy = Striking(url, settings.prefix, chosen)
        async with asked(settings, engine) as totals, listening(proxy):
            for strike in STRIKES:
                proxy.arm(strike, "_bulk", chosen.randint(25, 60))
                update = await begin(settings, proxy.url, "update")
                proxy.load = update.pid
                assert await update.wait() == -signal.SIGKILL
                await engine.refresh("ledger")
                left.append((await count_outdated(engine, None, ("loaded", "pending"))).submissions)
            proxy.disarm()
            update = await begin(settings, proxy.url, "update")
            out, _ = await update.communicate()
        summary = json.loads(out.splitlines()[-1])
        print(f"seed {SEED}: left {left}, {time.monotonic() - began:.0f} s")
        for query, found in totals.items():
            first, last = found[0], found[-1]
            print(f"{query}: {len(found)} searches, {first} to {last}, {len(set(found))} totals")
        assert (update.returncode, summary["outdated"]) == (0, 0)
        assert left[0] == FILINGS
        assert sorted(set(left), reverse=True) == left
        assert summary["loaded"] == left[-1] > 0
        for query, (old, new) in TOTALS.items():
            # Each filing turns once from what it was to what it is.
            assert [old, *totals[query], new] == sorted(
                [old, *totals[query], new], reverse=old > new
            )
        assert await stored(settings) == before
    finally:
        await engine.close()
        await remove_everything(settings)
