"""Columns of our texts and tables: figures are below the heads that the filed layout has."""

from pathlib import Path

import pytest

from tests.fidelity.columns import Columns, compare, compare_cells

# Heads that are above no column of figures as filed, and rows that are in their document twice.
EXPLAINED = {
    "0000950109-01-500823.txt.gz 1": "figures are a column right of their heads as filed",
    "0001564590-20-004358.txt.gz 2": "the row of years is there twice, once with other columns",
    "mara-10-q-0001493152-23-027174.html.gz": "the row of years is there four times",
    "jnj-10-k-2025-02-13.html.gz": "the row of years is there twice, once with other columns",
    "doc-10-k-msft-2013.htm.gz": "a row of units is there often",
    "doc-8-k-0000909518-12-000233.htm.gz": "cells of the cover overlap as filed",
}


def unexplained(found: Columns) -> list[str]:
    return [each for each in found.faults if each.split(":")[0] not in EXPLAINED]


@pytest.mark.long
def test_figures_stand_below_their_heads(corpus: Path) -> None:
    found = compare(corpus)
    assert found.tables >= 8_000
    assert unexplained(found) == []


@pytest.mark.parametrize(
    ("every", "tables"), [(17, 300), pytest.param(1, 7_000, marks=pytest.mark.long)]
)
def test_cells_stand_below_their_heads_and_values_are_those_filed(
    corpus: Path, every: int, tables: int
) -> None:
    found = compare_cells(corpus, every)
    print(
        f"{found.tables:,} tables, {found.figures:,} figures below heads, {found.values:,} values,"
        f" {len(found.faults)} different"
    )
    assert found.tables >= tables
    assert unexplained(found) == []
