"""Calendar frames of facts, as in EDGAR's XBRL interfaces; pure.

`CY2019` is a year, `CY2019Q1` a quarter and `CY2019Q1I` its last day. A company's own period
belongs to the frame that contains its middle, an instant to the quarter with the nearest end.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from edgar_search.errors import BadRequest
from edgar_search.stored.financials import StoredFact

# EDGAR's length of a year and of a quarter, each give or take thirty days.
_YEAR, _QUARTER, _SLACK = 365, 91, 30
_FRAME = re.compile(r"CY(\d{4})(?:Q([1-4])(I?))?", re.ASCII)


# A company's facts have a few hundred different periods.
@lru_cache(maxsize=10_000)
def frame_of(start: date | None, end: date) -> str | None:
    """Return the frame of a period or an instant; None for a period of any other length."""
    if start is None:
        quarter = min(
            _ends(end.year - 1, end.year + 1), key=lambda quarter_end: abs(quarter_end - end)
        )
        return f"CY{quarter.year}Q{quarter.month // 3}I"
    days = (end - start).days + 1
    middle = start + timedelta(days=days // 2)
    if abs(days - _YEAR) <= _SLACK:
        return f"CY{middle.year}"
    if abs(days - _QUARTER) <= _SLACK:
        return f"CY{middle.year}Q{(middle.month + 2) // 3}"
    return None


def _ends(first: int, last: int) -> list[date]:
    """Return the last days of the quarters in these years."""
    return [
        date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        for year in range(first, last + 1)
        for month in (3, 6, 9, 12)
    ]


class Frame(NamedTuple):
    """A frame, and the days between which the periods of its facts end."""

    name: str
    instant: bool
    first_end: date
    last_end: date


def read_frame(name: str) -> Frame:
    """Parse a frame such as CY2019Q1I; BadRequest for any other text."""
    match = _FRAME.fullmatch(name)
    if match is None or not 1 < int(match[1]) < 9998:
        raise BadRequest(f"`{name[:20]}` must be a frame such as CY2019, CY2019Q1 or CY2019Q1I")
    year, quarter = int(match[1]), int(match[2] or 0)
    first = date(year, 3 * quarter - 2, 1) if quarter else date(year, 1, 1)
    # Half a period and the slack, on either side.
    around = timedelta(days=(_QUARTER if quarter else _YEAR) + _SLACK)
    last = first + timedelta(days=_QUARTER if quarter else _YEAR)
    return Frame(name, match[3] == "I", first - timedelta(days=_SLACK), last + around)


def last_filed(rows: Iterable[StoredFact]) -> dict[str, StoredFact]:
    """Return the last filed row of each frame; of the same day, the one with the later period."""
    last: dict[str, StoredFact] = {}
    for row in rows:
        frame = frame_of(row.start, row.end)
        if frame and (frame not in last or _order(row) > _order(last[frame])):
            last[frame] = row
    return last


def _order(row: StoredFact) -> tuple[date, date, str]:
    return row.filing_date, row.end, row.accession_number
