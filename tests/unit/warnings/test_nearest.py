"""The known value that an unknown one was probably meant to be."""

from datetime import UTC, datetime

import pytest

from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.nearest import nearest_form, nearest_ticker, nearest_word
from edgar_search.stored.entities import StoredTickers, TickerRow

FORMS = {
    "10-K": 50,
    "10-K/A": 60,
    "10-Q": 90,
    "8-K": 40,
    "4": 100,
    "4/A": 2,
    "13F-HR": 30,
    "13F-NT": 1,
    "DEF 14A": 5,
    "SC 13D": 1,
    "SC 13D/A": 31,
    "CORRESP": 3,
    "S-1": 1,
}
LARGE = ("MSFT", "AAPL", "AMZN", "GOOGL", "IBM", "BRK-B")
# So many that what follows is not among the largest.
OTHERS = tuple(f"Q{number:04d}" for number in range(1_000))
SMALL = ("NOTE", "PAPL", "APPS", "WAVVE")


def table(*tickers: str) -> TickerTable:
    rows = [TickerRow(ticker, "0000000001") for ticker in tickers]
    return TickerTable([StoredTickers("made up", datetime(2024, 1, 1, tzinfo=UTC), rows)])


TABLE = table(*LARGE, *OTHERS, *SMALL)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10K", "10-K"),
        ("FORM 10-K", "10-K"),
        ("10_K", "10-K"),
        ("10KA", "10-K/A"),
        ("DEF14A", "DEF 14A"),
        ("FORM4", "4"),
        ("13F", "13F-HR"),
        ("13D", "SC 13D"),
        ("10-L", "10-Q"),
        ("CORESP", "CORRESP"),
        ("11-K", None),
        ("20-F", None),
        ("S-11", None),
        ("10", None),
        ("FORM", None),
        ("PROXY STATEMENT", None),
        ("\u6771\u4eac", None),
    ],
)
def test_form_types(written: str, meant: str | None) -> None:
    assert nearest_form(written, FORMS) == meant


def test_no_form_type_is_near_where_none_is_loaded() -> None:
    assert nearest_form("10K", {}) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("APPL", "AAPL"),
        ("MFST", "MSFT"),
        ("AMZM", "AMZN"),
        ("GOGL", "GOOGL"),
        ("IMB", "IBM"),
        ("WAVE", "WAVVE"),
        ("NOPE", None),
        ("IBX", None),
        ("XAPL", None),
        ("MICROSOFT", None),
        ("A" * 900, None),
        ("\u00e9", None),
        ("", None),
    ],
)
def test_tickers(written: str, meant: str | None) -> None:
    assert nearest_ticker(written, TABLE) == meant


def test_no_ticker_is_near_where_none_is_known() -> None:
    assert nearest_ticker("APPL", TickerTable()) is None


@pytest.mark.parametrize(
    ("written", "counts", "meant"),
    [
        ("goodwil", {"goodwill": 3, "goodwin": 9}, "goodwin"),
        ("goodwil", {"goodwill": 9, "goodwin": 3}, "goodwill"),
        ("impairrmentt", {"impairment": 2}, "impairment"),
        ("margn", {"mario": 9, "margin": 2}, "margin"),
        ("ebitdar", {"ebitda5": 9, "ebitda": 2}, "ebitda"),
        ("wvut", {"what": 900}, None),
        ("unicorn", {"union": 900}, None),
        ("2o24", {"2024": 900}, None),
        ("goodwil", {}, None),
    ],
)
def test_words(written: str, counts: dict[str, int], meant: str | None) -> None:
    assert nearest_word(written, counts) == meant
