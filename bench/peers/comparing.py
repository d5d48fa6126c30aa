"""Comparison of peers' hits, before anything is timed."""

from collections.abc import Sequence

from bench.peers.peer import Peer
from bench.peers.questions import Question, Unable
from bench.peers.results import RIGHT, UNABLE, Answer, Answers


def verdict(expected: set[str], found: set[str]) -> str:
    """Return the verdict on a set of hits beside the expected one."""
    missing, extra = len(expected - found), len(found - expected)
    return RIGHT if not missing and not extra else f"{missing} missing, {extra} extra"


def expected_hits(reference: Peer, questions: Sequence[Question]) -> list[set[str]]:
    """Return the hits of each question that the peers are held against."""
    return [reference.matches(question) for question in questions]


def compare(
    peer: Peer, group: str, questions: Sequence[Question], expected: Sequence[set[str]]
) -> Answers:
    """Return a peer's answer to each question of a group; its page must agree with its own hits."""
    pairs = zip(questions, expected, strict=True)
    return Answers(peer.name, group, [_answer(peer, question, hits) for question, hits in pairs])


def _answer(peer: Peer, question: Question, expected: set[str]) -> Answer:
    try:
        matches, page = peer.matches(question), peer.search(question)
    except Unable:
        return Answer(UNABLE)
    said = verdict(expected, matches)
    if said == RIGHT and not (page.total == len(matches) and matches.issuperset(page.ids)):
        said = f"a total of {page.total} for {len(matches)} hits"
    return Answer(said, shown=len(page.ids), marked=page.marked)
