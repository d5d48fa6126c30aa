"""Rows of the filings in a list, with the companies, persons and kinds of their trades only."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SortedHit
from edgar_search.search.query.matching import Clause

# Rows for one list, which has fifty filings with a few rows each.
_MOST_ROWS = 500


class TradeRow(Struct):
    """The fields of an insider trade or holding that a title shows."""

    accession_number: str
    trade: bool
    issuer_cik: str | None = None
    issuer_name: str = ""
    owner_names: list[str] = []
    code: str | None = None


class StakeRow(Struct):
    """The fields of a schedule 13D or 13G that a title shows."""

    accession_number: str
    issuer_cik: str | None = None
    issuer_name: str = ""
    person_names: list[str] = []


Row = TradeRow | StakeRow


def rows_body(numbers: Sequence[str], stored: type[Row]) -> Clause:
    """Build the search for the rows of these filings, each filing's in their order."""
    return {
        "query": {"bool": {"filter": [{"terms": {"accession_number": list(numbers)}}]}},
        "size": _MOST_ROWS,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "_source": list(stored.__struct_fields__),
        "track_total_hits": False,
    }


async def rows_of_filings(
    engine: Engine, trades: Sequence[str], stakes: Sequence[str]
) -> dict[str, list[Row]]:
    """Read rows by accession number, for filings that may have trades or stakes.

    Makes one engine request for each kind that is requested.
    """

    async def read(kind: Kind, numbers: Sequence[str], stored: type[Row]) -> list[Row]:
        if not numbers:
            return []
        hit = SortedHit[stored]  # type: ignore[valid-type]
        reply = await engine.search(kind, rows_body(numbers, stored), hit)
        return [hit.source for hit in reply.hits.hits]

    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for rows_read in await asyncio.gather(
        read("insider_trades", trades, TradeRow), read("stakes", stakes, StakeRow)
    ):
        for row in rows_read:
            rows[row.accession_number].append(row)
    return rows
