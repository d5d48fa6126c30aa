"""Results of a run, as bench/results/peers.json keeps them. Times are milliseconds."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

RESULTS = Path(__file__).parent.parent / "results" / "peers.json"
# What a group's times are cut at, in percent.
PERCENTS = (0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100)
RIGHT, UNABLE = "right", "unable"


class Answer(Struct, omit_defaults=True):
    """A peer's answer to one question: `right`, `unable`, or the number of hits that were wrong.

    `median` is of one client, where it was timed; `marked` of `shown` snippets had a mark.
    """

    verdict: str
    median: float | None = None
    shown: int = 0
    marked: int = 0


class Answers(Struct):
    """A peer's answers to a group of questions, in their order."""

    peer: str
    group: str
    answers: list[Answer]


class Timing(Struct):
    """All searches of a peer for a group by this many clients; what was not right is left out.

    `cuts` are the times at PERCENTS, `per_second` how many searches were answered, and `cpu` what
    one took of each process. `refused` is how often a client was told to wait, and did.
    """

    peer: str
    group: str
    clients: int
    searches: int
    cuts: list[float]
    per_second: float
    cpu: dict[str, float]
    refused: int = 0

    def at(self, percent: int) -> float:
        """Return the time at one of PERCENTS."""
        return self.cuts[PERCENTS.index(percent)]


class Load(Struct):
    """Adding texts to a peer: seconds, CPU seconds of each process, and bytes on disk after it."""

    peer: str
    documents: int
    characters: int
    seconds: float
    cpu: dict[str, float]
    size: int


class Size(Struct):
    """Measurements with this many copies of the corpus; `totals` are hits by group."""

    copies: int
    documents: int
    characters: int
    rounds: int
    busy: float
    loads: list[Load]
    totals: dict[str, list[int]]
    answers: list[Answers]
    timings: list[Timing]
    page: dict[str, float]


class Run(Struct, omit_defaults=True):
    """A run: on what, of what, and its sizes, of which each is kept as soon as it is measured.

    All hits were compared of the first `compared` questions of each group (all: None).
    """

    machine: dict[str, str]
    left_out: dict[str, str]
    corpus_documents: int
    seed: int
    groups: dict[str, list[str]]
    sizes: list[Size]
    compared: int | None = None

    def same_questions(self, other: "Run") -> bool:
        """Return True if sizes of the other run belong beside those of this one."""
        mine = (self.corpus_documents, self.seed, self.groups, self.compared)
        return mine == (other.corpus_documents, other.seed, other.groups, other.compared)


def read(path: Path) -> Run | None:
    """Return the results that a run left there, or None."""
    return msgspec.json.decode(path.read_bytes(), type=Run) if path.exists() else None


def write(path: Path, run: Run) -> None:
    """Keep a run, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    beside.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")
    beside.replace(path)


def cuts(times: Sequence[float]) -> list[float]:
    """Return seconds at PERCENTS, as milliseconds; each is one of the times, the nearest above."""
    ordered = sorted(times)
    last = len(ordered) - 1
    return [round(ordered[-(-last * percent // 100)] * 1_000, 3) for percent in PERCENTS]
