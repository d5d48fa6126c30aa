"""Hostile values under every declared parameter, against the service and a real Elasticsearch."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import aiohttp
import msgspec
import pytest
from yarl import URL

from edgar_search.settings import Settings
from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.streams import EVENT_STREAM
from tests.torture.service import Target, serving
from tests.web.api.values.hostile import HostileRequest, requests
from tests.web.api.values.test_any_value import SEED

pytestmark = pytest.mark.anyio
SHORT = 1_000
LONG = int(os.environ.get("EDGAR_SEARCH_TEST_REQUESTS", "200000"))
CLIENTS = 6
# What a wrong request may be answered; several clients change the same things at once.
ANSWERS = {200, 201, 304, 400, 401, 403, 404, 409}
# Memory is compared between here and the end.
MIDDLE = 0.5
GROWTH = 1.10


class Fuzzing:
    """Requests that several clients share, and how they were answered."""

    def __init__(self, target: Target, count: int) -> None:
        self._target = target
        declared = [e for e in ENDPOINTS if e.parameters and EVENT_STREAM not in e.media]
        self._left: Iterator[HostileRequest] = islice(requests(declared, Random(SEED)), count)
        self._middle = int(count * MIDDLE)
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.slowest = (0.0, "")
        self.rss_in_the_middle = 0

    async def run(self) -> None:
        """Ask until nothing is left."""
        async with self._target.client(CLIENTS) as client:
            await asyncio.gather(*(self._ask_all(client) for _ in range(CLIENTS)))

    async def _ask_all(self, client: aiohttp.ClientSession) -> None:
        for request in self._left:
            began = time.perf_counter()
            what = await self._ask(client, request)
            if what is not None:
                self.wrong.append(f"{what}: {request!r:.600}")
            took = time.perf_counter() - began
            self.slowest = max(self.slowest, (took, f"{request!r:.200}"))
            if self.statuses.total() == self._middle:
                self.rss_in_the_middle = self._target.rss()

    async def _ask(self, client: aiohttp.ClientSession, request: HostileRequest) -> str | None:
        """Return the fault of the answer; None if it has none."""
        url = URL(self._target.url + request.target, encoded=True)
        headers = {} if request.body is None else {"Content-Type": "application/json"}
        try:
            async with client.request(
                request.method, url, data=request.body, headers=headers, allow_redirects=False
            ) as reply:
                self.statuses[reply.status] += 1
                return _wrong(reply, await reply.read())
        except (aiohttp.ClientError, TimeoutError) as error:
            return f"no answer: {error!r}"


def _wrong(reply: aiohttp.ClientResponse, body: bytes) -> str | None:
    if reply.status not in ANSWERS:
        return f"status {reply.status} {body[:200]!r}"
    if "x-request-id" not in reply.headers:
        return "no request id"
    if reply.status >= 400:
        if not reply.headers["content-type"].startswith("application/json"):
            return "an error that is not JSON"
        if not isinstance(msgspec.json.decode(body).get("error"), str):
            return "an error without its text"
    return None


@pytest.fixture
def roomy(settings: Settings, tmp_path: Path) -> Iterator[Target]:
    """A service in which no search has to wait: what is asked is the subject, not how often."""
    with serving(
        msgspec.structs.replace(settings, searches=1_000, default_plan="unlimited"), tmp_path
    ) as target:
        yield target


async def fuzz(target: Target, count: int) -> Fuzzing:
    """Ask this many; nothing may be wrong."""
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    fuzzing = Fuzzing(target, count)
    began = time.monotonic()
    await fuzzing.run()
    seconds = time.monotonic() - began
    print(f"{count} requests in {seconds:.0f} s: {dict(fuzzing.statuses)}")
    print(f"slowest {fuzzing.slowest[0]:.2f} s: {fuzzing.slowest[1]}")
    for each in (*fuzzing.wrong, *target.faults()):
        print(each)
    assert (len(fuzzing.wrong), len(target.faults())) == (0, 0)
    return fuzzing


async def test_no_value_is_a_fault(roomy: Target) -> None:
    await fuzz(roomy, SHORT)


@pytest.mark.long
async def test_none_of_very_many_values_is_a_fault_or_stays_in_memory(roomy: Target) -> None:
    fuzzing = await fuzz(roomy, LONG)
    end = roomy.rss()
    print(f"RSS {fuzzing.rss_in_the_middle / 1e6:.0f} MB in the middle, {end / 1e6:.0f} at the end")
    assert end < GROWTH * fuzzing.rss_in_the_middle
