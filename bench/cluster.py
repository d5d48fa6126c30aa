"""A cluster on loopback beside one node, a node added while it is asked, and a full disk on it.

    python -m bench.cluster FOLDER

It loads FOLDER into a cluster of one node, and into one of two nodes with a replica, and asks both
the same generated questions by sixteen clients, in turns. Then a third node joins while the second
one is asked, with a disk of its own in memory (so this needs root), which is filled, and emptied
again. All nodes share the processors of this machine: what a cluster gains by having more of them
is not measured here, only what it costs.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx

from bench.corpus import documents_of
from bench.installation import Installation
from bench.loading import environment, load_timed
from bench.made.growth import cut
from bench.markdown import table
from bench.peers.questions import SEED, generate
from bench.service import running_service
from bench.traced import SAMPLES
from edgar_search.access.accounts import UNLIMITED
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.sources.paths import Sources
from tests.support.cluster import Cluster, Node, running_cluster
from tests.support.waiting import until

CLIENTS, SECONDS, TURNS, GENERATED = 16, 10.0, 3, 100
_READ = 200
_PREFIX = "bench-cluster-"
# The disk of the node that joins, and what is left free of it when it is full: less than the 5 % at
# which Elasticsearch takes no writes any more.
_DISK_BYTES, _LEFT = 3_000_000_000, 0.02
# A load stops below this; a disk of this size never has what it usually asks for.
_FREE_BYTES = 100_000_000
# Elasticsearch looks at its disks this often, and it is given a few looks.
_LOOK_SECONDS, _LOOKS = 10, 4
_JOIN_SECONDS = 300.0
_SETTINGS = {"cluster.info.update.interval": f"{_LOOK_SECONDS}s"}


class Asked(NamedTuple):
    """The times of answers in milliseconds, failures by their status, and the seconds it took."""

    times: list[float]
    failed: Counter[int]
    seconds: float

    @property
    def cells(self) -> list[str]:
        """Answers a second, p50, p99 and failures."""
        failed = ", ".join(f"{number} with {status}" for status, number in self.failed.items())
        if not self.times:
            return ["0", "", "", failed]
        rate = len(self.times) / self.seconds
        return [
            f"{rate:.1f}",
            f"{cut(self.times, 0.5):.0f}",
            f"{cut(self.times, 0.99):.0f}",
            failed or "0",
        ]


class Site(NamedTuple):
    """A loaded installation with its service."""

    cluster: Cluster
    installation: Installation
    client: httpx.AsyncClient
    keys: list[str]


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--heap", default="1g", help="of each node")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each turn")
    options = parser.parse_args()
    texts = [t for source in islice(Sources([options.folder]), _READ) for t in documents_of(source)]
    queries = generate(texts, Random(SEED), GENERATED)
    rows = []
    async with AsyncExitStack() as stack:
        one = await _site(stack, options, nodes=1, first=1)
        two = await _site(stack, options, nodes=3, first=2)
        for site in (one, two):
            await _ask(site, queries, options.seconds)
        found = {"one node": Asked([], Counter(), 0.0), "two nodes": Asked([], Counter(), 0.0)}
        for _ in range(TURNS):
            for name, site in zip(found, (one, two), strict=True):
                more, known = await _ask(site, queries, options.seconds), found[name]
                found[name] = Asked(
                    known.times + more.times,
                    known.failed + more.failed,
                    known.seconds + more.seconds,
                )
        rows += [[name, *asked.cells, ""] for name, asked in found.items()]
        third = two.cluster.nodes[2]
        with _own_disk(third) as fill:
            rows.append(await _while_joining(two, third, queries))
            after = await _ask(two, queries, options.seconds)
            rows.append(["three nodes", *after.cells, ""])
            rows += await _full_disk(two, fill, queries)
            two.cluster.kill(third)
    heads = [f"{CLIENTS} clients", "answers a second", "p50, ms", "p99, ms", "failed", "noted"]
    print(f"processors: {os.cpu_count()}, load at the end: {os.getloadavg()[0]:.1f}\n")
    print(table(heads, rows))


async def _site(
    stack: AsyncExitStack, options: argparse.Namespace, *, nodes: int, first: int
) -> Site:
    folder = _new_folder()
    cluster = stack.enter_context(
        running_cluster(nodes, options.heap, first=first, options="", more=_SETTINGS, folder=folder)
    )
    addresses = ",".join(node.url for node in cluster.nodes)
    settings = Settings(
        es_url=addresses,
        prefix=_PREFIX,
        home=folder / "home",
        archive=False,
        alerts=False,
        es_timeout=30.0,
        free_bytes=_FREE_BYTES,
        default_plan=UNLIMITED.name,
    )
    engine = Engine.from_settings(settings)
    stack.push_async_callback(engine.close)
    seconds, _ = await asyncio.to_thread(load_timed, settings, options.folder)
    # Indices have a replica as soon as a second node is there.
    await asyncio.to_thread(cluster.await_green, cluster.nodes[0], first)
    print(f"{first} of {nodes} nodes: loaded in {seconds:.0f} s", flush=True)
    installation = Installation(settings, engine)
    service = stack.enter_context(running_service(settings))
    client = httpx.AsyncClient(base_url=service.url, timeout=120)
    await stack.enter_async_context(client)
    # Each client is another account: of one account few searches are answered at once.
    keys = [await installation.key(f"bench-{number}") for number in range(CLIENTS)]
    return Site(cluster, installation, client, keys)


def _new_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    folder.chmod(0o755)  # the nodes run under another account
    return folder


async def _ask(
    site: Site, queries: list[str], seconds: float, end: asyncio.Event | None = None
) -> Asked:
    """Ask by all clients for so long, and then until an event if one is given."""
    began = time.monotonic()
    times, failed = list[float](), Counter[int]()

    async def client(at: int) -> None:
        while (now := time.monotonic()) < began + seconds or (end and not end.is_set()):
            asked = {"query": queries[at % len(queries)]}
            key = {"X-API-Key": site.keys[at % CLIENTS]}
            reply = await site.client.get("/v1/search", params=asked, headers=key)
            if reply.is_success:
                times.append((time.monotonic() - now) * 1000)
            else:
                failed[reply.status_code] += 1
            at += CLIENTS

    await asyncio.gather(*map(client, range(CLIENTS)))
    return Asked(times, failed, time.monotonic() - began)


async def _while_joining(site: Site, node: Node, queries: list[str]) -> list[str]:
    """Start a node, and ask until all shards are where they stay."""
    joined = asyncio.Event()

    async def join() -> float:
        began = time.monotonic()
        site.cluster.start(node)
        await asyncio.to_thread(site.cluster.await_green, site.cluster.nodes[0], 3)
        # Elasticsearch moves shards only once it knows the disk of the node.
        await until(partial(_has_shards, site, node), _JOIN_SECONDS)
        await asyncio.to_thread(site.cluster.await_green, site.cluster.nodes[0], 3)
        joined.set()
        return time.monotonic() - began

    asked, seconds = await asyncio.gather(_ask(site, queries, 0.0, joined), join())
    shards = await _shards_on(site, node)
    return ["a third joins", *asked.cells, f"{seconds:.0f} s, {shards} shards moved to it"]


async def _full_disk(site: Site, fill: Path, queries: list[str]) -> list[list[str]]:
    """Fill the disk of the third node, ask and load, and empty it again."""
    disk = shutil.disk_usage(fill.parent)
    with fill.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, int(disk.free - disk.total * _LEFT)))
    looks = _LOOK_SECONDS * _LOOKS
    asked = await _ask(site, queries, looks)
    shards = await _shards_on(site, site.cluster.nodes[2])
    blocked = await _blocked(site)
    load = await asyncio.to_thread(_load_more, site)
    rows = [
        [
            "its disk is full",
            *asked.cells,
            f"{shards} shards left on it, {blocked} indices blocked",
        ],
        ["a load meanwhile", "", "", "", "", load],
    ]
    await asyncio.to_thread(fill.unlink)
    asked = await _ask(site, queries, looks)
    load = await asyncio.to_thread(_load_more, site)
    blocked = await _blocked(site)
    rows.append(["and is empty again", *asked.cells, f"{blocked} indices blocked; a load: {load}"])
    return rows


def _load_more(site: Site) -> str:
    """Load the samples; return how it ended."""
    command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(SAMPLES)]
    own = environment(site.installation.settings) | {"EDGAR_SEARCH_LOAD_PATIENCE": "20"}
    began = time.monotonic()
    done = subprocess.run(command, env=own, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    said = f": {last[0][:120]}" if last else ""
    return f"exit status {done.returncode} after {time.monotonic() - began:.0f} s{said}"


async def _shards_on(site: Site, node: Node) -> int:
    name = f"node-{site.cluster.nodes.index(node)}"
    path = "/_cat/shards?format=json&h=node,state"
    rows = await site.installation.engine.administer("GET", path)
    return sum(row["node"] == name and row["state"] == "STARTED" for row in rows)


async def _has_shards(site: Site, node: Node) -> bool:
    return await _shards_on(site, node) > 0


async def _blocked(site: Site) -> int:
    path = f"/{_PREFIX}*/_settings/index.blocks.*"
    return len(await site.installation.engine.administer("GET", path) or {})


@contextmanager
def _own_disk(node: Node) -> Iterator[Path]:
    """Give a node that is not started a small disk; yield the file to fill it with."""
    data = node.where.data
    data.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", data], check=True)
    try:
        if node.where.account:
            os.chown(data, *node.where.account)
        yield data / "filled"
    finally:
        subprocess.run(["umount", "--lazy", data], check=True)


if __name__ == "__main__":
    asyncio.run(main())
