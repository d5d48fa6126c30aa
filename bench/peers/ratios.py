"""Figures derived from a run: times of questions beside those of peers, and growth by size."""

import statistics
from collections.abc import Iterable
from typing import NamedTuple

from bench.peers.results import RIGHT, UNABLE, Answer, Size, Timing

# What peers are called.
OURS, NOT_CLOSE = "edgar-search", "edgar-search without closeness"
DEFAULT = "Elasticsearch, default index"
LIBRARIES = ("tantivy", "SQLite", "Xapian")


class Ratio(NamedTuple):
    """A geometric mean over this many of all questions."""

    mean: float
    worst: float
    questions: int


def peers_of(size: Size) -> list[str]:
    """Return the names of the peers that were asked, this service first."""
    return list(dict.fromkeys(answer.peer for answer in size.answers))


def answers(size: Size, peer: str, group: str) -> list[Answer]:
    """Return a peer's answers to a group.

    Of a peer that was left out, that it could not be asked.
    """
    found = {a.peer: a.answers for a in size.answers if a.group == group}
    return found.get(peer) or [Answer(UNABLE)] * max(map(len, found.values()))


def medians(size: Size, peer: str, group: str) -> list[float | None]:
    """Return milliseconds for each question, None where the peer was not right."""
    return [answer.median for answer in answers(size, peer, group)]


def fastest_library(size: Size, group: str) -> list[float | None]:
    """Return the same of the fastest library in this process that is right."""
    names = [peer for peer in peers_of(size) if peer.startswith(LIBRARIES)]
    rows = [medians(size, peer, group) for peer in (OURS, *names)]
    return [_least(theirs) for _, *theirs in zip(*rows, strict=True)]


def _least(column: Iterable[float | None]) -> float | None:
    return min((each for each in column if each is not None), default=None)


def ratio(ours: list[float | None], theirs: list[float | None]) -> Ratio | None:
    """Return ours by theirs, over the questions that both were timed for; None if there is none."""
    pairs = zip(ours, theirs, strict=True)
    found = [a / b for a, b in pairs if a is not None and b is not None]
    return Ratio(statistics.geometric_mean(found), max(found), len(found)) if found else None


def geometric_mean(times: list[float | None]) -> float | None:
    """The geometric mean of the numbers that are there."""
    found = [time for time in times if time is not None]
    return statistics.geometric_mean(found) if found else None


def against_libraries(size: Size, group: str, peer: str = OURS) -> Ratio | None:
    """Return this service by the fastest library, question by question."""
    return ratio(medians(size, peer, group), fastest_library(size, group))


def against(size: Size, group: str, other: str, peer: str = OURS) -> Ratio | None:
    """Return this service by one peer."""
    return ratio(medians(size, peer, group), medians(size, other, group))


def growth(small: Size, large: Size, group: str, peer: str) -> Ratio | None:
    """Return a peer with more copies by itself with fewer."""
    return ratio(medians(large, peer, group), medians(small, peer, group))


def timing(size: Size, peer: str, group: str, clients: int) -> Timing | None:
    """Return all searches of a peer for a group by this many clients, if it was timed."""
    asked = (peer, group, clients)
    found = [t for t in size.timings if (t.peer, t.group, t.clients) == asked]
    return found[0] if found else None


def verdicts(size: Size, peer: str) -> tuple[int, int, int]:
    """Return the numbers of questions that a peer answers rightly, wrongly, and not at all."""
    said = [a.verdict for answer in size.answers if answer.peer == peer for a in answer.answers]
    right, unable = said.count(RIGHT), said.count(UNABLE)
    return right, len(said) - right - unable, unable


def marked_share(size: Size, peer: str) -> float:
    """Return the share of hits whose snippet shows a match."""
    found = [a for answer in size.answers if answer.peer == peer for a in answer.answers]
    return sum(a.marked for a in found) / max(1, sum(a.shown for a in found))
