"""The members of stock indices, from a file that the operator supplies.

JSON: an object from an index's symbol to an array of tickers and CIKs. CSV: a line for each member,
the symbol and the ticker or CIK; a line that begins with `index,` is a heading.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest, SettingsError
from edgar_search.search.tickers import TickerTable

_VARIABLE = "EDGAR_SEARCH_INDEX_MEMBERS"
_HEADING = "INDEX"


class IndexMembers:
    """Members by the symbol of their index; `members` is None where no file was supplied."""

    def __init__(self, members: Mapping[str, Iterable[str]] | None) -> None:
        self._members = members and {
            symbol.strip().upper(): list(listed) for symbol, listed in members.items()
        }

    @classmethod
    def from_file(cls, path: Path | None) -> "IndexMembers":
        """The members in a file; SettingsError where it cannot be read or has another form."""
        if path is None:
            return cls(None)
        try:
            text = path.read_text("utf-8-sig")
            return cls(_from_json(text) if text.lstrip().startswith("{") else _from_csv(text))
        except OSError as error:
            reason = error.strerror or str(error)
            raise SettingsError(f"{_VARIABLE}: {path} cannot be read: {reason}") from None
        except (ValueError, RecursionError):
            raise SettingsError(
                f'{_VARIABLE}: {path} is neither JSON like {{"GSPC": ["AAPL"]}} nor lines like'
                " GSPC,AAPL"
            ) from None

    def ciks(self, symbols: Iterable[str], table: TickerTable) -> list[str]:
        """The CIKs of all members of these indices; tickers are those that the table has now.

        Raises BadRequest where no file was supplied.
        """
        if self._members is None:
            raise BadRequest("index_tickers: this service has no list of index members")
        found: dict[str, None] = {}
        for symbol in symbols:
            for member in self._members.get(symbol.lstrip("^"), ()):
                found |= dict.fromkeys(_ciks(member.strip(), table))
        return list(found)


def _ciks(member: str, table: TickerTable) -> list[str]:
    cik = parse_cik(member)
    return [cik] if cik is not None else table.ciks(member)


def _from_json(text: str) -> dict[str, list[str]]:
    return msgspec.json.decode(text, type=dict[str, list[str]])


def _from_csv(text: str) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for line in csv.reader(text.splitlines()):
        if line and line[0].strip().upper() != _HEADING:
            symbol, member = line
            members.setdefault(symbol, []).append(member)
    if not members:
        raise ValueError("no members")
    return members
