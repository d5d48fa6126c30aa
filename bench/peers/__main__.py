"""Peers side by side: `python -m bench.peers --corpus DIR --copies 1 4 10`.

Each size is kept in --out as soon as it is measured; run again, it continues with those that are
missing. What is asked of whom, and how: bench/peers/questions.py, bench/peers/measuring.py.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

import msgspec

from bench.corpus import CORPUS
from bench.installation import engine_running
from bench.peers.questions import GENERATED
from bench.peers.results import RESULTS
from bench.peers.running import Wanted, run_peers
from bench.peers.table import as_text
from edgar_search.access.accounts import UNLIMITED

PREFIX = "bench-peers-"


def main() -> None:
    """Measure what is missing, and print."""
    wanted = _read_arguments()
    with engine_running(PREFIX) as settings, tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        own = msgspec.structs.replace(
            settings, home=Path(folder) / "home", alerts=False, default_plan=UNLIMITED.name
        )
        run = asyncio.run(run_peers(own, wanted, Path(folder)))
    print(as_text(run))


def _read_arguments() -> Wanted:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--copies", type=int, nargs="+", default=[1], choices=range(1, 11))
    parser.add_argument("--documents", type=int, help="about so many of the corpus, else all")
    parser.add_argument("--generated", type=int, default=GENERATED, help="queries out of the texts")
    parser.add_argument(
        "--compared", type=int, help="so many of a group by all hits, the others by their totals"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where results are kept")
    parser.add_argument("--fresh", action="store_true", help="forget what is kept there")
    return Wanted(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
