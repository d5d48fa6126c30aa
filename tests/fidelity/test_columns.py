"""Columns of our texts and tables: figures are below the heads that the filed layout has."""

from collections import Counter
from pathlib import Path

import pytest

from tests.fidelity.columns import Columns, compare, compare_cells

# Differences that were looked at: in the text of a document, in its tables, and why.
EXPLAINED = {
    "0000950109-01-500823.txt.gz 1": (4, 4, "figures are a column right of their heads as filed"),
    "0001564590-20-004358.txt.gz 2": (4, 4, "the row of years is there twice, in two layouts"),
    "mara-10-q-0001493152-23-027174.html.gz": (5, 5, "the row of years is there four times"),
    "jnj-10-k-2025-02-13.html.gz": (2, 0, "the row of years is there twice, in two layouts"),
    "abt-10-q-0001628280-23-027203.html.gz": (1, 1, "dashes with marks are in the first row"),
    "doc-10-k-msft-2013.htm.gz": (0, 8, "a row of units is there often"),
    "doc-8-k-0000909518-12-000233.htm.gz": (2, 2, "cells of the cover overlap as filed"),
}


def unexplained(found: Columns, kind: int) -> list[str]:
    """Return faults of documents that do not have just as many as were explained."""
    by_document = Counter(fault.split(":")[0] for fault in found.faults)
    return [
        fault
        for fault in found.faults
        if by_document[fault.split(":")[0]] != EXPLAINED.get(fault.split(":")[0], (0, 0))[kind]
    ]


@pytest.mark.long
def test_figures_stand_below_their_heads(corpus: Path) -> None:
    found = compare(corpus)
    assert found.tables >= 8_000
    assert unexplained(found, 0) == []
    assert len(found.faults) == sum(text for text, _, _ in EXPLAINED.values())


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
    assert unexplained(found, 1) == []
