"""The tables of docs/performance.md, in Markdown."""

from collections.abc import Callable

from bench.markdown import table
from bench.peers.ratios import (
    DEFAULT,
    NOT_CLOSE,
    OURS,
    Ratio,
    against,
    against_libraries,
    growth,
    marked_share,
    peers_of,
    timing,
    verdicts,
)
from bench.peers.results import Load, Run, Size, Timing
from bench.profile import Stages

GROUPS = {
    "ten": "the ten queries",
    "filters": "with filters",
    "forms": "with forms of words",
    "generated": "generated queries",
}
MANY = 16


def ratio_table(run: Run) -> str:
    """This service by the fastest library and by the default index, for each group and size."""
    head = ["edgar-search relative to", *(f"{size.copies}x" for size in run.sizes)]
    sides: dict[str, Callable[[Size, str], Ratio | None]] = {
        "the fastest library": against_libraries,
        "the default index": lambda size, group: against(size, group, DEFAULT),
        "itself without proximity": lambda size, group: against(size, group, NOT_CLOSE),
    }
    rows = [
        [f"{side}, {words}", *(_ratio(found(size, group)) for size in run.sizes)]
        for side, found in sides.items()
        for group, words in GROUPS.items()
    ]
    rows += [
        [f"the {words}, {MANY} clients: searches a second", *cells]
        for words, cells in (
            ("fastest library", [_rate_by_libraries(size) for size in run.sizes]),
            ("default index", [_rate_by(size, DEFAULT) for size in run.sizes]),
        )
    ]
    return table(head, rows)


def _ratio(found: Ratio | None) -> str:
    return "" if found is None else f"{found.mean:.2f}x"


def _rate_by(size: Size, peer: str) -> str:
    ours, theirs = timing(size, OURS, "ten", MANY), timing(size, peer, "ten", MANY)
    return f"{ours.per_second / theirs.per_second:.2f}x" if ours and theirs else ""


def _rate_by_libraries(size: Size) -> str:
    # Elasticsearch's indices and what is served are no libraries.
    names = [
        peer
        for peer in peers_of(size)
        if (found := timing(size, peer, "ten", MANY)) and "library" in found.cpu
    ]
    rates = {peer: found.per_second for peer in names if (found := timing(size, peer, "ten", MANY))}
    return _rate_by(size, max(rates, key=rates.__getitem__)) if rates else ""


def verdict_table(size: Size) -> str:
    """Return the questions of all groups that each peer answers rightly, and shows a match of."""
    rows = [
        [peer, *(str(count) for count in verdicts(size, peer)), f"{marked_share(size, peer):.1%}"]
        for peer in peers_of(size)
    ]
    return table(["peer", "right", "wrong", "not supported", "snippets with a mark"], rows)


def latency_table(size: Size) -> str:
    """Medians, 99th percentiles, rates and CPU of one client and of many."""
    head = ["peer", "queries", "clients", "p50 ms", "p99 ms", "a second", "CPU ms", "told to wait"]
    rows = [
        _latency(found, words, clients)
        for group, words, clients in (
            ("ten", GROUPS["ten"], 1),
            ("ten", GROUPS["ten"], MANY),
            ("generated", GROUPS["generated"], 1),
            ("generated", GROUPS["generated"], MANY),
        )
        for peer in peers_of(size)
        if (found := timing(size, peer, group, clients))
    ]
    return table(head, rows)


def _latency(found: Timing, words: str, clients: int) -> list[str]:
    return [
        found.peer,
        words,
        str(clients),
        f"{found.at(50):.1f}",
        f"{found.at(99):.1f}",
        f"{found.per_second:.0f}",
        f"{sum(found.cpu.values()):.1f}",
        str(found.refused),
    ]


def growth_table(run: Run) -> str:
    """Return the time of each peer at each size, relative to the smallest."""
    small, *larger = run.sizes
    head = ["peer", "queries"]
    head += [f"{small.copies}x to {size.copies}x" for size in larger]
    rows = [
        [peer, words, *(_growth(growth(small, size, group, peer)) for size in larger)]
        for peer in peers_of(small)
        for group, words in GROUPS.items()
    ]
    return table(head, [row for row in rows if any(row[2:])])


def _growth(found: Ratio | None) -> str:
    return "" if found is None else f"{found.mean:.2f}x, at worst {found.worst:.2f}x"


def page_shares_table(run: Run) -> str:
    """Return milliseconds of each part of a page by size."""
    parts = list(dict.fromkeys(part for size in run.sizes for part in size.page))
    rows = [[part, *(f"{size.page.get(part, 0):.2f}" for size in run.sizes)] for part in parts]
    head = ["part of a page without proximity, ms", *(f"{size.copies}x" for size in run.sizes)]
    return table(head, rows)


def load_table(run: Run) -> str:
    """The additions at each size: number, speed and cost, and the bytes on disk after them."""
    head = ["peer", "size", "M characters", "M a second", "CPU seconds", "of", "bytes a character"]
    rows = [
        _load(size, load) for size in run.sizes for load in size.loads if load.size and load.cpu
    ]
    return table(head, rows)


def _load(size: Size, load: Load) -> list[str]:
    return [
        load.peer,
        f"{size.copies}x",
        f"{load.characters / 1e6:.1f}",
        f"{load.characters / load.seconds / 1e6:.2f}",
        f"{sum(load.cpu.values()):.1f}",
        ", ".join(f"{name} {seconds:.1f}" for name, seconds in load.cpu.items()),
        f"{load.size / size.characters:.2f}",
    ]


def stage_table(stages: Stages) -> str:
    """CPU seconds of each stage of a worker, the longest first."""
    total = sum(stages.seconds.values())
    longest = sorted(stages.seconds.items(), key=lambda stage: -stage[1])
    rows = [[name, f"{taken:.2f}", f"{taken / total:.0%}"] for name, taken in longest]
    return table(["stage", "CPU seconds", "share"], rows)
