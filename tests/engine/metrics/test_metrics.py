"""The figures of the ledger and the alerts."""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
ENTITY = MadeUpEntity("0009990141", "PLOVER")
WAIT_SECONDS = 30.0


async def test_figures_of_the_installation_are_those_of_what_was_loaded(
    engine: Engine, loads: Loads, settings: Settings, new_number: Callable[[], str]
) -> None:
    filings = [MadeUp(new_number(), (ENTITY,), (MadeUpDocument("Plovers.\n"),)) for _ in range(2)]
    await loads(
        {f"{filing.accession_number}.txt": txt(filing) for filing in filings} | {"bad.txt": b"x"}
    )
    half = LedgerEntry(
        "pending", "x", datetime.now(UTC), claimed_at=datetime.now(UTC) - timedelta(hours=2)
    )
    await engine.put("ledger", new_number(), half)
    app = create_app(msgspec.structs.replace(settings, metrics="loopback"))
    async with LifespanManager(app) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            text = (await client.get("/metrics")).text
            # A scrape does not wait long for Elasticsearch; a later one has what came meanwhile.
            async with asyncio.timeout(WAIT_SECONDS):
                while "edgar_search_alerts_waiting " not in text:
                    await asyncio.sleep(0.2)
                    text = (await client.get("/metrics")).text
    figures = dict(
        re.findall(r"^(edgar_search_(?:engine_up|ledger|alerts|last)\S*) (\S+)$", text, re.M)
    )
    assert figures["edgar_search_engine_up"] == "1.0"
    assert figures['edgar_search_ledger_submissions{status="loaded"}'] == "2.0"
    assert figures['edgar_search_ledger_submissions{status="refused"}'] == "1.0"
    assert float(figures["edgar_search_last_loaded_timestamp_seconds"]) > 1_700_000_000
    assert (
        float(figures['edgar_search_last_success_timestamp_seconds{step="load"}']) > 1_700_000_000
    )
    # They came from files, and not from EDGAR.
    assert not [name for name in figures if 'step="fetch"' in name or 'step="list"' in name]
    assert 7200 <= float(figures["edgar_search_ledger_oldest_pending_seconds"]) < 7300
    assert figures["edgar_search_alerts_waiting"] == "2.0"
    assert float(figures["edgar_search_alerts_oldest_waiting_seconds"]) >= 0
