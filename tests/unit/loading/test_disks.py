"""Free space as a load looks at it, before it writes and while it waits."""

from pathlib import Path
from typing import Any, cast

import pytest

from edgar_search.engine.engine import BLOCKED, Engine
from edgar_search.errors import EngineRefuses, EngineUnavailable
from edgar_search.settings import Settings
from ingest.loading.disks import DiskFull, Disks
from ingest.loading.retry import Retry

pytestmark = pytest.mark.anyio
PLENTY = 10**15


class Nodes:
    """The part of the engine that is asked for free space."""

    def __init__(self, free: int = PLENTY, error: EngineUnavailable | None = None) -> None:
        self.free = free
        self.error = error
        self.asked = 0

    async def administer(self, method: str, path: str) -> Any:
        self.asked += 1
        if self.error is not None:
            raise self.error
        data = [{"path": "/data", "available_in_bytes": self.free}]
        return {"nodes": {"n": {"name": "one", "fs": {"data": data}}}}


def disks(nodes: Nodes, home: Path, needed: int = 1) -> Disks:
    return Disks(cast(Engine, nodes), Settings(home=home, free_bytes=needed))


async def test_disk_of_elasticsearch_is_named_with_what_is_free_and_needed(tmp_path: Path) -> None:
    with pytest.raises(DiskFull) as raised:
        await disks(Nodes(999), tmp_path, 1_000).check()
    assert str(raised.value) == (
        "the disk is full: /data (the data of Elasticsearch's node one) has 999 bytes free, a load"
        " needs 1000 (EDGAR_SEARCH_FREE_BYTES); make room, then start the load again; it continues"
        " where it stopped"
    )


async def test_disk_of_the_home_is_named_before_the_home_is_made(tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match=f"full: {tmp_path} \\(the home\\) has"):
        await disks(Nodes(), tmp_path / "a" / "b", PLENTY).check()


async def test_refusal_to_say_is_no_full_disk_and_is_not_asked_for_again(tmp_path: Path) -> None:
    nodes = Nodes(error=EngineRefuses("no rights"))
    looking = disks(nodes, tmp_path)
    await looking.look()
    await looking.look()
    assert nodes.asked == 1


async def test_engine_that_is_away_is_no_full_disk(tmp_path: Path) -> None:
    nodes = Nodes(error=EngineUnavailable("gone"))
    looking = disks(nodes, tmp_path)
    await looking.look()
    await looking.look()
    # It may be back the next time.
    assert nodes.asked == 2


async def test_disks_are_looked_at_once_in_a_while(tmp_path: Path) -> None:
    nodes = Nodes()
    looking = disks(nodes, tmp_path)
    for _ in range(100):
        await looking.check()
    assert nodes.asked == 1


async def test_bound_of_nothing_looks_at_nothing(tmp_path: Path) -> None:
    nodes = Nodes(0)
    await disks(nodes, tmp_path, 0).check()
    assert nodes.asked == 0


async def test_block_is_told_with_what_is_free(tmp_path: Path) -> None:
    told = await disks(Nodes(5_000), tmp_path, 0).explain(EngineRefuses(BLOCKED))
    assert str(told) == f"{BLOCKED} (/data has 5000 bytes free)"


async def test_load_that_waits_stops_when_the_disk_is_full(tmp_path: Path) -> None:
    async def overloaded() -> None:
        raise EngineUnavailable("overloaded")

    with pytest.raises(DiskFull, match="/data"):
        await Retry(300, look=disks(Nodes(0), tmp_path).check)(overloaded)
