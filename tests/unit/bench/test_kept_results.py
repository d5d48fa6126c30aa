"""Tables in docs/performance.md, docs/sizing.md and docs/clients.md are made of kept results."""

import hashlib
import re

import msgspec
import pytest

from bench import holdings, mirror, sizing, sizing_page
from bench.peers.page import PAGE, page, read_stages
from bench.peers.results import RESULTS, RIGHT, Run, read


@pytest.fixture(scope="module")
def kept() -> Run:
    kept = read(RESULTS)
    assert kept is not None
    return kept


def test_the_page_of_performance_is_made_of_the_kept_results(kept: Run) -> None:
    assert PAGE.read_text() == page(kept, read_stages()), "`make bench-docs` writes it"


def test_the_plots_were_drawn_of_the_kept_results(kept: Run) -> None:
    shown = re.findall(r"\]\((performance/\w+\.svg)\)", page(kept, read_stages()))
    assert len(shown) >= 4
    wanted = hashlib.sha256(RESULTS.read_bytes()).hexdigest()
    drawn = {name: (PAGE.parent / name).read_text() for name in shown}
    assert [name for name, text in drawn.items() if wanted not in text] == []


def test_nothing_is_right_that_was_not_compared(kept: Run) -> None:
    for size in kept.sizes:
        for each in size.answers:
            timed = [answer.verdict for answer in each.answers if answer.median is not None]
            assert set(timed) <= {RIGHT}


def test_the_page_of_sizing_is_made_of_the_kept_results() -> None:
    kept = msgspec.json.decode(sizing.RESULTS.read_bytes(), type=sizing.Sizing)
    rows = msgspec.json.decode(holdings.RESULTS.read_bytes(), type=holdings.Results)
    assert sizing_page.PAGE.read_text() == sizing_page.page(kept, rows), (
        "`make bench-docs` writes it"
    )


def test_the_costs_of_edgars_paths_are_the_kept_ones() -> None:
    run = msgspec.json.decode(mirror.RESULTS.read_bytes(), type=mirror.Results)
    shown = (PAGE.parent / "clients.md").read_text()
    assert mirror.page(run) in shown, "`python -m bench.mirror` prints the table"
