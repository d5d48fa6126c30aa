"""Loads and searches of an older commit beside those of this checkout, on one Elasticsearch.

`python -m bench.commits COMMIT` loads the corpus by each of the two, in turn and each time into an
empty installation, and runs a service of each. Both answer the same questions in turn: some that
nobody asked before, by their shape, and some that are asked again and again. It prints ratios of
one run: this checkout's time to the other's. With `--load-only` nothing is asked.
"""

import argparse
import asyncio
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import aiohttp
import msgspec
import psutil

from bench.corpus import CHECKOUT, CORPUS, extract
from bench.installation import engine_running, remove
from bench.loading import PARSERS, Family, environment
from bench.service import await_answer, free_port
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.sources.paths import Sources
from ingest.sources.source import read

ASKED_BEFORE = "asked before"
_WORD = re.compile(r"[a-z]{4,12}")
_COMMON, _RARE = 40, 3
_WARM_UP = 30


class Load(NamedTuple):
    """Seconds of user and system that all processes of a load took, and the highest sum of memory.

    Elasticsearch's are not in it.
    """

    cpu: float
    peak: int


class Side(NamedTuple):
    """One of the two: its name, its files, the Python with their packages, and its installation."""

    name: str
    checkout: Path
    python: Path
    settings: Settings

    def environment(self) -> dict[str, str]:
        """Return the environment of its commands."""
        return {**environment(self.settings), "EDGAR_SEARCH_DRAIN": "0"}

    def run(self, module: str, *arguments: str) -> str:
        """Run a command to its end; the last line that it prints."""
        process = self._begin(module, *arguments)
        printed, said = process.communicate()
        assert process.returncode == 0, said
        return str(printed.splitlines()[-1])

    def load(self, corpus: Path) -> Load:
        """Load the corpus."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = self._begin("ingest.cli", "load", str(corpus), "--workers", str(PARSERS))
        family = Family(process.pid)
        family.start()
        _, said = process.communicate()
        # 3 says that the load warned.
        assert process.returncode in (0, 3), said
        family.join()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        return Load(user + system, family.peak)

    def _begin(self, module: str, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.python), "-m", module, *arguments],
            env=self.environment(),
            cwd=self.checkout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


class Served(NamedTuple):
    """The service of a side, which answers to a key."""

    name: str
    process: psutil.Process
    session: aiohttp.ClientSession
    key: str

    async def ask(self, query: str, **parameters: str) -> float:
        """Return seconds of a search."""
        began = time.perf_counter()
        headers, asked = {"X-API-Key": self.key}, {"query": query, **parameters}
        async with self.session.get("/v1/search", params=asked, headers=headers) as got:
            assert got.status == 200, await got.text()
            await got.read()
        return time.perf_counter() - began

    def cpu(self) -> float:
        """CPU seconds of the service since it began."""
        used = self.process.cpu_times()
        return float(used.user + used.system)


class Vocabulary(NamedTuple):
    """Words of the corpus, and pairs that follow each other there."""

    common: Sequence[str]
    rare: Sequence[str]
    pairs: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Vocabulary":
        """Return words that many documents have, that few have, and pairs of words of ten texts."""
        split = [_WORD.findall(text.lower()) for text in texts]
        counted = Counter(word for words in split for word in set(words))
        common = sorted(word for word, count in counted.items() if count >= _COMMON)
        rare = sorted(word for word, count in counted.items() if 1 < count <= _RARE)
        longest = sorted(split, key=len)[-10:]
        pairs = sorted({pair for words in longest for pair in zip(words, words[1:], strict=False)})
        return cls(common, rare, pairs)


def _unknown(words: Vocabulary, random: Random) -> str:
    return "".join(random.choices("bcdfghjklmnpqrstvwxz", k=9))


SHAPES: dict[str, Callable[[Vocabulary, Random], str]] = {
    "a word": lambda words, random: random.choice(words.common),
    "a rare word": lambda words, random: random.choice(words.rare),
    "two words": lambda words, random: " ".join(random.sample(words.common, 2)),
    "a phrase": lambda words, random: '"{} {}"'.format(*random.choice(words.pairs)),
    "OR of three": lambda words, random: " OR ".join(random.sample(words.common, 3)),
    "a prefix": lambda words, random: random.choice(words.common)[:5] + "*",
    "a word that nothing has": _unknown,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what this checkout is held against")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--loads", type=int, default=3, help="loads of each of the two")
    parser.add_argument("--load-only", action="store_true", help="measure no searches")
    parser.add_argument("--rounds", type=int, default=60, help="questions of each shape")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with (
        engine_running("bench-commits-") as settings,
        tempfile.TemporaryDirectory() as folder,
        _older(options.commit, Path(folder) / "checkout") as older,
    ):
        asyncio.run(_measure(settings, older, options, Path(folder)))


@contextmanager
def _older(commit: str, folder: Path) -> Iterator[Path]:
    """A Python with the packages of a commit, whose files are in `folder` and go at the end."""
    git = ["git", "-C", str(CHECKOUT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
        python = folder / ".venv" / "bin" / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
        subprocess.run([*pip, "--editable", "."], cwd=folder, check=True)
        yield python
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


async def _measure(
    settings: Settings, older: Path, options: argparse.Namespace, folder: Path
) -> None:
    def side(name: str, checkout: Path, python: Path) -> Side:
        prefix = f"{settings.prefix}{name}-"
        home = folder / name
        own = msgspec.structs.replace(settings, prefix=prefix, home=home, alerts=False)
        return Side(name, checkout, python, own)

    sides = side("old", folder / "checkout", older), side("new", CHECKOUT, Path(sys.executable))
    engine = Engine.from_settings(settings)
    try:
        loads: dict[str, list[Load]] = defaultdict(list)
        for turn in range(options.loads):
            await remove(engine, settings.prefix)
            for each in sides[:: (-1) ** turn]:
                shutil.rmtree(each.settings.home, ignore_errors=True)
                loads[each.name].append(await asyncio.to_thread(each.load, options.corpus))
        _print_loads(loads["old"], loads["new"], options.corpus)
        if options.load_only:
            return
        vocabulary = Vocabulary.of([document.text for document in extract(options.corpus)])
        with ExitStack() as services:
            served = [services.enter_context(serving(each)) for each in sides]
            try:
                await _compare(served, vocabulary, options.rounds, Random(options.seed))
            finally:
                for one in served:
                    await one.session.close()
    finally:
        await remove(engine, settings.prefix)
        await engine.close()


def _print_loads(old: Sequence[Load], new: Sequence[Load], corpus: Path) -> None:
    size = sum(len(read(source)) for source in Sources([corpus])) / 1e6
    print(
        f"loads of {size:.0f} MB\n\n| side | user and system, s | median | MB/s | memory, MB |\n"
        "|---|---|---:|---:|---:|"
    )
    for name, loads in (("old", old), ("new", new)):
        median = statistics.median(load.cpu for load in loads)
        each_cpu = ", ".join(f"{load.cpu:.1f}" for load in loads)
        peak = max(load.peak for load in loads) / 1e6
        print(f"| {name} | {each_cpu} | {median:.1f} | {size / median:.1f} | {peak:.0f} |")
    ratios = [mine.cpu / theirs.cpu for theirs, mine in zip(old, new, strict=True)]
    each_ratio = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"CPU of a load, new to old: {each_ratio}; median {statistics.median(ratios):.2f}\n")


@contextmanager
def serving(side: Side) -> Iterator[Served]:
    """Run a service of a side."""
    named = ("--name", "bench", "--account", "bench", "--plan", "unlimited")
    key = side.run("edgar_search.cli", "keys", "create", *named)
    port = free_port()
    command = [str(side.python), "-m", "edgar_search.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=side.environment(), cwd=side.checkout)
    url = f"http://127.0.0.1:{port}"
    try:
        await_answer(f"{url}/health/ready", process)
        yield Served(side.name, psutil.Process(process.pid), aiohttp.ClientSession(url), key)
    finally:
        process.terminate()
        process.wait(60)


async def _compare(
    served: Sequence[Served], words: Vocabulary, rounds: int, random: Random
) -> None:
    again = [make(words, random) for make in SHAPES.values() for _ in range(2)]
    for query in [make(words, random) for make in SHAPES.values() for _ in range(_WARM_UP)] + again:
        for each in served:
            await each.ask(query)
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    began = [each.cpu() for each in served]
    for number in range(rounds):
        asked = [(shape, make(words, random)) for shape, make in SHAPES.items()]
        asked += [(ASKED_BEFORE, query) for query in again]
        for shape, query in asked:
            # Who is first changes, since the second finds the machine's caches warm.
            for each in served if number % 2 else reversed(served):
                times[shape, each.name].append(await each.ask(query))
    used = [each.cpu() - cpu for each, cpu in zip(served, began, strict=True)]
    print("| question | old, ms | new, ms | new to old, median | p90 |\n|---|---:|---:|---:|---:|")
    for shape in [*SHAPES, ASKED_BEFORE]:
        old, new = times[shape, "old"], times[shape, "new"]
        ends = [statistics.quantiles(taken, n=10)[-1] for taken in (old, new)]
        middle = statistics.median(old), statistics.median(new)
        print(
            f"| {shape} | {middle[0] * 1_000:.1f} | {middle[1] * 1_000:.1f}"
            f" | {middle[1] / middle[0]:.2f} | {ends[1] / ends[0]:.2f} |"
        )
    print(f"CPU of the service, new to old: {used[1] / used[0]:.2f}")


if __name__ == "__main__":
    main()
