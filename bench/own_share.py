"""The service's own share of a page's time: a search beside the engine requests that it makes.

    python -m bench.own_share [--rounds N]

It works on an installation that is loaded, with the settings of the service. The requests that a
search makes are recorded once, and sent to Elasticsearch again as they are by the same client, in
turn with the search. New queries are ones that the worker has never seen; for Elasticsearch both
are repeated. CPU is that of the worker's process.
"""

import argparse
import asyncio
import itertools
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import aiohttp
import msgspec
import psutil

from bench.installation import Installation
from bench.searching import CLIENTS, QUERIES
from bench.service import RunningService, running_service
from edgar_search.access.accounts import UNLIMITED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from evaluation.installed import Installed, installed

# Each two of these in several ways are the new queries.
_WORDS = (
    "revenue tax income credit director stock loss plan risk interest merger lease goodwill audit"
    " pension warrant dividend cash note bond trust fund option agreement"
).split()
_WAYS = ("{} AND {}", "{} OR {}", '"{}" {} company')
_NEW = 300
# To compress answers is a cost of its own, which the service never asks Elasticsearch for.
_PLAIN = {"Accept-Encoding": "identity"}


class Sent(NamedTuple):
    """A request to Elasticsearch, as it was sent."""

    path: str
    params: dict[str, str]
    body: bytes


class Recorder:
    """The requests that an engine sends, kept while they continue their way."""

    def __init__(self, engine: Engine) -> None:
        self._send = engine._requests.send
        self.sent: list[Sent] = []
        engine._requests.send = self._record  # type: ignore[method-assign]

    async def _record(self, method: str, path: str, **options: Any) -> bytes:
        if path.endswith("/_search"):
            body = msgspec.json.encode(options["body"])
            self.sent.append(Sent(path, options["params"], body))
        return await self._send(method, path, **options)

    async def of(self, here: Installed, query: str) -> list[Sent]:
        """The engine requests of a query's page if the service remembers all of the query."""
        await here.search({"query": query})
        self.sent = []
        await here.search({"query": query})
        sent, self.sent = self.sent, []
        return sent


class Client:
    """A client of the service and of Elasticsearch beside it."""

    def __init__(
        self, session: aiohttp.ClientSession, service: RunningService, es_url: str, key: str
    ) -> None:
        self._session, self._es_url = session, es_url
        self._url, self._headers = f"{service.url}/v1/search", {"X-API-Key": key, **_PLAIN}

    async def page(self, query: str) -> None:
        """A page of 20 hits with snippets."""
        params = {"query": query}
        async with self._session.get(self._url, params=params, headers=self._headers) as reply:
            assert reply.status == 200, await reply.text()
            await reply.read()

    async def raw(self, requests: Sequence[Sent]) -> None:
        """The engine requests of a page, one after the other."""
        headers = {"Content-Type": "application/json", **_PLAIN}
        for path, params, body in requests:
            url = self._es_url + path
            async with self._session.post(url, params=params, data=body, headers=headers) as reply:
                assert reply.status == 200, await reply.text()
                await reply.read()


def new_queries(number: int) -> list[str]:
    """Return queries of different words, at most as many as there are."""
    pairs = itertools.permutations(_WORDS, 2)
    made = (way.format(*pair) for pair in pairs for way in _WAYS)
    return list(itertools.islice(made, 0, None, 5))[:number]


async def _one_client(
    client: Client, service: RunningService, asked: Sequence[tuple[str, list[Sent]]], name: str
) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    cpu = 0.0
    for query, requests in asked:
        before = _cpu(service)
        ours.append(await _time(client.page(query)))
        cpu += _cpu(service) - before
        theirs.append(await _time(client.raw(requests)))
    own = statistics.median(our - their for our, their in zip(ours, theirs, strict=True))
    page, floor = statistics.median(ours), statistics.median(theirs)
    print(
        f"{name}: a page {page * 1000:.2f} ms, its engine requests alone {floor * 1000:.2f} ms"
        f" ({page / floor:.3f}x); own {own * 1000:+.2f} ms, CPU {cpu / len(ours) * 1000:.2f} ms"
    )


async def _many_clients(
    clients: Sequence[Client], service: RunningService, asked: Sequence[tuple[str, list[Sent]]]
) -> None:
    before, busy = _cpu(service), _busy()
    pages, times = await _rate(clients, asked, lambda client, each: client.page(each[0]))
    cpu, in_all = _cpu(service) - before, _busy() - busy
    own, busy = time.process_time(), _busy()
    raw, _ = await _rate(clients, asked, lambda client, each: client.raw(each[1]))
    sent, without = time.process_time() - own, _busy() - busy
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{len(clients)} clients: {pages:.0f} pages/s, {pages / raw:.3f}x of their engine requests"
        f" ({raw:.0f}/s); p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms,"
        f" {cuts[98] / cuts[49]:.2f}x"
    )
    each = [seconds / len(times) * 1000 for seconds in (in_all, cpu, without, sent)]
    print(
        "  CPU of the machine {:.2f} ms a page, of the worker {:.2f} ms; for the engine requests"
        " of a page {:.2f} ms, {:.2f} ms of that to send them".format(*each)
    )


async def _rate(
    clients: Sequence[Client],
    asked: Sequence[tuple[str, list[Sent]]],
    call: Callable[[Client, tuple[str, list[Sent]]], Awaitable[None]],
) -> tuple[float, list[float]]:
    """Return the calls a second of all clients together, and the time of each call."""
    left = iter(asked)
    times: list[float] = []

    async def work(client: Client) -> None:
        for each in left:
            times.append(await _time(call(client, each)))

    began = time.perf_counter()
    await asyncio.gather(*map(work, clients))
    return len(times) / (time.perf_counter() - began), times


async def _time(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def _busy() -> float:
    """CPU time of all processes of this machine, in seconds since it was started."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def _cpu(service: RunningService) -> float:
    times = service.process.cpu_times()
    return float(times.user + times.system)


async def _keys(here: Installation) -> list[str]:
    """Return an API key for each client, of an account of its own."""
    accounts, keys = Accounts(here.engine, Plans.from_settings(here.settings)), []
    for number in range(CLIENTS):
        await accounts.set_plan(f"bench{number}", UNLIMITED.name)
        keys.append((await ApiKeys(here.engine).create(f"bench{number}", f"bench{number}"))[0])
    return keys


async def _measure(settings: Settings, rounds: int) -> None:
    async with installed(settings) as here:
        engine = here.service.engine
        keys = await _keys(Installation(settings, engine))
        recorder = Recorder(engine)
        repeated = [(query, await recorder.of(here, query)) for query in QUERIES]
        new = [(query, await recorder.of(here, query)) for query in new_queries(_NEW)]
    connector = aiohttp.TCPConnector(limit=2 * CLIENTS)
    with running_service(settings) as service:
        async with aiohttp.ClientSession(connector=connector) as session:
            clients = [Client(session, service, str(settings.es_url), key) for key in keys]
            for client, (query, requests) in zip(clients, repeated * 3, strict=False):
                await client.page(query)
                await client.raw(requests)
            await _one_client(clients[0], service, new, "new queries")
            await _one_client(clients[0], service, repeated * rounds, "repeated queries")
            for _ in range(3):
                await _many_clients(clients, service, repeated * rounds)


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="repetitions of each query")
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    asyncio.run(_measure(settings, options.rounds))


if __name__ == "__main__":
    main()
