"""The runbook for restarting nodes, followed to the letter during searches: none of them fails."""

import asyncio
import os
import re
import subprocess
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.faults.test_nodes_killed import searching
from tests.support.cluster import Cluster, running_cluster
from tests.support.engines import CHECKOUT
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
ENTITY = MadeUpEntity("0009990131", "KNOT")
HEADING = "### Restarting nodes one after the other\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes."""
    with running_cluster() as cluster:
        yield cluster


def steps() -> list[str]:
    """Return the commands of the runbook, by step."""
    guide = (CHECKOUT / "docs" / "operations.md").read_text()
    section = guide.partition(HEADING)[2].partition("\n### ")[0]
    return [
        textwrap.dedent(block)
        for block in re.findall(r"^ +```\n(.*?)^ +```$", section, re.M | re.S)
    ]


async def run(commands: str, asked: str) -> None:
    """Run commands of the runbook in a shell; all of them are to succeed."""
    environment = {**os.environ, "ES": asked, "NODES": "3"}
    done = await asyncio.to_thread(
        subprocess.run,
        ["bash", "-e", "-c", commands],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_no_search_fails_while_the_runbook_is_followed(
    cluster: Cluster, tmp_path: Path
) -> None:
    settings = Settings(
        es_url=cluster.addresses,
        prefix="test-rolling-",
        home=tmp_path / "home",
        alerts=False,
        plans="busy=1000000/1000/50",
        default_plan="busy",
        drain=0.0,
        es_timeout=20.0,
    )
    named, before, restart, after = steps()
    assert named.startswith("export ES=") and restart == "systemctl restart elasticsearch\n"
    async with searching(settings) as searches:
        engine = Engine.from_settings(settings)
        filings = [
            MadeUp(f"0009990131-21-{n:06d}", (ENTITY,), (MadeUpDocument("Turnstone.\n"),))
            for n in range(30)
        ]
        loads = Loads(engine, settings, tmp_path)
        await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
        await engine.close()
        cluster.await_green(cluster.nodes[0])
        found: list[Counter[int]] = []
        for number, node in enumerate(cluster.nodes):
            asked = cluster.nodes[number - 1].url
            counted = Counter(searches.statuses)
            await run(before, asked)
            await asyncio.to_thread(cluster.stop, node)
            cluster.start(node)
            await run(after, asked)
            await asyncio.sleep(3.0)
            found.append(searches.statuses - counted)
        print(*found, f"slowest {searches.slowest:.2f} s")
    assert [set(each) for each in found] == [{200}] * 3
    assert all(each[200] > 40 for each in found)
    assert not searches.went_back
