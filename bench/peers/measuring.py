"""One size of the corpus: loaded into every peer, compared, then timed in turns."""

import os
import time
from collections.abc import Sequence

from bench.peers.comparing import compare, expected_hits, number_of
from bench.peers.peer import Batch, Peer
from bench.peers.questions import Question
from bench.peers.results import RIGHT, Answers, Load
from bench.peers.timing import MANY, Samples, cpu_of

# In every round, and in every third: what takes longer.
ALWAYS = (("ten", 1, 1), ("filters", 1, 1), ("forms", 1, 1))
EVERY_THIRD = (("generated", 1, 1), ("ten", MANY, 4), ("generated", MANY, 1))
_THIRD = 3
Groups = dict[str, list[Question]]
Taken = dict[tuple[str, str, int], Samples]


def say(text: str) -> None:
    """Print how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def loaded_into(peer: Peer, batch: Batch) -> Load:
    """Add a batch to a peer."""
    before, began = cpu_of(peer.processes), time.perf_counter()
    peer.build(batch)
    seconds = time.perf_counter() - began
    after = cpu_of(peer.processes)
    cpu = {name: round(after[name] - before[name], 2) for name in after}
    own = getattr(peer, "load_cpu", {})
    if own:
        del cpu["client"]  # it only looks on
    cpu = {name: taken for name, taken in {**cpu, **own}.items() if taken}
    load = Load(peer.name, batch.documents, batch.characters, round(seconds, 2), cpu, peer.size())
    say(f"{peer.name}: loaded in {seconds:.1f} s, {load.size / 1e6:.0f} MB")
    return load


def compared_all(
    peers: Sequence[Peer], groups: Groups, compared: int | None = None
) -> tuple[dict[str, list[int]], list[Answers]]:
    """Return the number of hits of each question by the first peer, and the answers of all.

    All hits are compared of the first `compared` questions of a group (all: None), then totals.
    """
    totals, answers = {}, []
    for group, questions in groups.items():
        expected = expected_hits(peers[0], questions, compared)
        totals[group] = list(map(number_of, expected))
        for peer in peers:
            found = compare(peer, group, questions, expected)
            wrong = [answer.verdict for answer in found.answers if answer.verdict != RIGHT]
            say(f"{group}: {peer.name}: {len(questions) - len(wrong)} right {wrong[:4] or ''}")
            answers.append(found)
    return totals, answers


def timed_all(peers: Sequence[Peer], groups: Groups, answers: list[Answers], rounds: int) -> Taken:
    """Ask in rounds what a peer answers rightly; in each round another peer begins."""
    right = {(each.peer, each.group): each for each in answers}
    taken: Taken = {}
    for number in range(rounds):
        order = [*peers[number % len(peers) :], *peers[: number % len(peers)]]
        for group, clients, times in ALWAYS + (EVERY_THIRD if number % _THIRD == 0 else ()):
            for peer in order:
                numbered = [
                    (at, question)
                    for at, (question, answer) in enumerate(
                        zip(groups[group], right[peer.name, group].answers, strict=True)
                    )
                    if answer.verdict == RIGHT
                ]
                if numbered:
                    samples = taken.setdefault((peer.name, group, clients), Samples())
                    samples.add(peer, numbered * times, clients)
        say(f"round {number + 1} of {rounds}, load {os.getloadavg()[0]:.1f}")
    return taken


def with_medians(answers: list[Answers], taken: Taken) -> list[Answers]:
    """Put the median of one client beside each answer that was timed."""
    for answer in answers:
        samples = taken.get((answer.peer, answer.group, 1))
        for number, median in (samples.medians() if samples else {}).items():
            answer.answers[number].median = median
    return answers
