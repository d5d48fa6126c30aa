"""The plots of docs/performance.md, drawn by matplotlib as SVG with texts that stay texts."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from bench.peers.ratios import (
    DEFAULT,
    OURS,
    fastest_library,
    geometric_mean,
    medians,
    peers_of,
    timing,
)
from bench.peers.results import PERCENTS, Run

_WIDTH, _HEIGHT = 8.0, 4.2
# Elements get their ids by it, so that the same run draws the same files.
_SALT = "edgar-search"


def draw(run: Run, results: bytes, folder: Path) -> None:
    """Write every plot; each has the digest of the results that it was drawn of."""
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib.rcParams.update({"svg.hashsalt": _SALT, "svg.fonttype": "none", "font.size": 9})
    about = {"Date": None, "Description": digest(results)}
    for name, plot in PLOTS.items():
        if plot is _growth and len(run.sizes) < 2:
            continue
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
        plot(run, figure.subplots())
        figure.savefig(folder / f"{name}.svg", metadata=about)


def digest(results: bytes) -> str:
    """Return a plot's note on the results that it was drawn from."""
    return f"drawn of results with SHA-256 {hashlib.sha256(results).hexdigest()}"


def _ratios(run: Run, axes: Any) -> None:
    size = run.sizes[-1]
    ours = medians(size, OURS, "ten")
    others = {
        "the fastest library": fastest_library(size, "ten"),
        "the default index": medians(size, DEFAULT, "ten"),
    }
    for at, (name, theirs) in enumerate(others.items()):
        bars = [
            (number + at * 0.4, a / b)
            for number, (a, b) in enumerate(zip(ours, theirs, strict=True))
            if a is not None and b is not None
        ]
        axes.barh([place for place, _ in bars], [value for _, value in bars], 0.4, label=name)
    axes.axvline(1, color="gray", linewidth=1)
    axes.set_yticks([number + 0.2 for number in range(len(ours))], run.groups["ten"])
    axes.invert_yaxis()
    axes.set_xlabel(f"time of edgar-search by that of ..., {size.copies}x; left of 1 is faster")
    axes.figure.legend(loc="outside upper center", ncols=2)


def _latency(run: Run, axes: Any) -> None:
    size = run.sizes[-1]
    for peer in peers_of(size):
        if found := timing(size, peer, "ten", 1):
            axes.plot(found.cuts, PERCENTS, marker=".", label=peer)
    axes.set_xscale("log")
    axes.set_xlabel(f"milliseconds, the ten queries, one client, {size.copies}x")
    axes.set_ylabel("percent of searches")
    axes.figure.legend(loc="outside right center", fontsize=7)


def _growth(run: Run, axes: Any) -> None:
    for peer in peers_of(run.sizes[0]):
        means = [(size.documents, geometric_mean(medians(size, peer, "ten"))) for size in run.sizes]
        shown = [(documents, mean) for documents, mean in means if mean is not None]
        axes.plot([x for x, _ in shown], [y for _, y in shown], marker="o", label=peer)
    axes.set_yscale("log")
    axes.set_xlabel("documents")
    axes.set_ylabel("milliseconds")
    axes.figure.legend(loc="outside right center", fontsize=7)


def _stack(axes: Any, rows: dict[str, dict[str, float]], label: str) -> None:
    """A bar for each row, of its parts one after the other."""
    left = dict.fromkeys(rows, 0.0)
    for part in dict.fromkeys(part for parts in rows.values() for part in parts):
        values = [parts.get(part, 0.0) for parts in rows.values()]
        axes.barh(list(rows), values, left=list(left.values()), label=part)
        left = {name: at + value for (name, at), value in zip(left.items(), values, strict=True)}
    axes.margins(y=0.3 / len(rows))
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.figure.legend(loc="outside upper center", ncols=6)


def _page(run: Run, axes: Any) -> None:
    rows = {f"{size.copies}x": size.page for size in run.sizes}
    _stack(axes, rows, "milliseconds of a page, the mean of the ten queries")


def _load(run: Run, axes: Any) -> None:
    size = run.sizes[0]
    rows = {load.peer: load.cpu for load in size.loads if load.size and load.cpu}
    _stack(axes, rows, f"CPU seconds to load {size.characters / 1e6:.1f} million characters")


PLOTS: dict[str, Callable[[Run, Any], None]] = {
    "ratios": _ratios,
    "latency": _latency,
    "growth": _growth,
    "page": _page,
    "load": _load,
}
