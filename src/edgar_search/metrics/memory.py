"""Resident memory of processes, as the system has it; Linux only, elsewhere nothing is known."""

import os
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int) -> float | None:
    """The memory that a process holds; None if there is no such process."""
    try:
        return float(Path("/proc", str(pid), "statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return None


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found: list[int] = []
    for file in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):  # A thread has just ended.
            found += map(int, file.read_text().split())
    return sorted(found)


def resident_by_name(root: str, pid: int, workers: list[int]) -> dict[str, float]:
    """The memory of a process and of its workers, numbered in the order of their ids."""
    named = {root: pid} | {f"worker-{n}": each for n, each in enumerate(sorted(workers), 1)}
    known = {name: resident_bytes(each) for name, each in named.items()}
    return {name: size for name, size in known.items() if size is not None}
