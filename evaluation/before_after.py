"""Figures of each question in a file, and the same questions before and after a change."""

from collections.abc import Mapping
from pathlib import Path
from statistics import mean

import msgspec

# By what is measured, by the id of a question.
Kept = Mapping[str, Mapping[str, float]]
# A change that two decimals do not show is none.
_LEAST = 0.005


def keep(path: Path, kept: Kept) -> None:
    """Write the figures into a file."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1))


def read(path: Path) -> Kept:
    """Read the figures of a file."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, float]])


def before_and_after(before: Kept, after: Kept) -> str:
    """Return a table for each measure that both have: each question that changed, and the means.

    Questions that only one of them has are left out.
    """
    return "\n\n".join(
        _table(name, before[name], figures) for name, figures in after.items() if name in before
    )


def _table(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    both = [key for key in after if key in before]
    if not both:
        return f"{name}: no question in common"
    changed = [key for key in both if abs(after[key] - before[key]) >= _LEAST]
    changed.sort(key=lambda key: before[key] - after[key])
    better = sum(after[key] > before[key] for key in changed)
    worse = len(changed) - better
    lines = [
        f"{name}: {better} better, {worse} worse, {len(both) - len(changed)} as before",
        f"{'':34}before  after change",
        *(_row(key, before[key], after[key]) for key in changed),
        _row("mean", mean(before[key] for key in both), mean(after[key] for key in both)),
    ]
    return "\n".join(lines)


def _row(label: str, before: float, after: float) -> str:
    return f"{label:34}{before:6.2f}{after:7.2f}{after - before:+7.2f}"
