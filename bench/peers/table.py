"""The table of peers in Markdown, as `make bench` prints it and docs/performance.md has it."""

from bench.markdown import table
from bench.peers.ratios import (
    DEFAULT,
    OURS,
    against,
    against_libraries,
    answers,
    peers_of,
    verdicts,
)
from bench.peers.results import RIGHT, UNABLE, Answer, Run, Size


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


def ratio_words(size: Size, group: str) -> str:
    """Return the two ratios of a group in words."""
    said = []
    for name, found in (
        ("the fastest library in the process", against_libraries(size, group)),
        ("the default index", against(size, group, DEFAULT)),
    ):
        if found:
            said.append(f"{found.mean:.2f}x of {name} ({found.questions} questions)")
    return f"{OURS}, {group}: " + ", ".join(said)


def as_text(run: Run) -> str:
    """Return the text of a run for a terminal."""
    lines = []
    for size in run.sizes:
        lines += [f"{size.copies} copies, {size.documents:,} documents", ""]
        lines += [group_table(run, size, "ten"), ""]
        lines += [ratio_words(size, group) for group in run.groups]
        for peer in peers_of(size):
            right, wrong, unable = verdicts(size, peer)
            lines.append(f"{peer}: {right} right, {wrong} wrong, {unable} it cannot be asked")
        lines.append("")
    lines += [f"{name} is left out: {why}" for name, why in run.left_out.items()]
    return "\n".join(lines)
