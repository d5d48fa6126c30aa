"""The page of performance has the right ratios, and says what was wrong."""

import re

from bench.peers.page import page
from bench.peers.page_tables import GROUPS
from bench.peers.ratios import DEFAULT, OURS
from bench.peers.results import PERCENTS, RIGHT, Answer, Answers, Load, Run, Size, Timing
from bench.peers.table import as_text
from bench.profile import Stages

STAGES = Stages(200_000_000, 40_000_000, {"header": 1.0, "NDJSON": 3.0}, 2.0)
QUERIES = ["company", '"fair value"']
FIXED: dict[str, list[float | None]] = {
    OURS: [2.0, 4.0],
    "tantivy 1": [4.0, None],
    DEFAULT: [20.0, 40.0],
}


def run(*copies: int) -> Run:
    """A run in which tantivy is wrong in the second question, and all take longer with more."""
    return Run(
        {"processors": "2"},
        {"Xapian": "it is not here"},
        30,
        1,
        dict.fromkeys(GROUPS, QUERIES),
        [size(count) for count in copies],
    )


def size(copies: int) -> Size:
    answers = [
        Answers(peer, group, [_answer(median, copies) for median in medians])
        for group in GROUPS
        for peer, medians in FIXED.items()
    ]
    timings = [
        Timing(peer, "ten", 1, 9, [float(copies)] * len(PERCENTS), 100.0, {"client": 1.5})
        for peer in FIXED
    ]
    return Size(
        copies,
        30 * copies,
        1_000_000 * copies,
        3,
        0.5,
        [Load(OURS, 30, 1_000_000, 2.0, {"loader": 1.0}, 500_000)],
        dict.fromkeys(GROUPS, [30, 7]),
        answers,
        timings,
        {"first request": 2.0},
    )


def _answer(median: float | None, copies: int) -> Answer:
    return Answer("1 missing, 0 extra") if median is None else Answer(RIGHT, median * copies)


def row(text: str, beginning: str) -> list[str]:
    """Return the cells of the first row of a table that begins so."""
    found = re.search(rf"^\| {re.escape(beginning)} \|.*$", text, re.M)
    assert found, f"no row {beginning!r} in\n{text}"
    return [cell.strip() for cell in found[0].strip("|").split("|")][1:]


def test_page_has_the_ratios_of_the_questions_that_are_right() -> None:
    text = page(run(1), STAGES)
    assert row(text, "the fastest library, the ten queries") == ["0.50x"]
    assert row(text, "the default index, the ten queries") == ["0.10x"]


def test_page_shows_a_wrong_peer_as_wrong() -> None:
    text = page(run(1), STAGES)
    assert row(text, '`"fair value"`') == ["7", "4.0", "wrong: 1 missing, 0 extra", "40.0"]
    assert row(text, "tantivy 1")[:3] == ["4", "4", "0"]


def test_stages_of_a_worker_are_shares_of_all() -> None:
    text = page(run(1), STAGES)
    assert "at 100 MB a second" in text
    assert row(text, "NDJSON") == ["3.00", "75%"]


def test_growth_needs_two_sizes() -> None:
    assert "## Growth" not in page(run(1), STAGES)
    _, _, grown = page(run(1, 4), STAGES).partition("## Growth")
    assert row(grown, OURS + " | the ten queries")[1:] == ["4.00x, at worst 4.00x"]


def test_a_peer_that_was_left_out_at_one_size_has_no_ratio() -> None:
    one = run(1)
    one.sizes[0].answers = [answer for answer in one.sizes[0].answers if answer.peer == OURS]
    assert row(page(one, STAGES), "the fastest library, the ten queries") == [""]


def test_what_is_left_out_is_said() -> None:
    assert "- Xapian: it is not here" in page(run(1), STAGES)
    assert "Xapian is left out: it is not here" in as_text(run(1))
