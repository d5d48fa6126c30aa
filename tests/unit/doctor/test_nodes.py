"""How watermarks are read."""

from typing import Any, cast

import pytest

from edgar_search.doctor.nodes import Watermark, least_free, look_at_nodes
from edgar_search.engine.engine import Engine

pytestmark = pytest.mark.anyio
DISK = "cluster.routing.allocation.disk"
GB = 1024**3
# What Elasticsearch answers where nothing of it was set.
DEFAULTS = {
    f"{DISK}.threshold_enabled": "true",
    f"{DISK}.watermark.low": "85%",
    f"{DISK}.watermark.high": "90%",
    f"{DISK}.watermark.flood_stage": "95%",
    f"{DISK}.watermark.low.max_headroom": "200GB",
    f"{DISK}.watermark.high.max_headroom": "150GB",
    f"{DISK}.watermark.flood_stage.max_headroom": "100GB",
}


@pytest.mark.parametrize(
    ("mark", "headroom", "free"),
    [
        ("85%", "", 150.0),
        ("0.85", "", 150.0),
        ("500b", "", 500.0),
        ("1kb", "", 1024.0),
        ("2gb", "", 2.0 * 1024**3),
        ("1TB", "", 1024.0**4),
        ("", "", 0.0),
        ("none", "", 0.0),
        ("85%", "100b", 100.0),
        ("85%", "1GB", 150.0),
        ("85%", "-1", 150.0),
        ("500b", "100b", 500.0),
    ],
)
def test_free_bytes_that_a_watermark_wants(mark: str, headroom: str, free: float) -> None:
    assert least_free(Watermark(mark, headroom), 1_000) == pytest.approx(free)


class OneNode:
    """An engine with a node of so many GB of disk, of which so many are free."""

    def __init__(self, total: int, free: int, persistent: dict[str, str]) -> None:
        self._disk = {"total_in_bytes": total * GB, "available_in_bytes": free * GB}
        self._settings = {"persistent": persistent, "defaults": DEFAULTS}

    async def administer(self, method: str, path: str) -> Any:
        if path.startswith("/_cluster/settings"):
            return self._settings
        heap = {"heap_max_in_bytes": 8 * GB, "heap_used_percent": 50}
        node = {"name": "one", "version": "9.5.4", "fs": {"total": self._disk}}
        node |= {"jvm": {"mem": heap}, "os": {"mem": {"total_in_bytes": 64 * GB}}}
        return {"nodes": {"id": node}}


@pytest.mark.parametrize(
    ("total", "free", "persistent", "level"),
    [
        (1_000, 160, {}, "ok"),
        (1_000, 140, {}, "warning"),
        (1_000, 90, {}, "wrong"),
        # Of a large disk the headroom counts, and not the part.
        (10_000, 250, {}, "ok"),
        (10_000, 160, {}, "warning"),
        (10_000, 140, {}, "wrong"),
        # It is not that of a watermark that somebody has set.
        (10_000, 250, {f"{DISK}.watermark.low": "85%"}, "warning"),
        (1_000, 1, {f"{DISK}.threshold_enabled": "false"}, "ok"),
    ],
)
async def test_disk_is_held_against_the_watermarks(
    total: int, free: int, persistent: dict[str, str], level: str
) -> None:
    engine = cast(Engine, OneNode(total, free, persistent))
    found = {each.what: each for each in await look_at_nodes(engine, 0)}
    assert found["disk of one"].level == level
