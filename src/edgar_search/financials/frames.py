"""Calendar frames of facts, as EDGAR's XBRL interfaces have them; pure.

`CY2019` is a year, `CY2019Q1` a quarter and `CY2019Q1I` its last day. Companies' own periods are of
the frame in which their middle is, and instants of the quarter whose end is nearest.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from edgar_search.errors import BadRequest
from edgar_search.stored.financials import StoredFact

# EDGAR's lengths of a year and of a quarter, each with thirty days more or less.
_YEAR, _QUARTER, _SLACK = 365, 91, 30
_FRAME = re.compile(r"CY(\d{4})(?:Q([1-4])(I?))?", re.ASCII)


# The facts of a company are of a few hundred periods.
@lru_cache(maxsize=10_000)
def frame_of(start: date | None, end: date) -> str | None:
    """Return the frame of a period or an instant; None for a period of another length."""
    if start is None:
        quarter = min(_ends(end.year - 1, end.year + 1), key=lambda each: abs(each - end))
        return f"CY{quarter.year}Q{quarter.month // 3}I"
    days = (end - start).days + 1
    middle = start + timedelta(days=days // 2)
    if abs(days - _YEAR) <= _SLACK:
        return f"CY{middle.year}"
    if abs(days - _QUARTER) <= _SLACK:
        return f"CY{middle.year}Q{(middle.month + 2) // 3}"
    return None


def _ends(first: int, last: int) -> list[date]:
    """Return the last days of the quarters of these years."""
    return [
        date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        for year in range(first, last + 1)
        for month in (3, 6, 9, 12)
    ]


class Frame(NamedTuple):
    """A frame, and the days within which the periods of its facts end."""

    name: str
    instant: bool
    first_end: date
    last_end: date


def read_frame(name: str) -> Frame:
    """Read a frame such as CY2019Q1I; BadRequest for another text."""
    found = _FRAME.fullmatch(name)
    if found is None or not 1 < int(found[1]) < 9998:
        raise BadRequest(f"`{name[:20]}` must be a frame such as CY2019, CY2019Q1 or CY2019Q1I")
    year, quarter = int(found[1]), int(found[2] or 0)
    first = date(year, 3 * quarter - 2, 1) if quarter else date(year, 1, 1)
    # Half a period, and the slack, lie on either side.
    around = timedelta(days=(_QUARTER if quarter else _YEAR) + _SLACK)
    last = first + timedelta(days=_QUARTER if quarter else _YEAR)
    return Frame(name, found[3] == "I", first - timedelta(days=_SLACK), last + around)


def last_filed(rows: Iterable[StoredFact]) -> dict[str, StoredFact]:
    """Return the row of each frame that was filed last; of one day the one of the later period."""
    found: dict[str, StoredFact] = {}
    for row in rows:
        frame = frame_of(row.start, row.end)
        if frame and (frame not in found or _order(row) > _order(found[frame])):
            found[frame] = row
    return found


def _order(row: StoredFact) -> tuple[date, date, str]:
    return row.filing_date, row.end, row.accession_number
