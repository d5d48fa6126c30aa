"""The reply of `/v1/coverage`."""

from collections.abc import Iterable, Sequence
from datetime import date

from msgspec import UNSET, Struct, UnsetType

from edgar_search.search.coverage import FormDay, Lags
from edgar_search.search.criteria import CoverageCriteria


class Lag(Struct):
    """Seconds that half, nine of ten and 99 of 100 filings took at most; null where none did."""

    p50: float | None
    p90: float | None
    p99: float | None


class Day(Struct):
    """`withdrawn` is there where EDGAR has removed some of the filings that are searchable."""

    filing_date: str
    form_type: str
    known: int
    listed: int
    searchable: int
    refused: int
    deleted: int
    waiting: int
    accepted_to_searchable: Lag
    listed_to_searchable: Lag
    withdrawn: int | UnsetType = UNSET


class CoverageReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say, `missing_days` where there are none.

    These are business days of EDGAR of which its indices list no filing.
    """

    from_date: date
    to_date: date
    days: list[Day]
    warnings: list[str] = []
    missing_days: list[date] = []


def coverage_reply(
    criteria: CoverageCriteria,
    found: Iterable[FormDay],
    warnings: Sequence[str] = (),
    missing_days: Sequence[date] = (),
) -> CoverageReply:
    """One entry for each day and form that the ledger knows, in that order."""
    days = [_day(each) for each in found]
    return CoverageReply(
        criteria.first_day, criteria.last_day, days, list(warnings), list(missing_days)
    )


def _day(found: FormDay) -> Day:
    return Day(
        filing_date=found.day,
        form_type=found.form_type,
        known=found.known,
        listed=found.listed,
        searchable=found.searchable,
        refused=found.refused,
        deleted=found.deleted,
        waiting=found.known - found.searchable - found.refused - found.deleted,
        accepted_to_searchable=_lag(found.accepted_to_searchable),
        listed_to_searchable=_lag(found.listed_to_searchable),
        withdrawn=found.withdrawn or UNSET,
    )


def _lag(lags: Lags) -> Lag:
    return Lag(*(None if value is None else round(value, 3) for value in lags))
