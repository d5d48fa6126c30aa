"""What the embedded engine is told: its port, settings and JVM options."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from edgar_search.engine.embedded.places import Places, State, digest, give
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings

# Below the range from which Linux takes the ports of outgoing connections: there, another program
# could be given the port of a stopped engine, or a client that retries could connect to itself.
FIRST_PORT, PORTS = 20_000, 10_000
# What Elasticsearch asks of vm.max_map_count, which is for a node in production: it may have 1,000
# shards, each of many files, and each file is a map. Linux's own is often a quarter of it.
NEEDED_MAPS = 262_144
# Below it files are mapped where there may be so many times as many of them as there are now.
ROOM_FOR_MAPS = 8
_FEWEST_MAPS = 32_768
MAX_MAP_COUNT = Path("/proc/sys/vm/max_map_count")
# In bytes: as parts of the disk, which is what Elasticsearch has by default, a laptop that is 90 %
# full would take no writes with a hundred gigabytes left.
LOW_BYTES, HIGH_BYTES, FLOOD_BYTES = 1_000_000_000, 750_000_000, 500_000_000
_DISK = "cluster.routing.allocation.disk"
VECTOR_MODULE = "jdk.incubator.vector"


def choose_port(settings: Settings, last: State | None, where: Places) -> int:
    """Return the port of the settings, else that of the last run, else one made from the folder.

    So a service finds an engine that was killed and started again at the same URL.
    Raises EngineUnavailable if the settings' port is taken.
    """
    if settings.engine_port:
        if not is_free(settings.engine_port):
            raise EngineUnavailable(f"EDGAR_SEARCH_ENGINE_PORT: {settings.engine_port} is taken")
        return settings.engine_port
    known = [last.port] if last else []
    free = (port for port in (*known, *ports_of(where)) if is_free(port))
    return next(free)


def ports_of(where: Places) -> Iterator[int]:
    """Yield every port that an engine of this folder may take, its own first."""
    first = int(digest(where.folder), 16) % PORTS
    return (FIRST_PORT + (first + step) % PORTS for step in range(PORTS))


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the engine does: connections that a killed engine left behind do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def write(home: Path, where: Places, port: int, modules: frozenset[str]) -> None:
    """Make the configuration folder anew from the distribution's own."""
    shutil.rmtree(where.config, ignore_errors=True)
    shutil.copytree(home / "config", where.config)
    free = free_bytes(where)
    mapped = may_map(int(MAX_MAP_COUNT.read_text()), _index_files(where))
    (where.config / "elasticsearch.yml").write_text(settings_text(where, port, mapped, free))
    options = where.config / "jvm.options"
    options.write_text(jvm_options(options.read_text(), modules))
    account = where.account
    for path in (where.config, *where.config.rglob("*")):
        give(path, account)


def settings_text(where: Places, port: int, allow_mmap: bool, free: int) -> str:
    """Return `elasticsearch.yml`; values are JSON, which YAML takes as it is.

    `free` are the bytes that are free where the data are.
    """
    told = {
        "cluster.name": where.cluster_name,
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": port,
        "path.logs": str(where.logs),
        "path.repo": [str(where.snapshots)],
        "xpack.security.enabled": False,
        **disk_settings(free),
        "action.auto_create_index": False,
        "node.store.allow_mmap": allow_mmap,
    }
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in told.items())


def may_map(max_maps: int, files: int) -> bool:
    """Whether an engine whose indices have so many files may map them.

    A search is quicker then (decision 0038), but a file for which no map is left fails its shard.
    """
    return max_maps >= min(NEEDED_MAPS, max(_FEWEST_MAPS, ROOM_FOR_MAPS * files))


def _index_files(where: Places) -> int:
    return sum(len(files) for _, _, files in os.walk(where.data / "indices"))


def free_bytes(where: Places) -> int:
    """What is free where the data are, or will be."""
    return shutil.disk_usage(where.data if where.data.exists() else where.folder).free


def disk_settings(free: int) -> dict[str, str]:
    """Below how many free bytes the engine makes no indices, and then takes no writes.

    Where less is free when it starts the bounds are lower, for above them alone it opens the
    indices that it has: what is there can be searched in any case, and room be made by deleting.
    """
    part = min(1.0, free / (2 * LOW_BYTES))
    bounds = (("low", LOW_BYTES), ("high", HIGH_BYTES), ("flood_stage", FLOOD_BYTES))
    watermarks = {f"{_DISK}.watermark.{name}": f"{int(size * part)}b" for name, size in bounds}
    return {**watermarks, "cluster.info.update.interval": "10s"}  # the least that it allows


def jvm_options(text: str, modules: frozenset[str]) -> str:
    """Return `jvm.options` without the line for the vector module where Java does not have it."""
    if VECTOR_MODULE in modules:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(
        f"# {line}" if VECTOR_MODULE in line and not line.startswith("#") else line
        for line in lines
    )
