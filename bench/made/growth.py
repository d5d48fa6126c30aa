"""The time of each kind of call as a corpus grows: `python -m bench.made.growth one=A ten=B`.

Each NAME=FOLDER is loaded into an installation of its own. All are asked in turns, so that other
work on the machine falls on each alike; words are drawn from the texts of each. A folder of real
filings beside one of made filings of the same size shows how well the made ones represent them.

With --keep the installations stay, and a later run with --keep asks them without loading again.
What was measured is kept in --out, of which `python -m bench.made.growth_plot` draws.
"""

import argparse
import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
import msgspec
import psutil
from msgspec import Struct

from bench.alerts import TRIGGERS, made_triggers
from bench.corpus import Extracted, documents_of
from bench.installation import Installation, engine_cpu, engine_running, installed
from bench.loading import environment
from bench.markdown import table
from bench.peers.questions import FORM_TYPES, FROM, SEED, TEN, TO, generate
from bench.peers.timing import cpu_of
from bench.service import RunningService, running_service
from edgar_search.alerts.triggers import document_criteria
from edgar_search.engine.engine import Engine
from edgar_search.search.reverse_search import match_documents
from edgar_search.settings import Settings
from ingest.sources.paths import Sources

RESULTS = Path(__file__).parent.parent / "results" / "growth.json"
ROUNDS, GENERATED = 5, 200
CLIENTS, SECONDS = 16, 10.0
# Texts of this many filings are enough for words to ask for.
_READ = 600
# Pages that a walk has behind it, and rows of each.
_WALKED, _WALK_ROWS = 5, 100
# Arrivals that are matched with all triggers at once, and companies whose rows are asked for.
_BATCH, _COMPANIES = 100, 10
_PERCENTS = (0.5, 0.95, 0.99)
_NO_ROOM = 503
# Kinds that sixteen clients ask for too.
_MANY = ("generated queries", "pages")
Call = tuple[str, dict[str, str]]
Ask = Callable[[], Awaitable[None]]


class Loaded(Struct):
    """The size of a corpus and its load; seconds of the clock, and of processors in Elasticsearch.

    They are None if it was loaded by an earlier run.
    """

    filings: int
    characters: int
    seconds: float | None = None
    processor_seconds: float | None = None


class Many(Struct):
    """Answers a second to sixteen clients, and the milliseconds below which 99 of 100 came.

    `refused` counts answers that there was no room for, as a service that is too slow gives them.
    `engine_ms`, `service_ms` and `client_ms` are the processors' milliseconds of an answer in
    Elasticsearch, in the service, and in the process of all clients.
    """

    rate: float
    p99: float
    refused: int
    engine_ms: float = 0.0
    service_ms: float = 0.0
    client_ms: float = 0.0


class Growth(Struct):
    """The kept results: corpora, the median milliseconds of each call by kind and corpus."""

    corpora: dict[str, Loaded]
    times: dict[str, dict[str, list[float]]]
    many: dict[str, dict[str, Many]]
    processors: int
    busy: float


class Corpus(NamedTuple):
    """An installation with its service, and the calls to time there by their kind."""

    loaded: Loaded
    calls: Mapping[str, Sequence[Ask]]
    installation: Installation
    service: RunningService


async def main() -> None:
    """Load, ask, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--generated", type=int, default=GENERATED)
    parser.add_argument("--triggers", type=int, default=TRIGGERS)
    parser.add_argument("--keep", action="store_true", help="leave the installations")
    parser.add_argument("--prefix", default="bench-growth-", help="how their names begin")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where it is kept")
    options = parser.parse_args()
    folders = {name: Path(path) for name, path in (each.split("=", 1) for each in options.corpora)}
    busy = os.getloadavg()[0]
    with engine_running(options.prefix) as settings:
        async with AsyncExitStack() as stack:
            corpora = {
                name: await _opened(stack, settings, name, folder, options)
                for name, folder in folders.items()
            }
            loaded = {name: corpus.loaded for name, corpus in corpora.items()}
            print(loads(loaded), "\n", sep="", flush=True)
            times = await _timed(corpora, options.rounds)
            many = {
                kind: {name: await _many(corpus, kind) for name, corpus in corpora.items()}
                for kind in _MANY
            }
    growth = Growth(loaded, times, many, os.cpu_count() or 1, round(busy, 2))
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(growth), indent=1) + b"\n")
    print(times_table(growth), "\n\n", many_table(growth), sep="")


async def _opened(
    stack: AsyncExitStack,
    settings: Settings,
    name: str,
    folder: Path,
    options: argparse.Namespace,
) -> Corpus:
    home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    own = msgspec.structs.replace(
        settings,
        prefix=f"{settings.prefix}{name}-",
        home=home,
        archive=False,
        alerts=False,
        pages="open",
        pages_rate=1_000_000,
    )
    if options.keep:
        engine = Engine.from_settings(own)
        stack.push_async_callback(engine.close)
        installation = Installation(own, engine)
    else:
        installation = await stack.enter_async_context(installed(own, baseline=False))
    loaded = await _size(installation) or await _load(installation, folder)
    service = stack.enter_context(running_service(own))
    client = httpx.AsyncClient(
        base_url=service.url, headers={"X-API-Key": await installation.key()}, timeout=300
    )
    await stack.enter_async_context(client)
    sources = list(Sources([folder]))
    Random(SEED).shuffle(sources)
    texts = [text for source in islice(sources, _READ) for text in documents_of(source)]
    asked = calls(texts, options.generated) | await _calls_by_answers(client, texts)
    asks: dict[str, list[Ask]] = {
        kind: [partial(_get, client, *call) for call in some] for kind, some in asked.items()
    }
    asks["alerts"] = [_matching(installation.engine, texts, options.triggers)]
    return Corpus(loaded, asks, installation, service)


async def _size(installation: Installation) -> Loaded | None:
    """Return the size of what an earlier run loaded, None if there is nothing."""
    # A pattern finds nothing, rather than raise, where no index was made yet.
    path = f"/{installation.settings.prefix}documents*/_search"
    characters = {"characters": {"sum": {"field": "text_length"}}}
    found = await installation.engine.administer("POST", path, {"size": 0, "aggs": characters})
    path = f"/{installation.settings.prefix}filings*/_count"
    filings = (await installation.engine.administer("GET", path))["count"]
    if not filings:
        return None
    return Loaded(filings, int(found["aggregations"]["characters"]["value"]))


async def _load(installation: Installation, folder: Path) -> Loaded:
    before, began = await engine_cpu(installation.engine), time.monotonic()
    command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(folder)]
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment(installation.settings), capture_output=True
    )
    seconds = time.monotonic() - began
    summary = json.loads(done.stdout.splitlines()[-1])
    used = await engine_cpu(installation.engine) - before
    return Loaded(summary["loaded"], summary["characters"], round(seconds, 1), round(used, 1))


def calls(texts: Sequence[Extracted], generated: int) -> dict[str, list[Call]]:
    """Return the calls of each kind for a corpus, the same for the same texts."""
    fresh = generate(texts, Random(SEED), generated)
    ciks = sorted({cik for text in texts for cik in text.ciks})[:_COMPANIES]
    names = sorted({name for text in texts for name in text.names})[:_COMPANIES]

    def search(queries: Sequence[str], **more: str) -> list[Call]:
        return [("/v1/search", {"query": query, **more}) for query in queries]

    return {
        "the ten queries": search(TEN),
        "generated queries": search(fresh),
        "with filters": [
            ("/v1/search", {"query": query, "form_type": form, "from_date": FROM, "to_date": TO})
            for query, form in zip(TEN, FORM_TYPES * len(TEN), strict=False)
        ],
        "with forms of words": search(TEN, word_forms="all"),
        "grouped by filing": search(TEN, group_by="filing"),
        "most operands": search(fresh[:20], operands="most"),
        "pages": [("/search", {"query": query}) for query in [*TEN, *fresh[:20]]],
        "facets": [("/v1/facets", {"query": query}) for query in TEN],
        "look-ups": [("/v1/lookup", {"form_type": form}) for form in FORM_TYPES]
        + [("/v1/lookup", {"cik": cik}) for cik in ciks],
        # All filings of a company: an export of a query is as long as its result.
        "exports": [("/v1/export", {"cik": cik, "format": "jsonl"}) for cik in ciks],
        "screens": [("/v1/screen", {"figures": "net_income<0"})],
        "answers": [("/v1/answer", {"query": f"{name} revenue 2010"}) for name in names],
        "insider trades": [("/v1/insider_trades", {"limit": "100"})],
        "holdings": [("/v1/holdings", {"limit": "100", "sort": "largest"})],
    }


async def _calls_by_answers(
    client: httpx.AsyncClient, texts: Sequence[Extracted]
) -> dict[str, list[Call]]:
    """Return calls with values of earlier answers: documents, cursors, companies."""

    async def items(path: str, **parameters: str) -> list[Any]:
        reply = (await client.get(path, params=parameters)).raise_for_status()
        return list(reply.json()["items"])

    matches, walks = list[Call](), list[Call]()
    for query in TEN:
        for item in await items("/v1/search", query=query, limit="1"):
            asked = {"document_id": item["document_id"], "query": query}
            matches.append(("/v1/matches", asked))
        cursor: str | None = "*"
        for page in range(_WALKED):
            more = {"query": query} if page == 0 else {}
            asked = {"cursor": str(cursor), "limit": str(_WALK_ROWS), **more}
            reply = (await client.get("/v1/search", params=asked)).raise_for_status().json()
            if reply.get("next_cursor") is None:
                break
            cursor = reply["next_cursor"]
        walks.append(("/v1/search", {"cursor": str(cursor), "limit": "20"} | _begun(cursor, query)))
    trades = await items("/v1/insider_trades", limit="100")
    issuers = list(dict.fromkeys(cik for each in trades if (cik := each["issuer"]["cik"])))
    facts = await items("/v1/facts", concept="Assets", limit="100")
    companies = list(dict.fromkeys(each["cik"] for each in facts))[:_COMPANIES]
    return {
        "matches": matches,
        "walks": walks,
        "trades of an issuer": [
            ("/v1/insider_trades", {"issuer_cik": cik}) for cik in issuers[:_COMPANIES]
        ],
        "statements": [("/v1/statements", {"cik": cik}) for cik in companies],
        "facts": [("/v1/facts", {"cik": cik, "concept": "Assets"}) for cik in companies],
    }


def _begun(cursor: str | None, query: str) -> dict[str, str]:
    return {"query": query} if cursor == "*" else {}


async def _get(client: httpx.AsyncClient, path: str, parameters: dict[str, str]) -> None:
    (await client.get(path, params=parameters)).raise_for_status()


def _matching(engine: Engine, texts: Sequence[Extracted], triggers: int) -> Ask:
    """Return what the matcher does for a batch of arrivals."""
    watched = [document_criteria(each) for each in made_triggers(texts, triggers)]
    ids = [text.document_id for text in texts[:_BATCH]]

    async def match() -> None:
        await match_documents(engine, watched, ids)

    return match


async def _timed(corpora: Mapping[str, Corpus], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Return the median milliseconds of each call, by kind and corpus."""
    taken: dict[tuple[str, str, int], list[float]] = {}
    kinds = next(iter(corpora.values())).calls
    for turn in range(rounds + 1):
        for kind in kinds:
            if not all(corpus.calls[kind] for corpus in corpora.values()):
                continue
            for number in range(len(kinds[kind])):
                for name, corpus in corpora.items():
                    ask = corpus.calls[kind][number % len(corpus.calls[kind])]
                    began = time.perf_counter()
                    await ask()
                    if turn:  # the first warms
                        milliseconds = (time.perf_counter() - began) * 1000
                        taken.setdefault((kind, name, number), []).append(milliseconds)
    times: dict[str, dict[str, list[float]]] = {}
    for (kind, name, _), each in taken.items():
        median = round(statistics.median(each), 2)
        times.setdefault(kind, {}).setdefault(name, []).append(median)
    return times


async def _many(corpus: Corpus, kind: str) -> Many:
    """Ask by clients that send one request after the other."""
    asks, times, refused = corpus.calls[kind], list[float](), 0
    processes = {"service": corpus.service.process, "client": psutil.Process()}
    engine, before = await engine_cpu(corpus.installation.engine), cpu_of(processes)
    until = time.monotonic() + SECONDS

    async def client(first: int) -> None:
        nonlocal refused
        at = first
        while (began := time.monotonic()) < until:
            try:
                await asks[at % len(asks)]()
            except httpx.HTTPStatusError as error:
                if error.response.status_code != _NO_ROOM:
                    raise
                refused += 1
            else:
                times.append((time.monotonic() - began) * 1000)
            at += CLIENTS

    await asyncio.gather(*map(client, range(CLIENTS)))
    after = cpu_of(processes)
    engine = await engine_cpu(corpus.installation.engine) - engine
    return Many(
        round(len(times) / SECONDS, 1),
        round(cut(times, 0.99), 1),
        refused,
        round(engine / len(times) * 1000, 2),
        *(round((after[name] - before[name]) / len(times) * 1000, 2) for name in processes),
    )


def loads(corpora: Mapping[str, Loaded]) -> str:
    """Return the table of the corpora and their loads."""
    heads = ["corpus", "filings", "M characters", "seconds", "CPU s of Elasticsearch"]
    rows = [
        [
            name,
            f"{loaded.filings:,}",
            f"{loaded.characters / 1e6:.1f}",
            "" if loaded.seconds is None else f"{loaded.seconds:.1f}",
            "" if loaded.processor_seconds is None else f"{loaded.processor_seconds:.1f}",
        ]
        for name, loaded in corpora.items()
    ]
    return table(heads, rows)


def times_table(growth: Growth) -> str:
    """Return p50, p95 and p99 of each kind and corpus, and the last p50 beside the first one."""
    names, exponents = list(growth.corpora), exponents_of(growth)
    heads = ["p50 / p95 / p99, ms", *names, "ratio", "exponent"]
    rows = []
    for kind, by_name in growth.times.items():
        cells = [
            " / ".join(f"{cut(by_name[name], part):.1f}" for part in _PERCENTS) for name in names
        ]
        ratio = median_ratio(by_name, names)
        exponent = f"{exponents[kind]:.2f}" if kind in exponents else ""
        rows.append([kind, *cells, f"{ratio:.2f}x", exponent])
    return table(heads, rows)


def many_table(growth: Growth) -> str:
    """Return answers a second to sixteen clients, with p99, by kind and corpus."""
    names = list(growth.corpora)
    heads = [f"{CLIENTS} clients: answers a second / p99, ms / refused", *names]
    rows = [
        [
            kind,
            *(f"{each.rate:.1f} / {each.p99:.0f} / {each.refused}" for each in by_name.values()),
        ]
        for kind, by_name in growth.many.items()
    ]
    return table(heads, rows)


def exponents_of(growth: Growth) -> dict[str, float]:
    """Return the exponent of time by characters of each kind: 0 is constant, 1 is linear.

    Empty unless the last corpus is larger than the first one.
    """
    names = list(growth.corpora)
    small, large = (growth.corpora[name].characters for name in (names[0], names[-1]))
    if large <= 2 * small:
        return {}
    return {
        kind: math.log(median_ratio(by_name, names)) / math.log(large / small)
        for kind, by_name in growth.times.items()
    }


def median_ratio(by_name: Mapping[str, Sequence[float]], names: Sequence[str]) -> float:
    """Return the median time of the last corpus by the first one's."""
    first, last = (statistics.median(by_name[name]) for name in (names[0], names[-1]))
    return last / first


def cut(times: Sequence[float], part: float) -> float:
    """Return the time that this part of all times does not exceed."""
    return sorted(times)[math.ceil(len(times) * part) - 1]


if __name__ == "__main__":
    asyncio.run(main())
