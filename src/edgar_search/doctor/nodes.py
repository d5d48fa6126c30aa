"""The nodes of Elasticsearch: versions, disks, heap, memory for its files.

All of this needs the privilege `monitor` of the cluster, which the service does without.
"""

from typing import Any

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineRefuses

SUPPORTED = ("9.2.", "9.3.", "9.4.", "9.5.")
_GB = 1_000_000_000
# Above it Java's pointers grow, and a larger heap holds less.
_MOST_HEAP = 32_000_000_000
_BUSY_HEAP = 85  # per cent, at which collections begin to take the time of searches
# Searches read a part of the index only; with less than this part of it in memory they wait for
# the disk.
_CACHED = 0.1
_WATERMARKS = ("flood_stage", "high", "low")
_DISK = "cluster.routing.allocation.disk"


async def look_at_nodes(engine: Engine, index_bytes: int) -> list[Finding]:
    """All that is to be said of them; `index_bytes` are those of all copies."""
    path = "/_nodes/stats/fs,jvm,os?filter_path=nodes.*.name,nodes.*.fs.total,nodes.*.jvm.mem"
    try:
        infos = await engine.administer("GET", "/_nodes?filter_path=nodes.*.name,nodes.*.version")
        stats = await engine.administer("GET", f"{path},nodes.*.os.mem")
        settings = await engine.administer(
            "GET", "/_cluster/settings?include_defaults=true&flat_settings=true"
        )
    except EngineRefuses:
        text = "versions, disks and heap could not be looked at"
        return [warning("nodes", text, "run it with a user that has `monitor` of the cluster")]
    marks = {
        name: _setting(settings, f"{_DISK}.watermark.{name}") for name in reversed(_WATERMARKS)
    }
    nodes = list((stats or {}).get("nodes", {}).values())
    return [
        *(_version(each) for each in infos["nodes"].values()),
        *(_disk(each, marks) for each in nodes),
        *(_heap(each) for each in nodes),
        _page_cache(nodes, index_bytes),
    ]


def _version(node: Any) -> Finding:
    what, version = f"version of {node['name']}", node["version"]
    if version.startswith(SUPPORTED):
        return ok(what, version)
    return warning(what, f"{version} is not tested", "use 9.2 to 9.5")


def _disk(node: Any, marks: dict[str, str]) -> Finding:
    total, free = node["fs"]["total"]["total_in_bytes"], node["fs"]["total"]["available_in_bytes"]
    what, text = f"disk of {node['name']}", f"{free / _GB:.1f} of {total / _GB:.1f} GB are free"
    for name in _WATERMARKS:
        if free < least_free(marks[name], total):
            found = f"{text}, below the watermark `{name}` ({marks[name]})"
            remedy = "make room"
            return (wrong if name != "low" else warning)(what, found, remedy)
    return ok(what, text)


def least_free(mark: str, total: int) -> float:
    """How many bytes must be free by a watermark, as Elasticsearch writes it; 0 for none."""
    text = mark.strip().lower()
    units = {"tb": 1024**4, "gb": 1024**3, "mb": 1024**2, "kb": 1024, "b": 1}
    try:
        if text.endswith("%"):
            return total * (1 - float(text[:-1]) / 100)
        for unit, size in units.items():
            if text.endswith(unit):
                return float(text.removesuffix(unit)) * size
        return total * (1 - float(text))
    except ValueError:
        return 0.0


def _heap(node: Any) -> Finding:
    heap, used = node["jvm"]["mem"]["heap_max_in_bytes"], node["jvm"]["mem"]["heap_used_percent"]
    memory = node["os"]["mem"]["total_in_bytes"]
    what, text = f"heap of {node['name']}", f"{heap / _GB:.1f} GB, {used} % used"
    if used > _BUSY_HEAP:
        return warning(what, text, "give it more heap, or look for what fills it")
    if heap > _MOST_HEAP:
        return warning(what, text, "a heap above 31 GB holds less")
    if heap > memory / 2:
        found = f"{text}, of {memory / _GB:.1f} GB of memory"
        return warning(what, found, "leave half of the memory to the files of the index")
    return ok(what, text)


def _page_cache(nodes: list[Any], index_bytes: int) -> Finding:
    left = sum(
        node["os"]["mem"]["total_in_bytes"] - node["jvm"]["mem"]["heap_max_in_bytes"]
        for node in nodes
    )
    text = f"{left / _GB:.1f} GB beside the heaps for {index_bytes / _GB:.2f} GB of index"
    if left < index_bytes * _CACHED:
        return warning("page cache", text, "add memory or nodes: searches will wait for the disk")
    return ok("page cache", text)


def _setting(reply: Any, name: str) -> str:
    for group in ("transient", "persistent", "defaults"):
        if name in reply.get(group, {}):
            return str(reply[group][name])
    return ""
