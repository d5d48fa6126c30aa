"""Tables of plain text are whole, with their heads and totals."""

from pathlib import Path

from tests.fidelity.plain_tables import count


def test_no_row_of_figures_is_lost_and_no_piece_has_no_head(corpus: Path) -> None:
    found = count(corpus)
    print(found)
    assert found.tables >= 900
    assert (found.lost_rows, found.headless) == (1, 1)
    assert found.whole >= 0.96 * found.with_head
