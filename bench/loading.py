"""Load from submissions to searchable, beside bulk-indexing the extracted text into one index."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import psutil

from bench.corpus import Extracted
from bench.engine_threads import between, engine_threads
from bench.installation import BASELINE, Installation, engine_cpu
from edgar_search.engine.bulk_lines import bodies as bulk_bodies
from edgar_search.settings import VARIABLE_PREFIX, Settings
from ingest.loading.bulk import BODY_BYTES

PARSERS = 2


async def measure_load(
    installation: Installation, filings: Path, texts: Sequence[Extracted]
) -> None:
    """Print both rates, their ratio, where the processors' time goes, and the loader's memory."""
    characters = sum(len(document.text) for document in texts)
    began = await engine_cpu(installation.engine)
    plain = await _bulk(installation, texts)
    middle = await engine_cpu(installation.engine)
    threads = await engine_threads(installation.engine)
    seconds, family = await asyncio.to_thread(load_timed, installation.settings, filings)
    ended = await engine_cpu(installation.engine)
    later = await engine_threads(installation.engine)
    print(
        f"bulk of the extracted text, one default index: {characters / plain / 1e6:.2f} M chars/s"
    )
    print(f"load, submissions to searchable: {characters / seconds / 1e6:.2f} M chars/s")
    print(f"load against bulk: {plain / seconds:.3f}x")
    # Other work on the machine changes these far less than the rates.
    print(
        f"CPU seconds: Elasticsearch for the bulk {middle - began:.1f}, for the load"
        f" {ended - middle:.1f}; loader {family.loader_cpu:.1f}, its parsers"
        f" {family.parsers_cpu:.1f}"
    )
    if threads is not None and later is not None:
        spent = between(threads, later, ended - middle)
        listed = ", ".join(f"{work} {taken:.1f}" for work, taken in spent)
        print(f"of Elasticsearch's for the load: {listed}")
    taken = ended - middle + family.loader_cpu + family.parsers_cpu
    print(f"load, all processes: {characters / taken / 1e6:.2f} M characters a CPU second")
    print(f"loader with {PARSERS} parsers: {family.peak / 1e6:.0f} MB RSS at its highest")


async def measure_sizes(installation: Installation, texts: Sequence[Extracted]) -> None:
    """Print the size of the merged indices against the text."""
    prefix = installation.settings.prefix
    ours = await installation.size(f"{prefix}documents", f"{prefix}passages")
    size = sum(len(document.text.encode()) for document in texts)
    print(f"documents and passages against text, merged: {ours / size:.2f}x")
    print(
        f"the default index against text, merged: {await installation.size(BASELINE) / size:.2f}x"
    )


async def _bulk(installation: Installation, texts: Sequence[Extracted]) -> float:
    """Return seconds to index the texts and make them searchable, two requests at a time."""
    bodies = list(bulk_bodies(map(_operation, texts), BODY_BYTES))
    slots = asyncio.Semaphore(2)

    async def send(body: bytes) -> None:
        async with slots:
            assert not await installation.engine.bulk(body)

    began = time.perf_counter()
    await asyncio.gather(*map(send, bodies))
    await installation.engine.administer("POST", f"/{BASELINE}/_refresh")
    return time.perf_counter() - began


def _operation(document: Extracted) -> bytes:
    action = {"index": {"_index": BASELINE, "_id": document.document_id}}
    return msgspec.json.encode(action) + b"\n" + msgspec.json.encode(document) + b"\n"


def load_timed(settings: Settings, filings: Path) -> "tuple[float, Family]":
    """Return seconds of the load command, start-up included, and what its processes took."""
    command = [sys.executable, "-m", "ingest.cli", "load", str(filings), "--workers", str(PARSERS)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(settings))
    family = Family(process.pid)
    family.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - began
    family.join()
    assert process.returncode == 0, json.loads(output.splitlines()[-1])["refusals"]
    return seconds, family


def environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a command that works on this installation.

    Settings of this process count only as far as they are in `settings`.
    """
    usual = msgspec.structs.asdict(Settings())
    ours = {VARIABLE_PREFIX + name.upper() for name in usual}
    others = {name: value for name, value in os.environ.items() if name not in ours}
    given = {
        VARIABLE_PREFIX + name.upper(): str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for name, value in msgspec.structs.asdict(settings).items()
        if value != usual[name]
    }
    return others | given


class Family(threading.Thread):
    """The highest sum of resident memory of a process and its children, and their CPU seconds."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._process = psutil.Process(pid)
        self._cpu: dict[int, float] = {}
        self.peak = 0

    @property
    def loader_cpu(self) -> float:
        """CPU seconds of the process itself."""
        return self._cpu[self._process.pid]

    @property
    def parsers_cpu(self) -> float:
        """CPU seconds of all its children."""
        return sum(self._cpu.values()) - self.loader_cpu

    def run(self) -> None:
        try:
            while self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE:
                self._look([self._process, *self._process.children(recursive=True)])
                time.sleep(0.05)
        except psutil.NoSuchProcess:
            pass

    def _look(self, family: list[psutil.Process]) -> None:
        self.peak = max(self.peak, sum(member.memory_info().rss for member in family))
        for member in family:
            times = member.cpu_times()
            self._cpu[member.pid] = times.user + times.system
