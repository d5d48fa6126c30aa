"""The ticker table."""

from datetime import UTC, datetime

from edgar_search.entities import TickerTable
from edgar_search.stored.tickers import StoredTickers, TickerRow


def file(*rows: tuple[str, str]) -> StoredTickers:
    return StoredTickers("made up", datetime.now(UTC), [TickerRow(*row) for row in rows])


def test_ticker_has_its_cik_in_any_case() -> None:
    table = TickerTable([file(("BRK-B", "0001067983"))])
    assert table.ciks("brk-b") == ["0001067983"]


def test_cik_has_all_its_tickers_in_the_order_of_the_file() -> None:
    table = TickerTable([file(("GOOGL", "0001652044"), ("GOOG", "0001652044"))])
    assert table.tickers("0001652044") == ["GOOGL", "GOOG"]


def test_ticker_of_several_companies_has_all_their_ciks() -> None:
    table = TickerTable([file(("AB", "0000000001")), file(("AB", "0000000002"))])
    assert table.ciks("AB") == ["0000000001", "0000000002"]


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
