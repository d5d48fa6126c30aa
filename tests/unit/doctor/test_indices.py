"""What is said of copies, by how many nodes there are for them."""

from typing import Any, cast

import pytest

from edgar_search.doctor.indices import look_at_indices
from edgar_search.engine.engine import Engine

pytestmark = pytest.mark.anyio


class Cluster:
    """An engine with so many nodes, and an index for each number of replicas."""

    def __init__(self, nodes: int, unassigned: int, *replicas: int) -> None:
        self._health = {"status": "yellow", "number_of_data_nodes": nodes}
        self._health |= {"unassigned_shards": unassigned}
        self._replicas = {f"edgar-usage.{n}.v1": str(each) for n, each in enumerate(replicas)}

    async def missing_aliases(self, pattern: str) -> list[Any]:
        return []

    async def administer(self, method: str, path: str) -> Any:
        if path.startswith("/_cluster/health"):
            return self._health
        if "_alias" in path:
            return {name: {"aliases": {}} for name in self._replicas}
        if "_stats" in path:
            return {}
        return {
            name: {"settings": {"index.number_of_replicas": each}}
            for name, each in self._replicas.items()
        }


@pytest.mark.parametrize(
    ("cluster", "level", "text"),
    [
        (Cluster(1, 0, 0, 0), "warning", "none; 1 data node"),
        (Cluster(3, 0, 1, 1), "ok", "1 of each shard beside itself, on 3 data nodes"),
        (Cluster(3, 2, 1, 1), "warning", "2 copies have no node of 3"),
        (
            Cluster(3, 0, 1, 0),
            "warning",
            "1 indices have none, such as edgar-usage.1.v1; 3 data nodes",
        ),
    ],
)
async def test_copies_are_held_against_nodes(cluster: Cluster, level: str, text: str) -> None:
    findings, _ = await look_at_indices(cast(Engine, cluster), "edgar-")
    (found,) = [each for each in findings if each.what == "replicas"]
    assert (found.level, found.text) == (level, text)
