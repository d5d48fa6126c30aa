"""The page of sizing multiplies what was measured."""

import pytest

from bench.holdings import Results
from bench.sizing import CHARACTERS, FILINGS, OF_FILINGS, OF_TEXT, Load, Sizing
from bench.sizing_page import of_all, page

SIZES = {**dict.fromkeys(OF_TEXT, 500_000), **dict.fromkeys(OF_FILINGS, 2_000), "archive": 100_000}


ROWS = Results(5_000_000, 150.0, 1_000, 20.0, 60.0, 2_500, "9.0.0", 0.1)


def sizing(busy: float) -> Sizing:
    return Sizing(Load(10, 1_000_000, 500, 0.5, 1.0), SIZES, "9.0.0", 2, busy)


def test_what_grows_with_text_and_what_with_filings() -> None:
    assert of_all(sizing(0), "passages") == 0.5 * CHARACTERS
    assert of_all(sizing(0), "ledger") == 200 * FILINGS


def test_rows_of_a_page() -> None:
    text = page(sizing(0), ROWS)
    assert "| `passages` | 0.50 bytes a character | 1,000 GB |" in text
    assert "| `ledger` | 200 bytes a filing | 4 GB |" in text
    assert "| processors of Elasticsearch | 1.00 CPU seconds for a million characters |" in text


def test_what_nothing_was_stored_in_has_no_row() -> None:
    one = sizing(0)
    one.sizes = {**SIZES, "arrivals": 5}
    assert "arrivals" not in page(one, ROWS)
    assert "| `ledger` |" in page(one, ROWS)


@pytest.mark.parametrize("busy, warned", [(0.1, False), (3.0, True)])
def test_a_busy_machine_is_said(busy: float, warned: bool) -> None:
    assert ("The machine was busy" in page(sizing(busy), ROWS)) == warned


def test_holdings_are_multiplied_by_quarters() -> None:
    text = " ".join(page(sizing(0), ROWS).split())
    assert "makes 5.0 million rows: merged, a row takes 150 bytes." in text
    assert "are 156 million and take 23 GB." in text
    assert "of up to 2,500, took 20 ms at the median and 60 ms at the 90th percentile." in text
