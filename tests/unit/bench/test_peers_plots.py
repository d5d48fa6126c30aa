"""Plots are SVG with texts, the same each time, and say what they were drawn of."""

import hashlib
from pathlib import Path

import pytest

from tests.unit.bench.test_peers_page import QUERIES, run

pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")


def drawn(folder: Path, *copies: int) -> dict[str, str]:
    from bench.peers.plots import draw

    draw(run(*copies), b"results", folder)
    return {path.stem: path.read_text() for path in folder.iterdir()}


def test_plots_are_the_same_each_time(tmp_path: Path) -> None:
    first = drawn(tmp_path / "first", 1, 4)
    assert first == drawn(tmp_path / "again", 1, 4)
    assert set(first) == {"ratios", "latency", "growth", "page", "load"}
    wanted = hashlib.sha256(b"results").hexdigest()
    assert [name for name, text in first.items() if wanted not in text] == []


def test_plots_have_the_queries_as_text(tmp_path: Path) -> None:
    assert QUERIES[0] in drawn(tmp_path, 1)["ratios"]


def test_one_size_shows_no_growth(tmp_path: Path) -> None:
    assert "growth" not in drawn(tmp_path, 1)
