"""GET /coverage, the completeness and freshness of the filings; and GET /status."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import version
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.matcher import status as alerts_status
from edgar_search.api.coverage import Day, coverage_params, report_coverage
from edgar_search.errors import Forbidden
from edgar_search.search.coverage import (
    Missing,
    ledger_state,
    missing_filings,
)
from edgar_search.search.warnings.warnings import or_default
from edgar_search.web.calls import context_of
from edgar_search.web.pages.browser import PageCall, is_user_here, page_parameters
from edgar_search.web.pages.links import Lists, address, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import day, render
from edgar_search.web.service import service

# How many forms get a column of their own; a page has no room for more.
MOST_FORMS = 8


class FormCell(NamedTuple):
    """A form's filings on a day: how many are known, searchable and pending."""

    known: int
    searchable: int
    waiting: int
    address: str


class FormDays(NamedTuple):
    """The most common forms, and for each day a cell per form, None if no filings are known.

    `left` counts the forms without a column.
    """

    forms: list[str]
    days: list[tuple[date, list[FormCell | None]]]
    left: int


def form_days(path: str, found: Sequence[Day]) -> FormDays:
    """Arrange days, newest first, by their most common forms."""
    known: Counter[str] = Counter()
    for day_of_form in found:
        known[day_of_form.form_type] += day_of_form.known
    forms = sorted(known, key=lambda form: (-known[form], form))
    columns = forms[:MOST_FORMS]
    by_pair = {
        (day_of_form.filing_date, day_of_form.form_type): day_of_form for day_of_form in found
    }
    days = sorted({day_of_form.filing_date for day_of_form in found}, reverse=True)
    rows = [
        (date.fromisoformat(day), [_cell(path, by_pair.get((day, form))) for form in columns])
        for day in days
    ]
    return FormDays(columns, rows, len(forms) - len(columns))


def _cell(path: str, found: Day | None) -> FormCell | None:
    if found is None:
        return None
    filed, form = found.filing_date, found.form_type
    place = address(path, from_date=filed, to_date=filed, form_type=form)
    return FormCell(found.known, found.searchable, found.waiting, place)


STATUS = "/status"


async def status(request: Request, call: PageCall) -> Response:
    """Show the state of the service, to operators and to users on this machine."""
    state = service(request)
    known = bool(call.caller.name) and call.account in state.settings.operator_accounts
    if not known and not is_user_here(request):
        raise Forbidden(
            "this page is for the operators of the service, whom EDGAR_SEARCH_OPERATORS names, and"
            " for users on its own machine"
        )
    await state.engine.ping()
    return render(
        "status.html",
        held=await state.corpus_statistics.value(),
        ledger=await ledger_state(state.engine),
        alerts=await alerts_status(state.engine),
        settings=state.settings,
        version=version("edgar-search"),
        milliseconds=call.milliseconds,
        **head(call),
    )


COVERAGE = "/coverage"
# How many missing filings are listed.
MOST_MISSING = 100
# How many days are shown if the address names none.
_DAYS = 91
# The least weeks of a month in the calendar that leave room for its name and year.
_WEEKS_OF_NAME = 4


class CoveredDay(NamedTuple):
    """A day over all forms; `slowest` is the largest of their medians, in seconds."""

    day: date
    known: int
    searchable: int
    refused: int
    deleted: int
    waiting: int
    slowest: float | None
    withdrawn: int = 0

    @property
    def step(self) -> int:
        """The day's completeness: 0 if nothing is known, else 1 to 4 (complete)."""
        if not self.known:
            return 0
        # Refused and deleted filings are not gaps: the reason for their absence is known.
        return 1 + 3 * (self.known - self.waiting) // self.known


async def coverage(request: Request, call: PageCall) -> Response:
    """GET /coverage"""
    state = service(request)
    statistics = await state.corpus_statistics.value()
    lists = page_parameters(request)
    if not any(lists.get(name) for name in ("from_date", "to_date")):
        # The newest loaded filing may be old.
        last = statistics.last_day or datetime.now(UTC).date()
        lists = {
            **lists,
            "from_date": [(last - timedelta(_DAYS - 1)).isoformat()],
            "to_date": [last.isoformat()],
        }
    params = coverage_params(lists, datetime.now(UTC).date())
    report = await report_coverage(context_of(request, call), params)
    missing: Missing | None = await or_default(
        None, missing_filings, state.engine, params, MOST_MISSING
    )
    days = covered_days(report.days)
    call.result_count = sum(covered.known for covered in days)
    return render(
        "coverage.html",
        held=statistics,
        days=days,
        by_form=form_days(COVERAGE, report.days),
        missing=missing,
        missing_days=report.missing_days,
        cells=cells(days, params.first_day, params.last_day, report.missing_days),
        months=months(params.first_day, params.last_day),
        first=params.first_day,
        last=params.last_day,
        earlier=_neighbour_period(lists, params.first_day, params.last_day, -1),
        later=_neighbour_period(lists, params.first_day, params.last_day, 1),
        warnings=report.warnings,
        api=curl(address("/v1/coverage", lists), str(request.base_url)[:-1]),
        milliseconds=call.milliseconds,
        **head(call, lists),
    )


def covered_days(found: Sequence[Day]) -> list[CoveredDay]:
    """Return each day's totals over all forms, newest first."""
    by_day: dict[str, list[Day]] = {}
    for day_of_form in found:
        by_day.setdefault(day_of_form.filing_date, []).append(day_of_form)
    return [_covered_day(day, forms) for day, forms in sorted(by_day.items(), reverse=True)]


def cells(
    days: Sequence[CoveredDay], first: date, last: date, missing: Sequence[date] = ()
) -> list[tuple[int, int, int, str]]:
    """Return the cells of the calendar: week, weekday, step and title of each day."""
    known = {each.day: each for each in days}
    monday = first - timedelta(first.weekday())
    squares = []
    for number in range((last - first).days + 1):
        now = first + timedelta(number)
        covered = known.get(now)
        title = f"{day(now)}: {'EDGAR lists nothing' if now in missing else 'nothing known'}"
        if covered:
            title = f"{day(now)}: {covered.searchable:,} of {covered.known:,} searchable"
        step = covered.step if covered else 0
        squares.append(((now - monday).days // 7, now.weekday(), step, title))
    return squares


def months(first: date, last: date) -> list[tuple[int, str]]:
    """Return the months of the calendar by the week of their first day.

    The first month and each January show the year. A month without room for its name beside the one
    before is left out.
    """
    monday = first - timedelta(first.weekday())
    names: list[tuple[int, str]] = []
    for number in range((last - first).days + 1):
        day = first + timedelta(number)
        if number and day.day > 1:
            continue
        week = (day - monday).days // 7
        with_year = not names or day.month == 1
        if not names or week - names[-1][0] >= _WEEKS_OF_NAME:
            names.append((week, f"{day:%b %Y}" if with_year else f"{day:%b}"))
    return names


def _covered_day(day: str, forms: Sequence[Day]) -> CoveredDay:
    known, searchable, refused, deleted, waiting, withdrawn = (
        sum(getattr(form, name) or 0 for form in forms)
        for name in ("known", "searchable", "refused", "deleted", "waiting", "withdrawn")
    )
    medians = [form.accepted_to_searchable.p50 for form in forms]
    return CoveredDay(
        date.fromisoformat(day),
        known,
        searchable,
        refused,
        deleted,
        waiting,
        max((median for median in medians if median is not None), default=None),
        withdrawn,
    )


def _neighbour_period(lists: Lists, first: date, last: date, by: int) -> str | None:
    """Return the address of as many days before or after, or None outside the calendar."""
    days = timedelta((last - first).days + 1) * by
    try:
        return address(COVERAGE, lists, from_date=first + days, to_date=last + days)
    except OverflowError:
        return None
