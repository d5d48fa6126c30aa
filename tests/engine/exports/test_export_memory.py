"""The memory that an export of 100,000 documents takes in the worker, over a socket."""

import aiohttp
import msgspec
import pytest

from bench.deep import QUERY, make_documents
from bench.installation import Installation
from bench.service import running_service
from bench.walks import Memory
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.long]
DOCUMENTS = 100_000
# Beside what the worker has when nothing is asked of it.
MAX_BYTES = 20_000_000


async def test_export_takes_twenty_megabytes_at_most(
    engine: Engine, made_settings: Settings
) -> None:
    settings = msgspec.structs.replace(made_settings, alerts=False)
    here = Installation(settings, engine)
    await make_documents(here, DOCUMENTS)
    key = await here.key()
    headers = {"X-API-Key": key, "Accept-Encoding": "identity"}
    with running_service(settings) as service:
        async with aiohttp.ClientSession(service.url, headers=headers) as session:
            memory = Memory(service.process)
            memory.start()
            async with session.get("/v1/export", params={"query": QUERY}) as reply:
                lines = 0
                async for line in reply.content:
                    lines, last = lines + 1, line
            memory.stop()
    assert msgspec.json.decode(last) == {"records": DOCUMENTS, "complete": True}
    assert lines == DOCUMENTS + DOCUMENTS // 1_000
    assert memory.rss - memory.idle_rss <= MAX_BYTES
