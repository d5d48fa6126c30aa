"""CPU time of the threads of an Elasticsearch on this machine, by their work."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from edgar_search.engine.engine import Engine

# The first that is found in a thread's name says what it does; the rest is small.
_WORK = (
    ("compiling", re.compile(r"C[12] CompilerThread")),
    ("garbage collection", re.compile(r"^(?:GC Thread|G1 |VM )")),
    ("writes", re.compile(r"\[write\]")),
    ("refreshes", re.compile(r"\[refresh\]")),
    ("flushes", re.compile(r"\[flush\]")),
    ("merges", re.compile(r"\[merge\]|Lucene Merge")),
    ("HTTP", re.compile(r"\[transport_worker\]")),
)
_REST = "other threads"
_THREAD = re.compile(r'^"(.*?)" .*?\bcpu=([\d.]+)ms', re.MULTILINE)
_SECONDS = 30.0


async def engine_threads(engine: Engine) -> dict[str, float] | None:
    """CPU seconds by work since the engine was started; None where they cannot be had.

    That takes one node on this machine, which runs on a full JDK and belongs to this account.
    """
    nodes = (await engine.administer("GET", "/_nodes/process"))["nodes"].values()
    pids = [int(node["process"]["id"]) for node in nodes]
    dump = _dump(pids[0]) if len(pids) == 1 else None
    return by_work(dump) if dump else None


def by_work(dump: str) -> dict[str, float]:
    """CPU seconds by work, of what `jcmd PID Thread.print` prints."""
    seconds: dict[str, float] = defaultdict(float)
    for name, milliseconds in _THREAD.findall(dump):
        work = next((work for work, pattern in _WORK if pattern.search(name)), _REST)
        seconds[work] += float(milliseconds) / 1000
    return seconds


def between(
    before: Mapping[str, float], after: Mapping[str, float], taken: float
) -> list[tuple[str, float]]:
    """CPU seconds by work from one dump to another, most first; `taken` is what the process took.

    What is left of it was of threads that have ended.
    """
    spent = {work: after[work] - before.get(work, 0.0) for work in after}
    spent["threads that ended"] = taken - sum(spent.values())
    shown = [(work, seconds) for work, seconds in spent.items() if seconds >= 0.05]
    return sorted(shown, key=lambda each: -each[1])


def _dump(pid: int) -> str | None:
    try:
        # A runtime that is no full JDK has none.
        jcmd = Path(f"/proc/{pid}/exe").resolve(strict=True).parent / "jcmd"
        command = [str(jcmd), str(pid), "Thread.print"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
