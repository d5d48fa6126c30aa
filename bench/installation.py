"""An installation that the benchmark makes and removes, and the index it is held against."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

import msgspec

from edgar_search.access.accounts import UNLIMITED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.engine import embedded
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

# Elasticsearch counts its CPU time once a second.
CPU_INTERVAL = 1.1
# Leases move on twice a minute.
_RETENTION_SECONDS, _MOST_RETAINED = 35.0, 300.0
# Elasticsearch tells the same size of a shard for 10 s; files that were merged go within that time.
_DELETED_SECONDS = 11.0
_DELETED_AT_ONCE = 30
# The straightforward index: Elasticsearch's own mapping, the whole text in one field.
BASELINE = "bench-baseline"  # an alias, through which alone an Engine writes
_BASELINE_BODY: dict[str, Any] = {
    "aliases": {BASELINE: {}},
    "settings": {
        "number_of_replicas": 0,
        "max_result_window": 100_000,
        # Else one long document fails a whole page of results.
        "highlight.max_analyzed_offset": 50_000_000,
    },
}


@contextmanager
def engine_running(prefix: str) -> Iterator[Settings]:
    """Yield the settings of the environment, for indices with a prefix.

    Where they name no Elasticsearch the embedded one runs meanwhile.
    """
    settings = Settings.from_environ(os.environ)
    started = settings.es_url is None and embedded.up(settings, print).started
    try:
        yield msgspec.structs.replace(embedded.resolve(settings), prefix=prefix)
    finally:
        if started:
            embedded.down(settings)


class Installation(NamedTuple):
    """The place in which the benchmark works."""

    settings: Settings
    engine: Engine

    async def key(self, account: str = "bench") -> str:
        """Return a new API key of an account without limits."""
        plans = Plans.from_settings(self.settings)
        await Accounts(self.engine, plans).set_plan(account, UNLIMITED.name)
        key, _ = await ApiKeys(self.engine).create(account, "bench")
        return key

    async def size(self, *names: str) -> int:
        """Return bytes on disk of these indices, merged to one segment each.

        Takes a minute or more. Raises TimeoutError where what was written is retained for longer
        than that.
        """
        listed = ",".join(names)
        await self._await_release(listed)
        size, before = await self._merge(listed), 0
        while size != before:
            # What was merged goes only once no search can see it any more.
            await self.engine.administer("POST", f"/{listed}/_refresh")
            await asyncio.sleep(_DELETED_SECONDS)
            size, before = await self._merge(listed), size
        return size

    async def _merge(self, names: str) -> int:
        await self.engine.administer("POST", f"/{names}/_forcemerge?max_num_segments=1")
        await self.engine.administer("POST", f"/{names}/_flush?force=true")
        stats = await self.engine.administer("GET", f"/{names}/_stats/store")
        return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])

    async def _await_release(self, names: str) -> None:
        """Return once a merge drops the recovery copies of texts: a lease retains them a while."""
        # What is in no commit is retained too, and what the shard does not know to be in one.
        await self.engine.administer("POST", f"/{names}/_flush?force=true")
        await asyncio.sleep(_RETENTION_SECONDS)
        until = time.monotonic() + _MOST_RETAINED
        while time.monotonic() < until:
            stats = await self.engine.administer("GET", f"/{names}/_stats?level=shards")
            copies = [
                copy
                for index in stats["indices"].values()
                for shard in index["shards"].values()
                for copy in shard
            ]
            if not any(map(_retains, copies)):
                return
            await asyncio.sleep(2)
        raise TimeoutError("the leases that retain what was written do not move on")


def _retains(copy: dict[str, Any]) -> bool:
    last = copy["seq_no"]["max_seq_no"]
    return any(lease["retaining_seq_no"] <= last for lease in copy["retention_leases"]["leases"])


async def engine_cpu(engine: Engine) -> float:
    """CPU seconds that Elasticsearch has taken since it was started, all its nodes."""
    await asyncio.sleep(CPU_INTERVAL)
    stats = await engine.administer("GET", "/_nodes/stats/process")
    taken = [node["process"]["cpu"]["total_in_millis"] for node in stats["nodes"].values()]
    return float(sum(taken)) / 1000


async def engine_version(engine: Engine) -> str:
    """Return the version of Elasticsearch, of its first node."""
    nodes = (await engine.administer("GET", "/_nodes/process"))["nodes"].values()
    return str(next(iter(nodes))["version"])


@asynccontextmanager
async def installed(settings: Settings, *, baseline: bool = True) -> AsyncIterator[Installation]:
    """Yield an empty installation, with the baseline index if wanted; everything goes at the end.

    The baseline has a prefix of its own, so it needs the installation whose prefix that is.
    """
    engine = Engine.from_settings(settings)
    try:
        await remove(engine, settings.prefix)
        if baseline:
            await engine.create_index(f"{BASELINE}-index", _BASELINE_BODY)
        yield Installation(settings, engine)
    finally:
        await remove(engine, settings.prefix)
        await engine.close()


async def delete_indices(engine: Engine, names: Sequence[str]) -> None:
    """Delete these indices: several by one request, which takes hardly longer than one."""
    # A URI has no room for all.
    for some in chunks(names, _DELETED_AT_ONCE):
        await engine.administer("DELETE", f"/{','.join(some)}")


async def remove(engine: Engine, prefix: str) -> None:
    """Delete every index and template whose name begins with the prefix."""
    await delete_indices(engine, list(await engine.administer("GET", f"/{prefix}*/_alias") or {}))
    await engine.administer("DELETE", f"/_index_template/{prefix}*")
    await engine.administer("DELETE", f"/_component_template/{prefix}*")
