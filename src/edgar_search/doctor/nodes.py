"""The nodes of Elasticsearch: versions, disks, heap, memory for its files.

All of this needs the privilege `monitor` of the cluster, which the service does not need.
"""

from typing import Any, NamedTuple

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineRefuses

SUPPORTED = ("9.2.", "9.3.", "9.4.", "9.5.")
_GB = 1_000_000_000
# Above it Java's pointers are larger, so a larger heap holds less.
_MOST_HEAP = 32_000_000_000
_BUSY_HEAP = 85  # per cent, from which on garbage collection takes time from searches
# Searches read only a part of the index; they wait for the disk if less than this part is in
# memory.
_CACHED = 0.1
_WATERMARKS = ("flood_stage", "high", "low")
_DISK = "cluster.routing.allocation.disk"
_OWN_GROUPS = ("transient", "persistent")
_UNITS = {"tb": 1024**4, "gb": 1024**3, "mb": 1024**2, "kb": 1024, "b": 1}


class Watermark(NamedTuple):
    """A watermark in Elasticsearch's form: bytes to keep free, or the part of a disk to use.

    For a part, at most `headroom` must be free, if it is set.
    """

    mark: str
    headroom: str = ""


async def look_at_nodes(engine: Engine, index_bytes: int) -> list[Finding]:
    """Check the nodes; `index_bytes` are those of all copies."""
    path = "/_nodes/stats/fs,jvm,os?filter_path=nodes.*.name,nodes.*.fs.total,nodes.*.jvm.mem"
    try:
        infos = await engine.administer("GET", "/_nodes?filter_path=nodes.*.name,nodes.*.version")
        stats = await engine.administer("GET", f"{path},nodes.*.os.mem")
        settings = await engine.administer(
            "GET", "/_cluster/settings?include_defaults=true&flat_settings=true"
        )
    except EngineRefuses:
        text = "versions, disks and heap could not be checked"
        return [warning("nodes", text, "run it with a user that has `monitor` of the cluster")]
    marks = {name: _watermark(settings, name) for name in _WATERMARKS}
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


def _disk(node: Any, marks: dict[str, Watermark]) -> Finding:
    total, free = node["fs"]["total"]["total_in_bytes"], node["fs"]["total"]["available_in_bytes"]
    what, text = f"disk of {node['name']}", f"{free / _GB:.1f} of {total / _GB:.1f} GB are free"
    for name in _WATERMARKS:
        if free < least_free(marks[name], total):
            found = f"{text}, below the watermark `{name}` ({marks[name].mark})"
            remedy = "make room"
            return (wrong if name != "low" else warning)(what, found, remedy)
    return ok(what, text)


def least_free(watermark: Watermark, total: int) -> float:
    """Return the bytes of a disk that must be free by a watermark; 0 if there is none."""
    mark = watermark.mark.strip().lower()
    free = _bytes(mark)
    if free is not None:
        return free
    try:
        used = float(mark[:-1]) / 100 if mark.endswith("%") else float(mark)
    except ValueError:
        return 0.0
    most = _bytes(watermark.headroom.strip().lower())
    free = total * (1 - used)
    return free if most is None else min(free, most)


def _bytes(text: str) -> float | None:
    """Read a size with its unit; None without a unit."""
    for unit, size in _UNITS.items():
        if text.endswith(unit):
            try:
                return float(text.removesuffix(unit)) * size
            except ValueError:
                return None
    return None


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


def _watermark(settings: Any, name: str) -> Watermark:
    """Read a watermark of the cluster; an empty one if it does not check disks."""
    if _setting(settings, f"{_DISK}.threshold_enabled") == "false":
        return Watermark("")
    mark, headroom = f"{_DISK}.watermark.{name}", f"{_DISK}.watermark.{name}.max_headroom"
    own = any(mark in settings.get(group, {}) for group in _OWN_GROUPS)
    # The default headroom is that of the default watermark only.
    groups = _OWN_GROUPS if own else (*_OWN_GROUPS, "defaults")
    return Watermark(_setting(settings, mark), _setting(settings, headroom, groups))


def _setting(reply: Any, name: str, groups: tuple[str, ...] = (*_OWN_GROUPS, "defaults")) -> str:
    for group in groups:
        if name in reply.get(group, {}):
            return str(reply[group][name])
    return ""
