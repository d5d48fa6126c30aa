"""Disk space and heap use of the nodes.

Reading them needs the cluster privilege `monitor`.
"""

from typing import NamedTuple

from msgspec import Struct, convert

from edgar_search.engine.engine import Engine


class NodeStats(NamedTuple):
    """A node: the bytes of its data disks, and the fraction of its heap that is in use."""

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
    reply = await engine.administer("GET", f"/_nodes/stats/fs,jvm?filter_path={parts}")
    return [
        NodeStats(
            node.name,
            node.fs.total.total_in_bytes,
            node.fs.total.available_in_bytes,
            node.jvm.mem.heap_used_in_bytes / node.jvm.mem.heap_max_in_bytes,
        )
        for node in convert(reply, _Nodes).nodes.values()
    ]
