"""The comparison with peers runs from loading to the table, and continues where it broke off."""

from pathlib import Path

import msgspec
import pytest

from bench.peers.ratios import OURS, peers_of, timing, verdicts
from bench.peers.results import read
from bench.peers.running import Wanted, run_peers
from bench.peers.table import as_text
from edgar_search.settings import Settings
from tests.support.samples import SAMPLES

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.long]


async def test_peers_are_loaded_compared_and_timed(settings: Settings, tmp_path: Path) -> None:
    own = msgspec.structs.replace(settings, alerts=False, default_plan="unlimited")
    wanted = Wanted(SAMPLES, [1], 30, 5, 1, tmp_path / "peers.json")
    first, again = tmp_path / "first", tmp_path / "again"
    first.mkdir()
    run = await run_peers(own, wanted, first)
    assert read(wanted.out) == run
    (size,) = run.sizes
    assert size.copies == 1 and size.documents >= 30
    assert verdicts(size, OURS) == (35, 0, 0)
    for peer in peers_of(size):
        assert verdicts(size, peer)[1] == 0, peer
    measured = timing(size, OURS, "ten", 16)
    assert measured is not None and measured.searches == 40
    assert all(
        answer.median for each in size.answers if each.peer == OURS for answer in each.answers
    )
    assert "| `company` |" in as_text(run)
    again.mkdir()
    kept = await run_peers(own, wanted, again)
    assert kept.sizes == run.sizes
