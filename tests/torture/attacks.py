"""Attacks on another account's searches, each in a process of its own; and how they are begun.

A client of an attack asks again as soon as it has an answer, and a moment after a refusal.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from typing import NamedTuple

import aiohttp

from bench.dear_queries import COMMON, make_query
from edgar_search.api.draft import CHECK_DRAFT, MAX_DRAFT
from tests.torture.dearest_requests import DEAREST, LIST_TOOLS, OF_EDGAR, Dear, filled
from tests.torture.raw_attacks import STREAMS, Stream, pour
from tests.torture.service import REPLY_SECONDS, ask

# After a refusal: sooner than Retry-After says.
PAUSE_SECONDS = 0.1
_STREAM_SECONDS = 1.0
# Until an attack has begun, and until it has ended.
_MOST_SECONDS = 60.0
DEAR = (
    '"the of the and of the"~50',
    " OR ".join(f'"{first} {second}"' for first in "the of and to in".split() for second in "123"),
    '"the of and to in a or for by as on is that with be any this such not an which under all"~50',
    '("the of"~50 OR "and to"~50 OR "in a"~50) AND ("of the"~50 OR "to and"~50 OR "a in"~50)',
)


class Ground(NamedTuple):
    """The service that is attacked, an attacker's credentials, and a long document."""

    url: str
    key: str
    token: str
    document_id: str
    table_id: str


class Attacker(NamedTuple):
    """One client of an attack, who counts how its requests ended."""

    ground: Ground
    session: aiohttp.ClientSession
    random: Random
    ended: Counter[int | str]
    answered: asyncio.Event

    async def get(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> None:
        """Ask once; wait a moment after a refusal."""
        url = f"{self.ground.url}{path}"
        status = await ask(self.session, url, query, headers)
        self.ended[status] += 1
        self.answered.set()
        if status != 200:
            await asyncio.sleep(PAUSE_SECONDS)

    async def call(self, path: str, **query: str) -> None:
        """Ask a data endpoint, with the key."""
        await self.get(path, query, {"X-API-Key": self.ground.key})

    async def visit(self, path: str, **query: str) -> None:
        """Read a page, without any credentials."""
        await self.get(path, query, {})

    async def send(self, path: str, dear: Dear) -> None:
        """Send a request to a path; of a stream read a second."""
        ground = self.ground
        sent = filled(dear.sent, ground.document_id, ground.table_id, self.random)
        headers = {
            "key": {"X-API-Key": ground.key},
            "token": {"Authorization": f"Bearer {ground.token}"},
            "nothing": {},
        }[dear.by] | {"Accept": "application/json, text/event-stream"}
        where = {"params": sent} if dear.method == "GET" else {"json": sent}
        status: int | str = 0
        try:
            async with (
                asyncio.timeout(_STREAM_SECONDS if path.endswith("/stream") else None),
                self.session.request(
                    dear.method, f"{ground.url}{path}", headers=headers, **where
                ) as reply,
            ):
                status = reply.status
                # An export continues for minutes.
                self.answered.set()
                await reply.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            status = status or type(error).__name__
        self.ended[status] += 1
        self.answered.set()
        if status != 200:
            await asyncio.sleep(PAUSE_SECONDS)

    def words(self, number: int, joined: str = " ") -> str:
        """Return some of the most common words."""
        return joined.join(self.random.sample(COMMON[:60], number))


async def dearest(attacker: Attacker) -> None:
    """The most expensive queries that are allowed, and queries made at random to be expensive."""
    known = attacker.random.random() < 0.7
    query = attacker.random.choice(DEAR) if known else make_query(attacker.random).written()
    await attacker.call("/v1/search", query=query, limit="100")


async def snippets(attacker: Attacker) -> None:
    """Pages with as many snippets as there may be, of words with all their forms."""
    asked = {"limit": "40", "snippets": "5", "word_forms": "all", "operands": "most"}
    await attacker.call("/v1/search", query=attacker.words(4), **asked)


async def groups(attacker: Attacker) -> None:
    """Filings with their documents."""
    asked = {"limit": "100", "group_by": "filing"}
    await attacker.call("/v1/search", query=attacker.words(3, " OR "), **asked)


async def document_page(attacker: Attacker) -> None:
    """The page of a long document with a query that matches everywhere."""
    start = str(attacker.random.randrange(1_000_000))
    await attacker.visit(
        f"/document/{attacker.ground.document_id}", query=attacker.words(8, " OR "), start=start
    )


async def search_page(attacker: Attacker) -> None:
    """The page of a search, with its facets."""
    await attacker.visit("/search", query=attacker.words(5, " OR "), limit="100")


async def matches(attacker: Attacker) -> None:
    """All matches of a loose phrase and some words in a long document."""
    query = f'"{attacker.words(4)}"~50 OR {attacker.words(6, " OR ")}'
    asked = {"document_id": attacker.ground.document_id, "limit": "1000"}
    await attacker.call("/v1/matches", query=query, **asked)


async def text(attacker: Attacker) -> None:
    """Parts of a long text."""
    start = str(attacker.random.randrange(1_000_000))
    await attacker.call("/v1/text", document_id=attacker.ground.document_id, start=start)


async def facets(attacker: Attacker) -> None:
    """All facets of what common words find."""
    asked = {"word_forms": "all", "limit": "500"}
    await attacker.call("/v1/facets", query=attacker.words(5, " OR "), **asked)


async def check(attacker: Attacker) -> None:
    """Requests for the meaning of a query of many words."""
    await attacker.call("/v1/check", query=attacker.words(30, " OR "), word_forms="all")


async def exports(attacker: Attacker) -> None:
    """Everything that common words find, with snippets or by matches."""
    asked = attacker.random.choice([{"snippet": "true"}, {"what": "matches"}])
    await attacker.call("/v1/export", query=attacker.words(3), word_forms="all", **asked)


async def history(attacker: Attacker) -> None:
    """Requests for the attacker's own history, by the token."""
    await attacker.call("/v1/search", query=attacker.words(1), limit="1")
    headers = {"Authorization": f"Bearer {attacker.ground.token}"}
    await attacker.get("/auth/history/get", {"limit": "100"}, headers)


async def trigger_tests(attacker: Attacker) -> None:
    """Tests of a trigger of the most common words, in all their forms."""
    asked = {"query": attacker.words(8, " OR "), "word_forms": "all", "limit": "200"}
    headers = {"Authorization": f"Bearer {attacker.ground.token}"}
    await attacker.get("/auth/alert_triggers/test", asked, headers)


async def snapshots_left(attacker: Attacker) -> None:
    """The first page of a walk over a snapshot, which is left open."""
    asked = {"cursor": "*", "snapshot": "true", "limit": "1"}
    await attacker.call("/v1/search", query=attacker.words(1), **asked)


def _dear_drafts() -> list[str]:
    """Drafts of as many short quotes as fit, of long quotes that are false, and of marks alone."""
    random = Random(1)
    short = (f"“{' '.join(random.sample(COMMON[:60], 4))}”" for _ in range(7_000))
    long = (f"“{' '.join(random.choices(COMMON[:60], k=300))}”" for _ in range(100))
    return ["\n\n".join(short)[:MAX_DRAFT], "\n\n".join(long)[:MAX_DRAFT], '"“' * (MAX_DRAFT // 2)]


_DRAFTS = _dear_drafts()


async def drafts(attacker: Attacker) -> None:
    """Drafts whose quotes are dear to look for, each as long as a draft may be."""
    draft = attacker.random.choice(_DRAFTS)
    await attacker.send(CHECK_DRAFT.path, Dear({"text": draft}, "POST"))


def pouring(stream: Stream) -> Callable[[Attacker], Awaitable[None]]:
    """Return the attack that sends these bytes over one connection after the other."""

    async def step(attacker: Attacker) -> None:
        def answered(status: int) -> None:
            attacker.ended[status] += 1
            attacker.answered.set()

        await pour(attacker.ground.url, attacker.ground.key, stream, answered)

    return step


def sending(path: str, dear: Dear) -> Callable[[Attacker], Awaitable[None]]:
    """Return the attack by a expensive request to a path."""

    async def step(attacker: Attacker) -> None:
        await attacker.send(path, dear)

    return step


class Attack(NamedTuple):
    """Requests that clients repeat; `goal` is how many times slower others may be.

    Some of what they ask ends with `status`, if there is one, otherwise it was not an attack.
    """

    step: Callable[[Attacker], Awaitable[None]]
    clients: int = 8
    goal: float = 5.0
    status: int | None = 200


# By their names in the table.
ATTACKS: Mapping[str, Attack] = {
    "dearest queries": Attack(dearest, clients=32),
    "limit x snippets, all forms, operands=most": Attack(snippets),
    "groups by filing": Attack(groups),
    "page of a long document": Attack(document_page),
    "page of a search": Attack(search_page),
    "matches in a long document": Attack(matches),
    "texts": Attack(text),
    "facets": Attack(facets),
    "check": Attack(check),
    "exports": Attack(exports),
    "history": Attack(history),
    # An answer takes up to 20 seconds, which is longer than a sample.
    "dear drafts": Attack(drafts, status=None),
    "snapshots left open": Attack(snapshots_left),
    "tests of alert triggers": Attack(trigger_tests, clients=20),
    "tools/list of /mcp": Attack(sending("/mcp", LIST_TOOLS), clients=32),
    **{
        name: Attack(pouring(stream), clients=1, status=stream.status)
        for name, stream in STREAMS.items()
    },
    **{path: Attack(sending(path, dear), status=dear.status) for path, dear in DEAREST.items()},
    **{
        path: Attack(sending(address, dear), status=dear.status)
        for path, (address, dear) in OF_EDGAR.items()
    },
}


@contextmanager
def attacked(name: str, ground: Ground) -> Iterator[Counter[int | str]]:
    """Yield the attack of this name, from its first answer on for as long as the context is open.

    At the end it is known how its requests ended.
    """
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_attacking, args=(name, ground, there))
    process.start()
    ended: Counter[int | str] = Counter()
    try:
        assert here.poll(_MOST_SECONDS), f"{name} does not begin"
        here.recv()
        yield ended
        here.send(None)
        assert here.poll(_MOST_SECONDS), f"{name} does not end"
        ended.update(here.recv())
    finally:
        process.kill()
        process.join()


def _attacking(name: str, ground: Ground, told: Connection) -> None:
    """The attack, in a process of its own, until it is told to end."""
    told.send(asyncio.run(_until_told(ATTACKS[name], ground, told)))


async def _until_told(attack: Attack, ground: Ground, told: Connection) -> Counter[int | str]:
    ended: Counter[int | str] = Counter()
    answered = asyncio.Event()
    connections = aiohttp.TCPConnector(limit=attack.clients)
    timeout = aiohttp.ClientTimeout(total=REPLY_SECONDS)
    async with aiohttp.ClientSession(connector=connections, timeout=timeout) as session:

        async def client(seed: int) -> None:
            attacker = Attacker(ground, session, Random(seed), ended, answered)
            for _ in count():
                await attack.step(attacker)

        clients = [asyncio.create_task(client(seed)) for seed in range(attack.clients)]
        await answered.wait()
        told.send(None)
        await asyncio.to_thread(told.recv)
        for each in clients:
            each.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
    return ended
