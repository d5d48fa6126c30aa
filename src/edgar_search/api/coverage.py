"""GET /v1/coverage: how complete and up to date the filings are."""

from datetime import UTC, date, datetime, timedelta

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint
from edgar_search.api.parameters.filters import (
    FORM_TYPE,
    FROM_DATE,
    TO_DATE,
)
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.search.coverage import MAX_DAYS, FormDay, Lags, look_up_coverage_and_warn
from edgar_search.search.criteria import CoverageCriteria

DEFAULT_DAYS = 30


class Lag(Struct):
    """The seconds within which half, 90 % and 99 % of filings were loaded; null without filings."""

    p50: float | None
    p90: float | None
    p99: float | None


class Day(Struct):
    """Counts of a day and form; `withdrawn` is present if EDGAR has removed searchable filings."""

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
    """The coverage by day and form; `warnings`, `missing_days`, `outdated` are absent if empty.

    Outdated submissions were loaded by an older version. Missing days are business days of EDGAR
    for which its indices list no filing.
    """

    from_date: date
    to_date: date
    days: list[Day]
    warnings: list[str] = []
    missing_days: list[date] = []
    outdated: int = 0

    @property
    def result_count(self) -> None:
        """None: this answer lists no results."""


COVERAGE = Endpoint(
    "/v1/coverage",
    "reports the completeness and freshness of the filings",
    (
        API_KEY,
        structs.replace(
            FROM_DATE,
            description="filed on that day or later; if it is absent,"
            f" {DEFAULT_DAYS - 1} days before `to_date`",
        ),
        structs.replace(
            TO_DATE,
            description="filed on that day or earlier; if it is absent, today (UTC);"
            f" at most {MAX_DAYS} days in all",
        ),
        FORM_TYPE,
    ),
    credential="key",
    answer=CoverageReply,
    rules=(
        f"`from_date` to `to_date` are at most {MAX_DAYS} days, both counted; more is a 400."
        f" Without dates they are the last {DEFAULT_DAYS} days.",
    ),
)


def coverage_params(raw: Raw, today: date) -> CoverageCriteria:
    """Read the parameters of `/v1/coverage`; raises BadRequest."""
    parameters = Parameters(raw, COVERAGE.declared)
    first, last = parameters.days()
    last = last or (max(first, today) if first else today)
    first = first or _days_before(last, DEFAULT_DAYS - 1)
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(
            f"`from_date` to `to_date` may be at most {MAX_DAYS} days, not"
            f" {(last - first).days + 1}; ask in parts"
        )
    return CoverageCriteria(first, last, parameters.values("form_type"))


def _days_before(day: date, days: int) -> date:
    """Return the date `days` before another, or the earliest possible date."""
    return day - min(timedelta(days), day - date.min)


async def read_coverage(context: Context, raw: Raw) -> CoverageCriteria:
    """Read the parameters of `/v1/coverage`, as of today; raises BadRequest."""
    return coverage_params(raw, datetime.now(UTC).date())


async def report_coverage(context: Context, criteria: CoverageCriteria) -> CoverageReply:
    """Report on every day and form in the ledger, in that order."""
    coverage = await look_up_coverage_and_warn(context.engine, criteria)
    return CoverageReply(
        criteria.first_day,
        criteria.last_day,
        list(map(day_reply, coverage.days)),
        list(map(str, coverage.warnings)),
        list(coverage.missing_days),
        coverage.outdated,
    )


def day_reply(form_day: FormDay) -> Day:
    """Build the entry of a day and form."""
    return Day(
        filing_date=form_day.day,
        form_type=form_day.form_type,
        known=form_day.known,
        listed=form_day.listed,
        searchable=form_day.searchable,
        refused=form_day.refused,
        deleted=form_day.deleted,
        waiting=form_day.known - form_day.searchable - form_day.refused - form_day.deleted,
        accepted_to_searchable=_lag(form_day.accepted_to_searchable),
        listed_to_searchable=_lag(form_day.listed_to_searchable),
        withdrawn=form_day.withdrawn or UNSET,
    )


def _lag(lags: Lags) -> Lag:
    return Lag(*(None if value is None else round(value, 3) for value in lags))


REPORT_COVERAGE = Operation(COVERAGE, read_coverage, report_coverage)
