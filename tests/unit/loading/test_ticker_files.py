"""EDGAR's ticker files: known by their content, read whole, refused where they are none."""

import gzip
import json
from pathlib import Path

import pytest

from edgar_search.errors import SettingsError
from edgar_search.stored.entities import TickerFile, TickerRow
from ingest.loading.tickers import parse_ticker_file

APPLE = "0000320193"
REAL: list[tuple[str, TickerFile, TickerRow]] = [
    *(
        (f"company_tickers.{year}.json.gz", "company_tickers", TickerRow("AAPL", APPLE))
        for year in (2021, 2022, 2023, 2026)
    ),
    *(
        (
            f"company_tickers_exchange.{year}.json.gz",
            "company_tickers_exchange",
            TickerRow("AAPL", APPLE, "Nasdaq"),
        )
        for year in (2023, 2026)
    ),
    *(
        (
            f"company_tickers_mf.{year}.json.gz",
            "company_tickers_mf",
            TickerRow("LACAX", "0000002110", None, "S000009184", "C000024954"),
        )
        for year in (2024, 2026)
    ),
    ("ticker.txt", "ticker", TickerRow("BRK-B", "0001067983")),
]


@pytest.mark.parametrize(("name", "kind", "row"), REAL, ids=[name for name, _, _ in REAL])
def test_real_file_is_read_whole(corpus: Path, name: str, kind: TickerFile, row: TickerRow) -> None:
    path = corpus / "reference" / name
    found, rows, _ = parse_ticker_file(path)
    assert (found, len(rows)) == (kind, number_of_rows(path))
    assert row in rows


def number_of_rows(path: Path) -> int:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    if path.suffix == ".txt":
        return len(text.split("\n")) - text.endswith("\n")
    content = json.loads(text)
    return len(content.get("data", content) if isinstance(content, dict) else content)


def test_rows_keep_their_order_in_capitals_with_padded_ciks(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("mrbl-b\t2\r\nMrbl\t0000000001\n\n")
    assert parse_ticker_file(path) == (
        "ticker",
        [TickerRow("MRBL-B", "0000000002"), TickerRow("MRBL", "0000000001")],
        {},
    )


def test_company_without_an_exchange_has_none(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"fields":["cik","name","ticker","exchange"],"data":[[1,"X","MRBL",null]]}')
    assert parse_ticker_file(path) == (
        "company_tickers_exchange",
        [TickerRow("MRBL", "0000000001", None)],
        {"0000000001": "X"},
    )


@pytest.mark.parametrize(
    "content",
    [
        '{"0": {"ticker": "A", "cik_str": 1, "title": " Marble Corp "}}',
        '{"fields":["cik","name","ticker","exchange"],"data":[[1,"Marble Corp","A","NYSE"]]}',
    ],
)
def test_names_are_read_where_there_are_any(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(content)
    assert parse_ticker_file(path).names == {"0000000001": "Marble Corp"}


@pytest.mark.parametrize(
    "content",
    [
        b"no table",
        b"a\tb\tc\n",
        b"mrbl\tnumber\n",
        b"\xff\xfe\t1\n",
        b'{"0": {"cik_str": 1}}',
        b'{"0": {"ticker": "MRBL", "cik_str": null}}',
        b'{"fields": ["cik", "name"], "data": []}',
        b'{"fields": ["cik", "ticker"], "data": [[1]]}',
        b'{"cut": ',
        b"[1, 2]",
    ],
)
def test_other_file_is_refused_by_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match="wrong: is not a ticker file of EDGAR"):
        parse_ticker_file(path)


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere: cannot be read"):
        parse_ticker_file(tmp_path / "nowhere")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"fields":["cik","ticker"],"data":[]}'])
def test_file_without_tickers_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "company_tickers.json"
    path.write_text(content)
    with pytest.raises(SettingsError) as caught:
        parse_ticker_file(path)
    assert str(caught.value) == f"{path}: has no tickers in it; the earlier ones stay"
