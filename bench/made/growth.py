"""The time of each kind of call as a corpus grows: `python -m bench.made.growth one=A ten=B`.

Each NAME=FOLDER is loaded into an installation of its own. All are asked in turns, so that other
work on the machine falls on each alike; words are drawn from the texts of each. A folder of real
filings beside one of made filings of the same size shows how well the made ones represent them.
"""

import argparse
import asyncio
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx
import msgspec

from bench.corpus import Extracted, documents_of
from bench.installation import Installation, engine_cpu, engine_running, installed
from bench.loading import environment
from bench.markdown import table
from bench.peers.questions import FORM_TYPES, FROM, SEED, TEN, TO, generate
from bench.service import running_service
from edgar_search.settings import Settings
from ingest.sources.paths import Sources

ROUNDS, GENERATED = 5, 200
CLIENTS, SECONDS = 16, 10.0
# Texts of this many filings are enough for words to ask for.
_READ = 600
Call = tuple[str, dict[str, str]]


class Loaded(NamedTuple):
    """The result of a load; seconds are of the clock, and of processors in Elasticsearch."""

    filings: int
    characters: int
    seconds: float
    processor_seconds: float


class Corpus(NamedTuple):
    """An installation with its service, and the calls to time there by their kind."""

    loaded: Loaded
    client: httpx.AsyncClient
    calls: Mapping[str, Sequence[Call]]


async def main() -> None:
    """Load, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--generated", type=int, default=GENERATED)
    options = parser.parse_args()
    folders = {name: Path(path) for name, path in (each.split("=", 1) for each in options.corpora)}
    with engine_running("bench-growth-") as settings:
        async with AsyncExitStack() as stack:
            corpora = {
                name: await _opened(stack, settings, name, folder, options.generated)
                for name, folder in folders.items()
            }
            print(_loads(corpora), "\n", sep="")
            times = await _timed(corpora, options.rounds)
            print(_table(corpora, times), "\n", sep="")
            rates = {name: await _rate(corpus) for name, corpus in corpora.items()}
            print(f"{CLIENTS} clients, generated questions, answers a second: {rates}")


async def _opened(
    stack: AsyncExitStack, settings: Settings, name: str, folder: Path, generated: int
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
    installation = await stack.enter_async_context(installed(own, baseline=False))
    loaded = await _load(installation, folder)
    service = stack.enter_context(running_service(own))
    client = httpx.AsyncClient(
        base_url=service.url, headers={"X-API-Key": await installation.key()}, timeout=120
    )
    await stack.enter_async_context(client)
    sources = list(Sources([folder]))
    Random(SEED).shuffle(sources)
    texts = [text for source in islice(sources, _READ) for text in documents_of(source)]
    return Corpus(loaded, client, calls(texts, generated))


async def _load(installation: Installation, folder: Path) -> Loaded:
    before, began = await engine_cpu(installation.engine), time.monotonic()
    command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(folder)]
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment(installation.settings), capture_output=True
    )
    seconds = time.monotonic() - began
    summary = json.loads(done.stdout.splitlines()[-1])
    used = await engine_cpu(installation.engine) - before
    return Loaded(summary["loaded"], summary["characters"], seconds, used)


def calls(texts: Sequence[Extracted], generated: int) -> dict[str, list[Call]]:
    """Return the calls of each kind for a corpus, the same for the same texts."""
    fresh = generate(texts, Random(SEED), generated)
    ciks = sorted({cik for text in texts for cik in text.ciks})[:10]

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
        "screens": [("/v1/screen", {"figures": "net_income<0"})],
        "insider trades": [("/v1/insider_trades", {"limit": "100"})],
    }


async def _timed(corpora: Mapping[str, Corpus], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Return the median milliseconds of each call, by kind and corpus."""
    taken: dict[tuple[str, str, int], list[float]] = {}
    kinds = next(iter(corpora.values())).calls
    for turn in range(rounds + 1):
        for kind in kinds:
            for number in range(len(kinds[kind])):
                for name, corpus in corpora.items():
                    path, parameters = corpus.calls[kind][number % len(corpus.calls[kind])]
                    began = time.perf_counter()
                    reply = await corpus.client.get(path, params=parameters)
                    if turn:  # the first warms
                        milliseconds = (time.perf_counter() - began) * 1000
                        taken.setdefault((kind, name, number), []).append(milliseconds)
                    reply.raise_for_status()
    times: dict[str, dict[str, list[float]]] = {}
    for (kind, name, _), each in taken.items():
        times.setdefault(kind, {}).setdefault(name, []).append(statistics.median(each))
    return times


async def _rate(corpus: Corpus) -> float:
    """Return answers a second to clients that ask one question after the other."""
    until, answers = time.monotonic() + SECONDS, 0
    questions = corpus.calls["generated queries"]

    async def client(first: int) -> None:
        nonlocal answers
        at = first
        while time.monotonic() < until:
            path, parameters = questions[at % len(questions)]
            (await corpus.client.get(path, params=parameters)).raise_for_status()
            answers, at = answers + 1, at + CLIENTS

    await asyncio.gather(*map(client, range(CLIENTS)))
    return round(answers / SECONDS, 1)


def _loads(corpora: Mapping[str, Corpus]) -> str:
    heads = ["corpus", "filings", "M characters", "seconds", "CPU s of Elasticsearch"]
    rows = [
        [
            name,
            f"{corpus.loaded.filings:,}",
            f"{corpus.loaded.characters / 1e6:.1f}",
            f"{corpus.loaded.seconds:.1f}",
            f"{corpus.loaded.processor_seconds:.1f}",
        ]
        for name, corpus in corpora.items()
    ]
    return table(heads, rows)


def _table(corpora: Mapping[str, Corpus], times: dict[str, dict[str, list[float]]]) -> str:
    """Return p50 and p95 of each kind and corpus, and the last one's p50 beside the first one's.

    The exponent is that of time by characters: 0 is constant, 1 is linear.
    """
    names = list(corpora)
    small, large = (corpora[name].loaded.characters for name in (names[0], names[-1]))
    heads = ["p50 / p95, ms", *names, "ratio", "exponent"]
    rows = []
    for kind, by_name in times.items():
        medians = {name: statistics.median(by_name[name]) for name in names}
        ratio = medians[names[-1]] / medians[names[0]]
        is_growth = large > 2 * small
        exponent = f"{math.log(ratio) / math.log(large / small):.2f}" if is_growth else ""
        cells = [f"{medians[name]:.1f} / {_p95(by_name[name]):.1f}" for name in names]
        rows.append([kind, *cells, f"{ratio:.2f}x", exponent])
    return table(heads, rows)


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[math.ceil(len(times) * 0.95) - 1]


if __name__ == "__main__":
    asyncio.run(main())
