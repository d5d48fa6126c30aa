"""Disks of nodes, as Elasticsearch's health report reports them."""

from typing import Any, cast

import pytest

from edgar_search.doctor.nodes import look_at_nodes
from edgar_search.engine.engine import Engine

pytestmark = pytest.mark.anyio
GB = 1024**3


class TwoNodes:
    """An engine with two nodes, and the diagnoses of the health report."""

    def __init__(self, diagnosis: list[Any]) -> None:
        self._disk = {"status": "red" if diagnosis else "green", "diagnosis": diagnosis}

    async def administer(self, method: str, path: str) -> Any:
        if path.startswith("/_health_report"):
            return {"indicators": {"disk": self._disk}}
        node = {
            "version": "9.5.4",
            "fs": {"total": {"total_in_bytes": 1_000 * GB, "available_in_bytes": 90 * GB}},
            "jvm": {"mem": {"heap_max_in_bytes": 8 * GB, "heap_used_percent": 50}},
            "os": {"mem": {"total_in_bytes": 64 * GB}},
        }
        return {"nodes": {name: {"name": name, **node} for name in ("one", "two")}}


@pytest.mark.parametrize(
    ("diagnosis", "levels"),
    [
        ([], ["ok", "ok"]),
        (
            [
                {"affected_resources": {"indices": ["documents"]}},
                {"affected_resources": {"nodes": [{"node_id": "2", "name": "two"}]}},
            ],
            ["ok", "wrong"],
        ),
    ],
)
async def test_disk_is_wrong_if_elasticsearch_says_so(
    diagnosis: list[Any], levels: list[str]
) -> None:
    engine = cast(Engine, TwoNodes(diagnosis))
    found = {node.what: node for node in await look_at_nodes(engine, 0)}
    assert [found[f"disk of {name}"].level for name in ("one", "two")] == levels
