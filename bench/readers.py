"""Costs of the readers of statements and of owners in a load: CPU, memory and bytes sent.

    python -m bench.readers [--corpus FOLDER] [--rounds 5]

Each run is a process that prepares all submissions as one worker of a load does, without
Elasticsearch, with all readers or without one. Runs take turns, so that other work on the machine
meets all alike.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from unittest.mock import patch

import msgspec
from msgspec import Struct

from bench.corpus import CORPUS
from ingest.reading import documents, prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.sources.paths import Sources

ALL = "all readers"
# Functions of readers, with what they return if a submission has nothing for them.
WITHOUT: dict[str, dict[str, object]] = {
    ALL: {},
    "no statements and facts": {"financial_documents": ()},
    "no rows of owners": {"manager_report": None, "ownership_rows": None, "unread_form": None},
}


class Run(Struct):
    """CPU seconds, the highest resident memory and the bytes of all operations of a run."""

    seconds: float
    memory: int
    sent: int


def _find(found: object, *_: object) -> object:
    return found


def run(corpus: Path, name: str) -> Run:
    """Prepare the submissions of a folder."""
    sent = 0
    with ExitStack() as without:
        for function, found in WITHOUT[name].items():
            module = documents if hasattr(documents, function) else prepare
            without.enter_context(patch.object(module, function, partial(_find, found)))
        began = time.process_time()
        for source in Sources([corpus]):
            outcome = prepare.prepare(Task(source, [], "bench-", "none", 20_000_000, None))
            assert isinstance(outcome, PreparedSubmission), outcome
            sent += outcome.bytes
        seconds = time.process_time() - began
    return Run(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, sent)


def main() -> None:
    """Measure in turn and print the table; with `--only` one run, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=list(WITHOUT))
    options = parser.parse_args()
    if options.only:
        print(msgspec.json.encode(run(options.corpus, options.only)).decode())
        return
    runs: dict[str, list[Run]] = defaultdict(list)
    command = [sys.executable, "-m", "bench.readers", "--corpus", str(options.corpus), "--only"]
    for _ in range(options.rounds):
        for name in WITHOUT:
            ended = subprocess.run([*command, name], capture_output=True, check=True)
            runs[name].append(msgspec.json.decode(ended.stdout, type=Run))
    whole = statistics.median(each.seconds for each in runs[ALL])
    for name, made in runs.items():
        seconds = statistics.median(each.seconds for each in made)
        memory = statistics.median(each.memory for each in made)
        print(
            f"{name}: {seconds:.2f} CPU s ({seconds / whole:.2f}x), {memory / 1e6:.0f} MB of"
            f" memory, {made[0].sent / 1e6:.1f} MB of operations"
        )


if __name__ == "__main__":
    main()
