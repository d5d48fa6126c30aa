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
from bench.installation import BASELINE, Installation
from edgar_search.settings import VARIABLE_PREFIX, Settings
from ingest.bulk import BODY_BYTES
from ingest.operations import chunks

PARSERS = 2
RETENTION_SECONDS = 35.0


async def measure_load(
    installation: Installation, filings: Path, texts: Sequence[Extracted]
) -> None:
    """Print both rates, their ratio and the loader's memory."""
    characters = sum(len(document.text) for document in texts)
    plain = await _bulk(installation, texts)
    seconds, peak = await asyncio.to_thread(_load, installation.settings, filings)
    print(
        f"bulk of the extracted text, one default index: {characters / plain / 1e6:.2f} M chars/s"
    )
    print(f"load, submissions to searchable: {characters / seconds / 1e6:.2f} M chars/s")
    print(f"load against bulk: {plain / seconds:.3f}x")
    print(f"loader with {PARSERS} parsers: {peak / 1e6:.0f} MB RSS at its highest")


async def measure_sizes(installation: Installation, texts: Sequence[Extracted]) -> None:
    """Print the size of the merged indices against the text."""
    # Merges drop the recovery copies of the texts only once the retention lease has moved on.
    await asyncio.sleep(RETENTION_SECONDS)
    prefix = installation.settings.prefix
    ours = await installation.size(f"{prefix}documents", f"{prefix}passages")
    size = sum(len(document.text.encode()) for document in texts)
    print(f"documents and passages against text, merged: {ours / size:.2f}x")
    print(
        f"the default index against text, merged: {await installation.size(BASELINE) / size:.2f}x"
    )


async def _bulk(installation: Installation, texts: Sequence[Extracted]) -> float:
    """Seconds to index the texts and make them searchable, two requests at a time."""
    bodies = list(chunks(map(_operation, texts), BODY_BYTES))
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


def _load(settings: Settings, filings: Path) -> tuple[float, int]:
    """Seconds of the load command, start-up included, and its highest memory in bytes."""
    command = [sys.executable, "-m", "ingest.cli", "load", str(filings), "--workers", str(PARSERS)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(settings))
    watch = _MemoryWatch(process.pid)
    watch.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - began
    watch.join()
    assert process.returncode == 0, json.loads(output.splitlines()[-1])["refusals"]
    return seconds, watch.peak


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a command that works on this installation."""
    usual = msgspec.structs.asdict(Settings())
    given = {
        VARIABLE_PREFIX + name.upper(): str(value).lower() if value in (True, False) else str(value)
        for name, value in msgspec.structs.asdict(settings).items()
        if value != usual[name]
    }
    return {**os.environ, **given}


class _MemoryWatch(threading.Thread):
    """The highest sum of resident memory of a process and its children, looked at often."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._process = psutil.Process(pid)
        self.peak = 0

    def run(self) -> None:
        try:
            while self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE:
                family = [self._process, *self._process.children(recursive=True)]
                self.peak = max(self.peak, sum(member.memory_info().rss for member in family))
                time.sleep(0.05)
        except psutil.NoSuchProcess:
            pass
