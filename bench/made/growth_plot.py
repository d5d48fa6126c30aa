"""The plot of growth, out of what `python -m bench.made.growth` has kept.

`python -m bench.made.growth_plot` writes docs/performance/made-growth.svg.
"""

import statistics
from pathlib import Path

import matplotlib
import msgspec
from matplotlib.figure import Figure

from bench.corpus import CHECKOUT
from bench.made.growth import RESULTS, Growth, exponents_of
from bench.peers.plots import digest

PLOT = CHECKOUT / "docs" / "performance" / "made-growth.svg"
_WIDTH, _HEIGHT = 8.0, 5.0


def main() -> None:
    """Draw the plot."""
    draw(RESULTS.read_bytes(), PLOT)


def draw(results: bytes, path: Path) -> None:
    """Draw the exponent of each kind of call, smallest first, with its medians beside it."""
    growth = msgspec.json.decode(results, type=Growth)
    matplotlib.rcParams.update(
        {"svg.hashsalt": "edgar-search", "svg.fonttype": "none", "font.size": 9}
    )
    exponents = dict(sorted(exponents_of(growth).items(), key=lambda each: each[1]))
    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.subplots()
    axes.barh(list(exponents), list(exponents.values()), color="steelblue")
    names = list(growth.corpora)
    for row, kind in enumerate(exponents):
        medians = (statistics.median(growth.times[kind][name]) for name in names)
        text = " → ".join(f"{median:.1f}" for median in medians)
        axes.text(max(0.0, exponents[kind]) + 0.01, row, f"{text} ms", va="center", fontsize=7)
    axes.axvline(0, color="gray", linewidth=1)
    axes.margins(x=0.25)
    axes.set_xlabel("exponent of time by characters: 0 is constant, 1 is linear")
    sizes = ", ".join(
        f"{name} {each.characters / 1e6:,.0f} M" for name, each in growth.corpora.items()
    )
    axes.set_title(f"Medians by size: {sizes} characters")
    figure.savefig(path, metadata={"Date": None, "Description": digest(results)})


if __name__ == "__main__":
    main()
