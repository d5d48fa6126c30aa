"""docs/performance.md and its plots, out of what runs have kept: `python -m bench.peers.page`.

No figure of the page is typed by hand: a test holds the page against bench/results/peers.json.
"""

import argparse
from pathlib import Path

import msgspec

from bench.corpus import CHECKOUT
from bench.markdown import wrap
from bench.peers.page_tables import (
    growth_table,
    latency_table,
    load_table,
    page_shares_table,
    ratio_table,
    stage_table,
    verdict_table,
)
from bench.peers.results import RESULTS, Run, Size, read
from bench.peers.table import group_table
from bench.profile import RESULTS as STAGES
from bench.profile import Stages

PAGE = CHECKOUT / "docs" / "performance.md"
PLOTS = CHECKOUT / "docs" / "performance"
_BEGINNING = """# Speed, compared with alternatives

`python -m bench.peers` measures, and `make bench-docs` makes this page from its results
(`bench/results/peers.json`): all figures are generated. Compare ratios within one run on one
machine, not single times: other work on the machine makes all of them longer.
"""
_ASKED = """Every peer indexes the same texts, which our parser makes from the same submissions, and
returns the best 20 hits, their exact total and a snippet of each. The libraries run inside
the measuring process, without a network. The others answer over HTTP, this service with the whole
work of a call: the key, quotas, the record of the call. The tokenization is the same
for all: a library with other rules got ours. **Hits are compared
before anything is timed**, all of them and not only the first 20, with those of this service,
which `tests/acceptance/test_oracle.py` compares with an oracle. A query for which a peer
returns other hits counts as wrong, and is not timed. Peers take turns in rounds, each
round begins with another peer, and times are measured at the client. Further copies of the corpus
have other accession numbers and the same texts: the best hits are then copies of a few documents,
and if these are short, peers that search whole texts for marks have less work than at 1x.

The queries are ten fixed ones, the same with filters (form type and dates), the same with forms of
words (for the other peers as alternatives), and queries generated from the texts: words, AND, OR,
phrases and prefixes, many of them rare."""


def main() -> None:
    """Write the page; plots where matplotlib is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    run = read(options.results)
    assert run is not None, f"{options.results} is not there: `python -m bench.peers` writes it"
    assert run.compared is None, "the page says that all hits were compared"
    PAGE.write_text(page(run, read_stages()))
    # Only who draws needs the library.
    from bench.peers.plots import draw

    draw(run, options.results.read_bytes(), PLOTS)


def read_stages() -> Stages:
    """Return the stages that `python -m bench.profile` has kept."""
    return msgspec.json.decode(STAGES.read_bytes(), type=Stages)


def page(run: Run, stages: Stages) -> str:
    """Return the whole page."""
    largest = run.sizes[-1]
    parts = [
        _BEGINNING.strip(),
        "## Measurements",
        _ASKED,
        _machine(run),
        "## Summary",
        ratio_table(run),
        "Each ratio is a geometric mean over single queries; if it is below 1, this service"
        " is faster. The fastest library is chosen for each query. If a ratio of searches"
        " a second is above 1, this service answers more.",
        _plot("ratios", "The ratio of each query to the fastest library and to the default index"),
        *[part for size in run.sizes for part in _of_size(run, size)],
        "## Right and wrong",
        verdict_table(largest),
        "## Times and CPU",
        f"With {largest.copies} {_copies(largest)} of the corpus; `CPU` is the time of one search"
        " in all processes together, including the client.",
        latency_table(largest),
        _plot("latency", "The share of searches that were answered within a given time"),
        *_growth(run),
        "## The parts of a page's time",
        page_shares_table(run),
        _plot("page", "The parts of a page's time"),
        "## Loading",
        load_table(run),
        _plot("load", "CPU seconds of a load by process"),
        "The table shows the CPU time of one parsing worker, by `python -m bench.profile`, for"
        f" {stages.bytes / 1e6:.0f} MB of submissions, {stages.characters / 1e6:.0f} million"
        f" characters of text. Without the rest of a load, parsing ran at {stages.rate:.0f} MB a"
        " second.",
        stage_table(stages),
    ]
    return wrap("\n\n".join([*parts, *_omissions(run)]))


def _machine(run: Run) -> str:
    about = ", ".join(f"{name} {value}" for name, value in run.machine.items())
    busy = ", ".join(f"{size.busy:.1f}" for size in run.sizes)
    return (
        f"The machine has {about}. The load averages at the beginning of the timings were {busy};"
        " if one is above the number of processors, other programs ran too. One copy is"
        f" {run.corpus_documents:,} documents."
    )


def _of_size(run: Run, size: Size) -> list[str]:
    title = f"## The ten queries, {size.copies} {_copies(size)}"
    about = (
        f"{size.documents:,} documents, {size.characters / 1e6:.1f} million characters; median in"
        f" milliseconds, one client, {size.rounds} rounds."
    )
    return [title, about, group_table(run, size, "ten")]


def _growth(run: Run) -> list[str]:
    if len(run.sizes) < 2:
        return []
    return [
        "## Growth",
        "The time of each peer with more copies relative to one copy, as a geometric mean and at"
        " worst. Proximity is computed for each document that matches, for up to"
        " `EDGAR_SEARCH_CLOSE_MATCHES` of them.",
        growth_table(run),
        _plot("growth", "The geometric mean of the ten queries by the number of documents"),
    ]


def _omissions(run: Run) -> list[str]:
    if not run.left_out:
        return []
    lines = [f"- {name}: {why}" for name, why in run.left_out.items()]
    return ["## Left out", "\n".join(lines)]


def _copies(size: Size) -> str:
    return "copy" if size.copies == 1 else "copies"


def _plot(name: str, what: str) -> str:
    return f"![{what}](performance/{name}.svg)"


if __name__ == "__main__":
    main()
