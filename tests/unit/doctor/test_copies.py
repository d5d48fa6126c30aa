"""Findings about copies by the number of nodes, and about shards without one by the reason."""

from typing import Any, cast

import pytest

from edgar_search.doctor.findings import Curl
from edgar_search.doctor.indices import look_at_copies
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio
CURL = Curl(Settings(es_url="http://127.0.0.1:9200"))
AT = "http://127.0.0.1:9200"


class Cluster:
    """An engine with this many nodes, and an index for each number of replicas."""

    def __init__(self, nodes: int, unassigned: int, *replicas: int) -> None:
        self._health = {"status": "yellow", "number_of_data_nodes": nodes}
        self._health |= {"unassigned_shards": unassigned}
        self.settings = {
            f"edgar-usage.{n}.v1": {"index.number_of_replicas": str(each)}
            for n, each in enumerate(replicas)
        }

    async def administer(self, method: str, path: str, body: Any = None) -> Any:
        return self._health


class Red:
    """An engine in which the second shard of the usage has no primary, explained so."""

    def __init__(self, explained: dict[str, Any], settings: dict[str, str]) -> None:
        shards = {"0": {"status": "green"}, "1": {"status": "red"}}
        indices = {"edgar-usage.all.v1": {"status": "red", "shards": shards}}
        self._health = {"status": "red", "indices": indices}
        self._explained = explained
        self.settings = {"edgar-usage.all.v1": settings}

    async def administer(self, method: str, path: str, body: Any = None) -> Any:
        if path.startswith("/_cluster/health"):
            return self._health
        assert body == {"index": "edgar-usage.all.v1", "shard": 1, "primary": True}
        return self._explained


def refused(decider: str, explanation: str) -> dict[str, Any]:
    deciders = [
        {"decider": "same_shard", "decision": "YES", "explanation": "yes"},
        {"decider": decider, "decision": "NO", "explanation": explanation},
    ]
    return {"can_allocate": "no", "node_allocation_decisions": [{"deciders": deciders}]}


@pytest.mark.parametrize(
    ("cluster", "level", "text"),
    [
        (Cluster(1, 0, 0, 0), "warning", "none; 1 data node"),
        (Cluster(3, 0, 1, 1), "ok", "1 of each shard, beside the primary, on 3 data nodes"),
        (Cluster(3, 2, 1, 1), "warning", "2 copies have no node of 3"),
        (
            Cluster(3, 0, 1, 0),
            "warning",
            "1 indices have none, such as edgar-usage.1.v1; 3 data nodes",
        ),
    ],
)
async def test_copies_are_held_against_nodes(cluster: Cluster, level: str, text: str) -> None:
    (found,) = await look_at_copies(cast(Engine, cluster), "edgar-", cluster.settings, CURL)
    assert (found.level, found.text) == (level, text)


@pytest.mark.parametrize(
    ("cluster", "text", "remedy"),
    [
        (
            Red({"can_allocate": "no_valid_shard_copy"}, {}),
            "no node that runs has a copy of it",
            "start the node that had it; if it is lost, see Backups in docs/operations.md",
        ),
        (
            Red(refused("disk_threshold", "the node is above the\n high watermark"), {}),
            "no node may hold it, since the node is above the high watermark",
            "make room on the disks of the nodes, or add a node",
        ),
        (
            Red(refused("max_retry", "shard has exceeded the maximum number of retries"), {}),
            "no node may hold it, since shard has exceeded the maximum number of retries",
            "correct what its log names, then run"
            f" `curl -sS -X POST '{AT}/_cluster/reroute?retry_failed=true'`",
        ),
        (
            Red(
                refused("filter", "node does not match"),
                {"index.routing.allocation.require._name": "a", "index.codec": "default"},
            ),
            "no node may hold it, since node does not match",
            f"run `curl -sS -X PUT {AT}/edgar-usage.all.v1/_settings"
            " -H 'Content-Type: application/json'"
            """ -d '{"index.routing.allocation.require._name":null}'`""",
        ),
        (
            Red(refused("enable", "no allocations are allowed"), {}),
            "no node may hold it, since no allocations are allowed",
            "remove `cluster.routing.allocation.*` from the cluster's settings: see"
            f" `curl -sS -X GET '{AT}/_cluster/settings?flat_settings=true'`",
        ),
    ],
)
async def test_red_index_is_named_with_its_reason_and_remedy(
    cluster: Red, text: str, remedy: str
) -> None:
    (found,) = await look_at_copies(cast(Engine, cluster), "edgar-", cluster.settings, CURL)
    line = f"wrong   red: edgar-usage.all.v1: {text}; {remedy}"
    assert found.line == line


async def test_shards_that_a_full_disk_keeps_away_are_not_said_beside_it() -> None:
    cluster = Red(refused("disk_threshold", "the node is above the high watermark"), {})
    found = await look_at_copies(
        cast(Engine, cluster), "edgar-", cluster.settings, CURL, disk_full=True
    )
    assert found == []
