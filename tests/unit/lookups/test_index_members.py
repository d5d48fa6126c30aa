"""Members of stock indices, from the operator's file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from edgar_search.errors import BadRequest, SettingsError
from edgar_search.search.tickers import IndexMembers, TickerTable
from edgar_search.stored.entities import StoredTickers, TickerRow

TABLE = TickerTable(
    [StoredTickers("made up", datetime.now(UTC), [TickerRow("BRK-B", "0001067983")])]
)


@pytest.mark.parametrize(
    "text",
    [
        '{"gspc": ["brk.b", "320193"], "DJI": ["789019"]}',
        "GSPC,BRK-B\nGSPC,0000320193\nDJI,789019\n",
        "\ufeffindex,member\r\nGSPC, BRKB\r\nGSPC,320193\r\n\r\nDJI,789019",
    ],
)
def test_members_are_tickers_and_ciks(tmp_path: Path, text: str) -> None:
    path = tmp_path / "members"
    path.write_bytes(text.encode())
    members = IndexMembers.from_file(path)
    assert members.ciks(["GSPC"], TABLE) == ["0001067983", "0000320193"]
    assert members.ciks(["^DJI", "NOPE"], TABLE) == ["0000789019"]


def test_without_a_file_the_filter_is_refused() -> None:
    with pytest.raises(
        BadRequest, match="index_tickers: this service has no list of index members"
    ):
        IndexMembers.from_file(None).ciks(["GSPC"], TABLE)


@pytest.mark.parametrize("text", ["", "[]", '{"GSPC": "AAPL"}', '{"GSPC": [1]}', "GSPC\n", "{" * 9])
def test_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "members"
    path.write_text(text)
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_INDEX_MEMBERS: .* is neither JSON"):
        IndexMembers.from_file(path)


def test_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_INDEX_MEMBERS: .* cannot be read"):
        IndexMembers.from_file(tmp_path / "none")
