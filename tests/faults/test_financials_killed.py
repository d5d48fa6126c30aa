"""Loads of statements that are killed between their two stores, and end as if they had not been."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from msgspec import Struct

from bench.loading import environment
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import NotFound
from edgar_search.financials.filings import filing_statements
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.contents import Contents
from tests.faults.proxy import Proxy, listening
from tests.faults.test_fault_matrix import engine_url, held
from tests.support.engines import installation
from tests.support.made_up_xbrl import report, report_facts

pytestmark = pytest.mark.anyio
NUMBER, CIK = "0009990083-24-000001", "0009990083"
# The first and the second version of one filing: fewer facts, and other ones.
VERSIONS = {"first": report_facts(2023), "second": report_facts(2023, 3)[:-4]}


class Killing(Proxy):
    """Kills the load after the first bulk request that has operations of a kind."""

    def __init__(self, settings: Settings, kind: Kind | None) -> None:
        super().__init__(engine_url(settings), settings.prefix, None, random.Random())
        self._mark = f"{settings.prefix}{kind}".encode() if kind else None

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the one handler."""
        body = await request.read()
        reply = await super().answer(request)
        if self._mark and request.path.endswith("_bulk") and self._mark in body:
            self._mark, self.struck = None, True
            os.kill(self.load, signal.SIGKILL)
        return reply


class Cutting(Proxy):
    """Cuts the first request and the second reply of each kind about the lease of links."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(engine_url(settings), settings.prefix, None, random.Random())
        self.asked: Counter[str] = Counter()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the one handler."""
        if "/fact-links" not in request.path:
            return await super().answer(request)
        body = await request.read()
        kind = "give back" if b'"holder":""' in body else request.method
        self.asked[kind] += 1
        match self.asked[kind]:
            case 1:
                return await self._strike("cut request", request, body)
            case 2:
                return await self._strike("cut reply", request, body)
        return await super().answer(request)


async def load(settings: Settings, folder: Path, kind: Kind | None = None) -> int:
    """The status of a load of a folder, which is killed after the first writing of a kind."""
    async with listening(Killing(settings, kind)) as proxy:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "ingest.cli", "load", str(folder), "--workers", "1"),
            env=environment(msgspec.structs.replace(settings, es_url=proxy.url)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        proxy.load = process.pid
        status = await asyncio.wait_for(process.wait(), 180)
        assert proxy.struck is (kind is not None)
        return status


async def number_of(engine: Engine, kind: Kind) -> int:
    await engine.refresh(kind)
    return (await engine.search(kind, {"size": 0, "track_total_hits": True}, Struct)).total


async def stored(settings: Settings) -> Contents:
    """Everything that is stored, except for the times of the lease for links between facts."""
    found = await held(settings)
    del found["leases"]
    return found


def written(folder: Path, version: str) -> Path:
    made = folder / version
    made.mkdir()
    facts = VERSIONS[version]
    for name, data in report(NUMBER, CIK, facts, date(2024, 2, 1), text=version).items():
        (made / name).write_bytes(data)
    return made


async def test_statements_are_there_with_all_their_facts_or_not_at_all(
    engine_settings: Settings, tmp_path: Path
) -> None:
    first, second = (written(tmp_path, version) for version in VERSIONS)
    whole = installation(engine_settings, "numbers-whole", tmp_path / "whole")
    hit = installation(engine_settings, "numbers-hit", tmp_path / "hit")
    engine = Engine.from_settings(hit)
    try:
        assert await load(whole, first) == 0
        assert await load(hit, first, "facts") == -signal.SIGKILL
        assert await number_of(engine, "financials") == 0
        with pytest.raises(NotFound):
            await filing_statements(engine, NUMBER)
        assert await load(hit, first, "financials") == -signal.SIGKILL
        assert await number_of(engine, "financials") == 1
        assert await number_of(engine, "facts") >= len(VERSIONS["first"])
        assert await load(hit, first) == 0
        assert await stored(hit) == await stored(whole)

        assert await load(whole, second) == 0
        assert await load(hit, second, "facts") == -signal.SIGKILL
        assert await load(hit, second) == 0
        assert await stored(hit) == await stored(whole)
    finally:
        await engine.close()
        await remove_everything(whole)
        await remove_everything(hit)


async def test_load_outlasts_cuts_of_every_request_for_the_lease_of_links(
    engine_settings: Settings, tmp_path: Path
) -> None:
    made = written(tmp_path, "first")
    cut = installation(engine_settings, "numbers-cut", tmp_path / "cut")
    try:
        async with listening(Cutting(cut)) as proxy:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "ingest.cli", "load", str(made), "--workers", "1"),
                env=environment(msgspec.structs.replace(cut, es_url=proxy.url)),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, said = await asyncio.wait_for(process.communicate(), 180)
        assert process.returncode == 0, said.decode()
        # A write whose reply was cut is refused the second time, and then seen to be our own.
        assert proxy.asked == {"GET": 6, "POST": 3, "give back": 3}
    finally:
        await remove_everything(cut)
