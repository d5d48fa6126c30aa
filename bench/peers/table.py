"""The tables of a run in Markdown, as `python -m bench.peers` prints them.

`python -m bench.peers.table FILE` prints the tables of a run that was kept.
"""

import argparse
from pathlib import Path

from bench.markdown import table
from bench.peers.page_tables import latency_table, load_table, ratio_table
from bench.peers.ratios import answers, peers_of, verdicts
from bench.peers.results import RIGHT, UNABLE, Answer, Run, Size, read


def group_table(run: Run, size: Size, group: str) -> str:
    """Return the medians of one client for each question of a group, in milliseconds."""
    peers = peers_of(size)
    columns = [answers(size, peer, group) for peer in peers]
    rows = [
        [_code(query), f"{total:,}", *(_cell(answer) for answer in row)]
        for query, total, row in zip(
            run.groups[group], size.totals[group], zip(*columns, strict=True), strict=True
        )
    ]
    return table(["query", "hits", *peers], rows)


def _code(query: str) -> str:
    return "`" + query.replace("|", "\\|") + "`"


def _cell(answer: Answer) -> str:
    if answer.verdict == UNABLE:
        return "cannot"
    if answer.verdict != RIGHT:
        return f"wrong: {answer.verdict}"
    return "" if answer.median is None else f"{answer.median:.1f}"


def as_text(run: Run) -> str:
    """Return the text of a run for a terminal."""
    lines = []
    for size in run.sizes:
        lines += [f"{size.copies} copies, {size.documents:,} documents", ""]
        lines += [group_table(run, size, "ten"), "", latency_table(size), ""]
        for peer in peers_of(size):
            right, wrong, unable = verdicts(size, peer)
            lines.append(f"{peer}: {right} right, {wrong} wrong, {unable} it cannot be asked")
        lines.append("")
    lines += [ratio_table(run), "", load_table(run), ""]
    lines += [f"{name} is left out: {why}" for name, why in run.left_out.items()]
    return "\n".join(lines)


def main() -> None:
    """Print the tables of a kept run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file
    run = read(file)
    assert run is not None, f"{file} is not there"
    print(as_text(run))


if __name__ == "__main__":
    main()
