"""Tables of plain text are whole, with their heads and totals."""

from pathlib import Path

import pytest

from tests.fidelity.plain_tables import count


@pytest.mark.parametrize(
    ("every", "tables", "lost", "headless"),
    [(15, 30, 0, 0), pytest.param(1, 900, 1, 1, marks=pytest.mark.long)],
)
def test_no_row_of_figures_is_lost_and_no_piece_has_no_head(
    corpus: Path, every: int, tables: int, lost: int, headless: int
) -> None:
    found = count(corpus, every)
    print(found)
    assert found.tables >= tables
    assert (found.lost_rows, found.headless) == (lost, headless)
    assert found.whole >= 0.9 * found.with_head
