"""Comparison of peers' hits, before anything is timed."""

from collections.abc import Sequence

from bench.peers.peer import Peer
from bench.peers.questions import Question, Unable
from bench.peers.results import RIGHT, UNABLE, Answer, Answers


def verdict(expected: set[str], found: set[str]) -> str:
    """Return the verdict on a set of hits beside the expected one."""
    missing, extra = len(expected - found), len(found - expected)
    return RIGHT if not missing and not extra else f"{missing} missing, {extra} extra"


# All hits of a question, or only their number.
Expected = set[str] | int


def expected_hits(
    reference: Peer, questions: Sequence[Question], compared: int | None = None
) -> list[Expected]:
    """Return what each peer must find: all hits of the first `compared` questions (all: None).

    For the others only the number of hits, which are many in a large corpus.
    """
    return [
        reference.matches(question)
        if compared is None or number < compared
        else reference.search(question).total
        for number, question in enumerate(questions)
    ]


def number_of(expected: Expected) -> int:
    """Return the number of hits."""
    return expected if isinstance(expected, int) else len(expected)


def compare(
    peer: Peer, group: str, questions: Sequence[Question], expected: Sequence[Expected]
) -> Answers:
    """Return a peer's answer to each question of a group; its page must agree with its own hits."""
    pairs = zip(questions, expected, strict=True)
    return Answers(peer.name, group, [_answer(peer, question, hits) for question, hits in pairs])


def _answer(peer: Peer, question: Question, expected: Expected) -> Answer:
    try:
        if isinstance(expected, int):
            number, page, said = expected, peer.search(question), RIGHT
            fits = page.total == number
        else:
            matches, page = peer.matches(question), peer.search(question)
            number, said = len(matches), verdict(expected, matches)
            fits = page.total == number and matches.issuperset(page.ids)
    except Unable:
        return Answer(UNABLE)
    if said == RIGHT and not fits:
        said = f"a total of {page.total} for {number} hits"
    return Answer(said, shown=len(page.ids), marked=page.marked)
