"""Deep pages: their time at a client."""

import hashlib
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import aiohttp

from bench.installation import Installation
from bench.service import RunningService
from edgar_search.engine.index_names import WHOLE
from edgar_search.stored.filings import StoredDocument, StoredPassage, passage_id
from ingest.loading.bulk import BulkWriter
from ingest.loading.retry import Retry
from ingest.reading.operations import operation

DOCUMENTS = 60_000
PAGES = ((20, 0), (100, 0), (20, 1_000), (100, 1_000), (20, 50_000), (100, 50_000))
QUERY = "deep"


async def measure_deep_pages(
    here: Installation, service: RunningService, key: str, rounds: int
) -> None:
    """Print the p50 of pages at several depths over tiny documents."""
    await make_documents(here, DOCUMENTS)
    print(f"deep pages of {DOCUMENTS} documents")
    async with aiohttp.ClientSession(headers={"X-API-Key": key}) as session:
        for limit, offset in PAGES:
            url = f"{service.url}/v1/search?query={QUERY}&limit={limit}&offset={offset}"
            times = [await _time(session, url) for _ in range(rounds + 3)][3:]
            print(f"  limit {limit}, offset {offset}: {statistics.median(times) * 1000:.1f} ms")


async def make_documents(here: Installation, count: int) -> None:
    """Write this many tiny documents, all of which have `QUERY`."""
    writer = BulkWriter(here.engine, Retry(here.settings.load_patience))
    await writer.write_all(_operations(here, count, documents=False))
    await writer.write_all(_operations(here, count, documents=True))
    await here.engine.refresh("passages")
    await here.engine.refresh("documents")


async def _time(session: aiohttp.ClientSession, url: str) -> float:
    began = time.perf_counter()
    async with session.get(url) as reply:
        assert reply.status == 200, await reply.text()
        await reply.read()
    return time.perf_counter() - began


def _operations(here: Installation, count: int, *, documents: bool) -> Iterator[bytes]:
    for number in range(count):
        document_id = f"9999999999-20-{number // 100:06d}-{number % 100 + 1}"
        text = QUERY + " page" * (number % 7)
        if documents:
            stored = _document(document_id, number, text)
            yield operation("documents", here.settings.prefix, WHOLE, document_id, stored)
        else:
            passage = StoredPassage(document_id, 0, 0, text)
            key = passage_id(document_id, 0)
            yield operation("passages", here.settings.prefix, WHOLE, key, passage)


def _document(document_id: str, number: int, text: str) -> StoredDocument:
    return StoredDocument(
        document_id=document_id,
        accession_number=document_id[:20],
        form_type="8-K",
        filing_date=date(2020, 1, 1) + timedelta(days=number % 1000),
        ciks=["9999999999"],
        sics=[],
        entities=["0000 9999999999 BENCH"],
        document_type="8-K",
        description="",
        file_name="deep.txt",
        size=len(text),
        passages=1,
        text=text,
        loaded_at=datetime.now(UTC),
        root_form="8-K",
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        text_length=len(text),
    )
