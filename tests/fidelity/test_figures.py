"""Figures both ways: a table has all that its filing has, and no other."""

from decimal import Decimal
from pathlib import Path

import pytest

from edgar_search.document.tables import table_cells, table_places, text_lines
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from tests.fidelity.figures import compare
from tests.support.made_tables import MadeTable, made_html, made_plain

MADE = 60  # tables of a kind
# Figures of rows that were looked at.
EXPLAINED = {
    "doc-10-k-tgna-20151231x10k.htm.gz": "a lowered mark is in two cells: (6",
}


def check(made: MadeTable, kind: DocumentKind, seed: int) -> None:
    """Each figure is in its row and below its head, and there is no other."""
    (place,) = table_places(text_lines(text_of(kind, made.source)))
    cells = table_cells(place)
    columns = [row for row in cells.rows if made.heads[0] in row][0]
    found: list[list[tuple[int, Decimal]]] = []
    for amounts in cells.amounts:
        row = [(n, amount.value) for n, amount in enumerate(amounts) if amount is not None]
        found += [row] if row else []
    wanted = [
        [(columns.index(head), value) for head, value in zip(made.heads, row, strict=True) if value]
        for row in made.rows
    ]
    assert found == [row for row in wanted if row], f"seed {seed}\n{made.source}"


@pytest.mark.parametrize("first", [0, pytest.param(1_000, marks=pytest.mark.long)])
def test_made_up_html_has_its_figures_below_their_heads_and_no_other(first: int) -> None:
    for seed in range(first, first + (10 if first else 1) * MADE):
        check(made_html(seed), DocumentKind.HTML, seed)


@pytest.mark.parametrize("first", [0, pytest.param(1_000, marks=pytest.mark.long)])
def test_made_up_plain_text_has_its_figures_below_their_heads_and_no_other(first: int) -> None:
    for seed in range(first, first + (10 if first else 1) * MADE):
        check(made_plain(seed), DocumentKind.PLAIN, seed)


@pytest.mark.parametrize(
    ("every", "rows"), [(19, 4_000), pytest.param(1, 90_000, marks=pytest.mark.long)]
)
def test_rows_of_filings_have_all_their_figures_and_no_other(
    corpus: Path, every: int, rows: int
) -> None:
    found = compare(corpus, every)
    print(f"{found.rows:,} rows, {found.filed:,} figures filed, {found.given:,} given")
    assert found.rows >= rows
    assert found.lost == []
    assert [each for each in found.added if each.split(":")[0] not in EXPLAINED] == []
