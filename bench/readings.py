"""Searches as a person asks, and as pages ask, beside the default of the same checkout.

`python -m bench.readings` loads the corpus, or `--copies` of it, and runs a service for each way
to ask. All answer the same questions of several words, which nobody asked before, in turn. It
prints the median and the 90th percentile of each, and the CPU of each service, as ratios to the
default in the same run.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from random import Random

import msgspec

from bench.commits import Served, Side, Vocabulary, serving
from bench.corpus import CHECKOUT, CORPUS, copies, extract
from bench.installation import engine_running, remove
from edgar_search.engine.engine import Engine

DEFAULT = "default"
WAYS: Mapping[str, Mapping[str, str]] = {
    DEFAULT: {},
    "a person": {"reading": "person"},
    "pages": {"word_forms": "related", "operands": "most", "reading": "person"},
}
_WARM_UP = 20


def _question(words: Vocabulary, random: Random) -> str:
    return "What is the {} {} of {} in 2023?".format(*random.sample(words.common, 3))


SHAPES: Mapping[str, Callable[[Vocabulary, Random], str]] = {
    "two words": lambda words, random: " ".join(random.sample(words.common, 2)),
    "three words": lambda words, random: " ".join(random.sample(words.common, 3)),
    "five words": lambda words, random: " ".join(random.sample(words.common, 5)),
    "a phrase and a word": lambda words, random: '"{} {}" {}'.format(
        *random.choice(words.pairs), random.choice(words.common)
    ),
    "a question": _question,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--copies", type=int, default=1, help="how often each is loaded")
    parser.add_argument("--rounds", type=int, default=60, help="questions of each shape")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with engine_running("bench-readings-") as settings, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        own = msgspec.structs.replace(settings, home=home, alerts=False)
        side = Side("this checkout", CHECKOUT, Path(sys.executable), own)
        corpus = options.corpus
        if options.copies > 1:
            corpus = copies(corpus, Path(folder) / "filings", options.copies)
        vocabulary = Vocabulary.of([document.text for document in extract(options.corpus)])
        asyncio.run(_measure(side, corpus, vocabulary, options.rounds, Random(options.seed)))


async def _measure(
    side: Side, corpus: Path, words: Vocabulary, rounds: int, random: Random
) -> None:
    engine = Engine.from_settings(side.settings)
    try:
        await remove(engine, side.settings.prefix)
        await asyncio.to_thread(side.load, corpus)
        with ExitStack() as services:
            served = {way: services.enter_context(serving(side)) for way in WAYS}
            try:
                await _compare(served, words, rounds, random)
            finally:
                for each in served.values():
                    await each.session.close()
    finally:
        await remove(engine, side.settings.prefix)
        await engine.close()


async def _compare(
    served: Mapping[str, Served], words: Vocabulary, rounds: int, random: Random
) -> None:
    for make in SHAPES.values():
        for _ in range(_WARM_UP):
            query = make(words, random)
            for way, each in served.items():
                await each.ask(query, **WAYS[way])
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    began = {way: each.cpu() for way, each in served.items()}
    order = list(served)
    for _ in range(rounds):
        for shape, make in SHAPES.items():
            query = make(words, random)
            # The next finds the machine's caches warm, so each is the first as often.
            order = [*order[1:], order[0]]
            for way in order:
                times[shape, way].append(await served[way].ask(query, **WAYS[way]))
    _print_times(times)
    print("\n| way | CPU of the service for a search, ms | to the default |\n|---|---:|---:|")
    used = {way: each.cpu() - began[way] for way, each in served.items()}
    for way, cpu in used.items():
        each_cpu = cpu / (rounds * len(SHAPES)) * 1_000
        print(f"| {way} | {each_cpu:.1f} | {cpu / used[DEFAULT]:.2f} |")


def _print_times(times: Mapping[tuple[str, str], Sequence[float]]) -> None:
    print("| question | way | median, ms | p90, ms | median to the default | p90 |")
    print("|---|---|---:|---:|---:|---:|")
    for shape, way in product(SHAPES, WAYS):
        taken, base = times[shape, way], times[shape, DEFAULT]
        middle, usual = statistics.median(taken), statistics.median(base)
        end, usual_end = (statistics.quantiles(each, n=10)[-1] for each in (taken, base))
        print(
            f"| {shape} | {way} | {middle * 1_000:.1f} | {end * 1_000:.1f}"
            f" | {middle / usual:.2f} | {end / usual_end:.2f} |"
        )


if __name__ == "__main__":
    main()
