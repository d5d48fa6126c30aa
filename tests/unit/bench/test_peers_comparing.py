"""Peers are compared before they are timed, and only what is right is timed."""

import pytest

from bench.peers.comparing import compare, verdict
from bench.peers.measuring import compared_all, timed_all, with_medians
from bench.peers.questions import Question
from bench.peers.results import PERCENTS, RIGHT, UNABLE, cuts
from tests.unit.bench.stub import StubPeer

A, B = Question("a"), Question("b")


@pytest.mark.parametrize(
    "found, said",
    [
        ({"1", "2"}, RIGHT),
        ({"1"}, "1 missing, 0 extra"),
        ({"1", "2", "3"}, "0 missing, 1 extra"),
        ({"3", "4"}, "2 missing, 2 extra"),
    ],
)
def test_verdict_counts_both_ways(found: set[str], said: str) -> None:
    assert verdict({"1", "2"}, found) == said


def test_as_many_other_hits_are_not_right() -> None:
    answers = compare(StubPeer("p", {"a": {"1", "3"}}), "ten", [A], [{"1", "2"}])
    assert answers.answers[0].verdict == "1 missing, 1 extra"


def test_a_total_that_is_not_that_of_the_hits_is_not_right() -> None:
    answers = compare(StubPeer("p", {"a": {"1", "2"}}, total=3), "ten", [A], [{"1", "2"}])
    assert answers.answers[0].verdict == "a total of 3 for 2 hits"


def test_only_totals_are_compared_of_later_questions() -> None:
    ours = StubPeer("ours", {"a": {"1"}, "b": {"2", "3"}})
    other = StubPeer("other", {"a": {"1"}, "b": {"4"}})
    totals, (_, of_other) = compared_all([ours, other], {"ten": [A, B]}, compared=1)
    assert totals == {"ten": [1, 2]}
    assert [each.verdict for each in of_other.answers] == [RIGHT, "a total of 1 for 2 hits"]
    as_many = StubPeer("other", {"a": {"1"}, "b": {"4", "5"}})
    _, (_, of_other) = compared_all([ours, as_many], {"ten": [A, B]}, compared=1)
    assert [each.verdict for each in of_other.answers] == [RIGHT, RIGHT]


def test_what_cannot_be_asked_is_said() -> None:
    answers = compare(StubPeer("p", {"a": None}), "ten", [A], [{"1"}])
    assert answers.answers[0].verdict == UNABLE


def test_snippets_with_marks_are_counted() -> None:
    (answer,) = compare(StubPeer("p", {"a": {"1", "2"}}), "ten", [A], [{"1", "2"}]).answers
    assert (answer.marked, answer.shown) == (2, 2)


def test_only_right_answers_are_timed() -> None:
    ours = StubPeer("ours", {"a": {"1"}, "b": {"2"}})
    other = StubPeer("other", {"a": {"1"}, "b": {"3"}})
    groups = {name: [A, B] for name in ("ten", "filters", "forms", "generated")}
    totals, answers = compared_all([ours, other], groups)
    assert totals["ten"] == [1, 1]
    other.asked.clear()
    taken = timed_all([ours, other], groups, answers, rounds=1)
    assert set(other.asked) == {"a"}
    assert set(taken["other", "ten", 1].times) == {0}
    # In each round once by one client, and four times by sixteen.
    assert len(taken["other", "ten", 1].times[0]) == 1
    assert len(taken["other", "ten", 16].times[0]) == 4
    of_other = [median for median in with_medians(answers, taken) if median.peer == "other"]
    assert [answer.median is not None for answer in of_other[0].answers] == [True, False]


def test_cuts_are_times_that_were_seen() -> None:
    found = dict(zip(PERCENTS, cuts([number / 1_000 for number in range(1, 101)]), strict=True))
    assert (found[0], found[50], found[99], found[100]) == (1, 51, 100, 100)


def test_cuts_of_one_time() -> None:
    assert cuts([0.002]) == [2.0] * len(PERCENTS)
