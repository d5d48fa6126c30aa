"""Checks of Elasticsearch's nodes: versions, disks, heap, page cache.

They need the privilege `monitor` of the cluster, which the service itself does not need.
"""

from typing import Any

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineRefuses

SUPPORTED = ("9.2.", "9.3.", "9.4.", "9.5.")
_GB = 1_000_000_000
# With a larger heap Java's pointers are larger, and it holds fewer objects.
_MOST_HEAP = 32_000_000_000
_BUSY_HEAP = 85  # per cent; above it, garbage collection slows searches
# Searches read only a part of the index; if less than this fraction is in memory, they wait for the
# disk.
_CACHED = 0.1


async def look_at_nodes(engine: Engine, index_bytes: int) -> list[Finding]:
    """Check the nodes; `index_bytes` is the size of all shard copies."""
    path = "/_nodes/stats/fs,jvm,os?filter_path=nodes.*.name,nodes.*.fs.total,nodes.*.jvm.mem"
    try:
        infos = await engine.administer("GET", "/_nodes?filter_path=nodes.*.name,nodes.*.version")
        stats = await engine.administer("GET", f"{path},nodes.*.os.mem")
        report = await engine.administer("GET", "/_health_report/disk")
    except EngineRefuses:
        text = "versions, disks and heap could not be checked"
        return [warning("nodes", text, "run it with a user that has `monitor` of the cluster")]
    full = _full_nodes(report["indicators"]["disk"])
    nodes = list((stats or {}).get("nodes", {}).values())
    return [
        *(_version(each) for each in infos["nodes"].values()),
        *(_disk(node, full) for node in nodes),
        *(_heap(node) for node in nodes),
        _page_cache(nodes, index_bytes),
    ]


def _version(node: Any) -> Finding:
    what, version = f"version of {node['name']}", node["version"]
    if version.startswith(SUPPORTED):
        return ok(what, version)
    return warning(what, f"{version} is not tested", "use 9.2 to 9.5")


def _full_nodes(disk: Any) -> set[str]:
    """Return the names of nodes above the watermark `high` or `flood_stage`.

    Elasticsearch checks disks every 30 seconds.
    """
    resources = [diagnosis["affected_resources"] for diagnosis in disk.get("diagnosis", ())]
    return {node["name"] for resource in resources for node in resource.get("nodes", ())}


def _disk(node: Any, full: set[str]) -> Finding:
    total, free = node["fs"]["total"]["total_in_bytes"], node["fs"]["total"]["available_in_bytes"]
    what, text = f"disk of {node['name']}", f"{free / _GB:.1f} of {total / _GB:.1f} GB are free"
    if node["name"] in full:
        return wrong(what, f"{text}, too few for Elasticsearch's watermarks", "make room")
    return ok(what, text)


def _heap(node: Any) -> Finding:
    heap, used = node["jvm"]["mem"]["heap_max_in_bytes"], node["jvm"]["mem"]["heap_used_percent"]
    memory = node["os"]["mem"]["total_in_bytes"]
    what, text = f"heap of {node['name']}", f"{heap / _GB:.1f} GB, {used} % used"
    if used > _BUSY_HEAP:
        return warning(what, text, "give it more heap, or find out what fills it")
    if heap > _MOST_HEAP:
        return warning(what, text, "a heap above 31 GB holds less")
    if heap > memory / 2:
        excess = f"{text}, of {memory / _GB:.1f} GB of memory"
        return warning(what, excess, "leave half of the memory to the files of the index")
    return ok(what, text)


def _page_cache(nodes: list[Any], index_bytes: int) -> Finding:
    free = sum(
        node["os"]["mem"]["total_in_bytes"] - node["jvm"]["mem"]["heap_max_in_bytes"]
        for node in nodes
    )
    text = f"{free / _GB:.1f} GB beside the heaps for {index_bytes / _GB:.2f} GB of index"
    if free < index_bytes * _CACHED:
        return warning("page cache", text, "add memory or nodes: searches will wait for the disk")
    return ok("page cache", text)
