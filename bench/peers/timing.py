"""Searches timed: rounds in which every peer has its turn, by one client or by many."""

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil

from bench.peers.peer import Peer
from bench.peers.questions import Question
from bench.peers.results import Timing, cuts

MANY = 16


class Samples:
    """Measurements of one peer, group and number of clients."""

    def __init__(self) -> None:
        # Of each question by its number, in seconds.
        self.times: dict[int, list[float]] = defaultdict(list)
        self.cpu: dict[str, float] = defaultdict(float)
        self.seconds = 0.0
        self.refused = 0

    def add(self, peer: Peer, numbered: Sequence[tuple[int, Question]], clients: int) -> None:
        """Ask each of these questions once, by so many threads that have a connection already."""
        waiting = _Shared(iter(numbered))
        ready = threading.Barrier(clients + 1)
        with ThreadPoolExecutor(clients) as pool:
            futures = [
                pool.submit(_client, peer, numbered[0][1], waiting, ready) for _ in range(clients)
            ]
            ready.wait()  # all have warmed up
            refused = getattr(peer, "refused", 0)
            before, began = cpu_of(peer.processes), time.perf_counter()
            ready.wait()
            answered = [each for future in futures for each in future.result()]
        self.seconds += time.perf_counter() - began
        self.refused += getattr(peer, "refused", 0) - refused
        for number, seconds in answered:
            self.times[number].append(seconds)
        for name, taken in cpu_of(peer.processes).items():
            self.cpu[name] += taken - before[name]

    def timing(self, peer: str, group: str, clients: int) -> Timing:
        """Return the sum of it."""
        times = [each for some in self.times.values() for each in some]
        cpu = {name: round(taken / len(times) * 1_000, 3) for name, taken in self.cpu.items()}
        rate = round(len(times) / self.seconds, 2)
        return Timing(peer, group, clients, len(times), cuts(times), rate, cpu, self.refused)

    def medians(self) -> dict[int, float]:
        """Return the median of each question, in milliseconds."""
        return {
            number: round(statistics.median(times) * 1_000, 3)
            for number, times in self.times.items()
        }


def cpu_of(processes: Mapping[str, psutil.Process]) -> dict[str, float]:
    """CPU seconds that each process has taken so far."""
    taken = {name: process.cpu_times() for name, process in processes.items()}
    return {name: times.user + times.system for name, times in taken.items()}


def _client(
    peer: Peer, first: Question, waiting: "_Shared", ready: threading.Barrier
) -> list[tuple[int, float]]:
    try:
        peer.search(first)
    except BaseException:
        ready.abort()
        raise
    ready.wait()
    ready.wait()
    times = []
    while (following := waiting.next()) is not None:
        number, question = following
        times.append((number, _time(peer, question)))
    return times


def _time(peer: Peer, question: Question) -> float:
    began = time.perf_counter()
    peer.search(question)
    return time.perf_counter() - began


class _Shared:
    """Questions that several threads take from."""

    def __init__(self, questions: Iterator[tuple[int, Question]]) -> None:
        self._questions = questions
        self._lock = threading.Lock()

    def next(self) -> tuple[int, Question] | None:
        with self._lock:
            return next(self._questions, None)
