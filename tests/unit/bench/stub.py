"""A peer that says what it was given, and sizes made of few figures."""

from collections.abc import Mapping

import psutil

from bench.peers.peer import Batch, Found
from bench.peers.questions import Question, Unable
from bench.peers.results import Answer, Answers, Size


class StubPeer:
    """Hits by query; None is what it cannot be asked."""

    served = False

    def __init__(
        self, name: str, hits: Mapping[str, set[str] | None], total: int | None = None
    ) -> None:
        self.name = name
        self.processes: Mapping[str, psutil.Process] = {"library": psutil.Process()}
        self.asked: list[str] = []
        self._hits = hits
        self._total = total

    def build(self, batch: Batch) -> None:
        """Nothing to do."""

    def search(self, question: Question) -> Found:
        self.asked.append(question.query)
        hits = sorted(self.matches(question))
        total = len(hits) if self._total is None else self._total
        return Found(hits, total, ["a <mark>b</mark>" for _ in hits])

    def matches(self, question: Question) -> set[str]:
        hits = self._hits[question.query]
        if hits is None:
            raise Unable
        return hits

    def size(self) -> int:
        return 0


def size_of(medians: Mapping[str, list[Answer]], copies: int = 1, group: str = "ten") -> Size:
    """Return a size with these answers by peer, and nothing else."""
    answers = [Answers(peer, group, each) for peer, each in medians.items()]
    return Size(copies, 30, 1_000, 1, 0.5, [], {}, answers, [], {})
