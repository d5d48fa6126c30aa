"""Disks and heaps of the nodes.

A user needs the privilege `monitor` of the cluster to read them.
"""

from typing import NamedTuple

from msgspec import Struct, convert

from edgar_search.engine.engine import Engine


class NodeStats(NamedTuple):
    """A node: bytes of the disks with its data, and the part of its heap that is in use."""

    name: str
    disk_bytes: int
    free_bytes: int
    heap_used: float


class _Disks(Struct):
    total_in_bytes: int
    available_in_bytes: int


class _Files(Struct):
    total: _Disks


class _Memory(Struct):
    heap_used_in_bytes: int
    heap_max_in_bytes: int


class _Java(Struct):
    mem: _Memory


class _Node(Struct):
    name: str
    fs: _Files
    jvm: _Java


class _Nodes(Struct):
    nodes: dict[str, _Node]


async def node_stats(engine: Engine) -> list[NodeStats]:
    """Read the figures of all nodes; raises EngineRefuses if the user lacks the privilege."""
    parts = "nodes.*.name,nodes.*.fs.total,nodes.*.jvm.mem"
    found = await engine.administer("GET", f"/_nodes/stats/fs,jvm?filter_path={parts}")
    return [
        NodeStats(
            each.name,
            each.fs.total.total_in_bytes,
            each.fs.total.available_in_bytes,
            each.jvm.mem.heap_used_in_bytes / each.jvm.mem.heap_max_in_bytes,
        )
        for each in convert(found, _Nodes).nodes.values()
    ]
