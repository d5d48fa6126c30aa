"""The ticker table."""

from datetime import UTC, datetime, timedelta

import pytest

from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entities import StoredTickers, TickerRow

LOADED = datetime(2024, 1, 1, tzinfo=UTC)


def file(*rows: tuple[str, str] | tuple[str, str, str], day: int = 0) -> StoredTickers:
    loaded = LOADED + timedelta(days=day)
    return StoredTickers("made up", loaded, [TickerRow(*row) for row in rows])


def test_ticker_has_its_cik_in_any_case() -> None:
    table = TickerTable([file(("BRK-B", "0001067983"))])
    assert table.ciks("brk-b") == ["0001067983"]


def test_cik_has_all_its_tickers_in_the_order_of_the_file() -> None:
    table = TickerTable([file(("GOOGL", "0001652044"), ("GOOG", "0001652044"))])
    assert table.tickers("0001652044") == ["GOOGL", "GOOG"]


def test_ticker_of_several_companies_has_all_their_ciks() -> None:
    table = TickerTable([file(("AB", "0000000001"), ("AB", "0000000002"))])
    assert table.ciks("AB") == ["0000000001", "0000000002"]


@pytest.mark.parametrize("days", [(0, 1), (1, 0)])
def test_ticker_that_moved_is_of_who_has_it_in_the_file_loaded_last(days: tuple[int, int]) -> None:
    files = [file(("AB", f"000000000{number}"), day=day) for number, day in enumerate(days)]
    table = TickerTable(files)
    holder, other = ("0000000001", "0000000000") if days == (0, 1) else ("0000000000", "0000000001")
    assert (table.ciks("AB"), table.tickers(holder), table.tickers(other)) == ([holder], ["AB"], [])


@pytest.mark.parametrize("spelling", ["BRK-B", "BRK.B", "brk/b", "BRK B", "BRKB"])
def test_share_class_has_several_spellings(spelling: str) -> None:
    assert TickerTable([file(("BRK-B", "0001067983"))]).ciks(spelling) == ["0001067983"]


@pytest.mark.parametrize(
    ("spelling", "ciks"),
    [("BFB", ["0000000002"]), ("BF-B", ["0000000001"]), ("BF.B", ["0000000001"]), ("B.FB", [])],
)
def test_share_class_is_no_other_ticker(spelling: str, ciks: list[str]) -> None:
    table = TickerTable([file(("BF-B", "0000000001"), ("BFB", "0000000002"))])
    assert table.ciks(spelling) == ciks


def test_exchanges_are_those_of_the_tickers() -> None:
    rows = (("A", "0000000001", "NYSE"), ("B", "0000000001", "Nasdaq"), ("C", "0000000001", "NYSE"))
    table = TickerTable([file(("A", "0000000001")), file(*rows, day=1)])
    assert table.exchanges("0000000001") == ["NYSE", "Nasdaq"]
    assert (table.listed("NASDAQ"), table.listed("CBOE")) == (["0000000001"], [])


def test_row_of_two_files_counts_once() -> None:
    table = TickerTable([file(("AB", "0000000001")), file(("AB", "0000000001"))])
    assert (table.ciks("AB"), table.tickers("0000000001")) == (["0000000001"], ["AB"])


def test_earlier_files_come_first() -> None:
    table = TickerTable([file(("B", "0000000001")), file(("A", "0000000001"))])
    assert table.tickers("0000000001") == ["B", "A"]


def test_unknown_ones_have_nothing() -> None:
    table = TickerTable([file(("AB", "0000000001"))])
    assert (table.ciks("NOPE"), table.tickers("0000000002")) == ([], [])


def test_empty_table_has_nothing() -> None:
    assert (TickerTable().ciks("AB"), TickerTable().tickers("0000000001")) == ([], [])
