"""Queries of several people over the real corpus, with documents judged by reading.

A judgement says how far a document answers the need, whether or not it has the query's words:
3 it answers it, by its subject or by a passage of its own; 2 it has part of the answer, or facts of
it in passing; 1 it touches the subject, as a policy or a definition does; 0 it does not.

Judged were the first hits of the query as it is, with a window of proximity, with forms of its
words, with one operand left out and as a phrase, and of other words for the same need.
"""

from math import log2
from pathlib import Path

import msgspec
from msgspec import Struct

JUDGED = Path(__file__).parent / "judged_queries.json"
QUESTIONS = Path(__file__).parent / "judged_questions.json"
# How far the first hits are looked at.
FIRST, DEEP = 10, 20
# A document with at least this judgement is one that has to be found.
RELEVANT = 2


class JudgedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A need of a kind of person, and the query with its parameters that they would try.

    `judgements` and `reasons`, for those that are not obvious, are by document id. A question says
    its need itself. What is held out is not looked at while the service is tuned.
    """

    id: str
    person: str
    query: str
    judgements: dict[str, int]
    need: str = ""
    parameters: dict[str, str] = {}
    reasons: dict[str, str] = {}
    held_out: bool = False

    @property
    def relevant(self) -> set[str]:
        """The documents that have to be found."""
        return {key for key, judged in self.judgements.items() if judged >= RELEVANT}


class Figures(Struct, frozen=True):
    """The quality of a query's hits for its need: 1 is best, except for `zero` and `unjudged`.

    `recall` is of as many relevant documents as could be there. `unjudged` counts those of the
    first hits that nobody has judged; they count as 0.
    """

    ndcg: float
    recall: float
    zero: bool
    unjudged: int


def judged_queries(path: Path = JUDGED) -> list[JudgedQuery]:
    """Return all of them, or the questions."""
    return msgspec.json.decode(path.read_bytes(), type=list[JudgedQuery])


def figures(query: JudgedQuery, found: list[str]) -> Figures:
    """Return the figures of the ids of documents found, the best first."""
    judged = query.judgements
    best = _gain(sorted(judged.values(), reverse=True))
    return Figures(
        ndcg=_gain([judged.get(key, 0) for key in found]) / best,
        recall=len(query.relevant & {*found[:DEEP]}) / min(DEEP, len(query.relevant)),
        zero=not found,
        unjudged=sum(key not in judged for key in found[:FIRST]),
    )


def _gain(judgements: list[int]) -> float:
    """Return the discounted gain of the first of them."""
    return sum((2.0**each - 1) / log2(place + 2) for place, each in enumerate(judgements[:FIRST]))
