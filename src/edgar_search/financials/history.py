"""Series of concepts of one company: a value for each end of a period, the newest first."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import Literal, get_args

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.financials.facts import STANDARD, FactSearch, all_facts, require_known
from edgar_search.stored.financials import StoredFact

HistoryPeriods = Literal["shortest", "quarter", "year", "ytd", "instant", "all"]
HISTORY_PERIODS: tuple[HistoryPeriods, ...] = get_args(HistoryPeriods)
MOST_CONCEPTS = 50
# Days of a quarter, of 12 to 17 weeks: a shorter period is a stub, or a month.
SHORTEST_QUARTER, LONGEST_QUARTER = 80, 120
# Days of the periods that have a name, at least and at most.
_DAYS: dict[HistoryPeriods, tuple[int, int]] = {
    "quarter": (SHORTEST_QUARTER, LONGEST_QUARTER),
    "ytd": (LONGEST_QUARTER + 1, 349),
    "year": (350, 380),
}
YEAR_DAYS = 365.25
# Days by which the last day of a fiscal year moves if it has 52 or 53 weeks.
_MOST_MOVED = 10
# Reports of a year, and filings that name no period.
_OF_YEARS = ("FY", "CY", None)
# The taxonomies in which a name without one is sought first.
_FIRST_TAXONOMIES = ("us-gaap", "ifrs-full", "srt", "dei")


class HistorySearch(Struct, frozen=True, kw_only=True):
    """Criteria of series: concepts of a company, with their taxonomy or without.

    Without a `unit` each series is in the one of most of its values. Of values that were filed
    again the last one counts that was filed by `as_of`, or with `original` the first.
    """

    cik: str
    concepts: Sequence[str]
    periods: HistoryPeriods = "shortest"
    unit: str | None = None
    as_of: date | None = None
    original: bool = False


async def find_history(engine: Engine, search: HistorySearch) -> dict[str, list[StoredFact]]:
    """Return the rows of each concept by its name as asked, of all periods and units.

    Raises NotFound for a company that has no facts here.
    """
    facts = FactSearch(
        ciks=[search.cik],
        concepts=search.concepts,
        units=[search.unit] if search.unit else (),
        as_of=search.as_of,
        original=search.original,
    )
    rows = await all_facts(engine, facts)
    if not rows:
        await require_known(engine, FactSearch(ciks=[search.cik]))
    return {name: _rows_of(name, rows) for name in search.concepts}


def series(rows: Iterable[StoredFact], periods: HistoryPeriods) -> list[StoredFact]:
    """Return rows of one concept of these periods, in the unit of most, the newest end first."""
    kept = [row for row in rows if is_of(row, periods)]
    if periods == "year":
        kept = fiscal_years(kept)
    units = [row.unit for row in kept]
    unit = max(dict.fromkeys(units), key=units.count, default="")
    kept = sorted(
        (row for row in kept if row.unit == unit),
        key=lambda row: (-row.end.toordinal(), days_of(row)),
    )
    if periods == "all":
        return kept
    # Of periods with one end the shortest: a fourth quarter that nobody filed is the year.
    return [next(same_end) for _, same_end in groupby(kept, key=lambda row: row.end)]


def fiscal_years(rows: Iterable[StoredFact]) -> list[StoredFact]:
    """Return the rows of one company that have a fiscal year, in their order.

    Quarterly reports may have the twelve months that end with their quarter, too. A fiscal year
    ends about as many years from that of the nearest yearly report.
    """
    years = [row for row in rows if is_of(row, "year")]
    newest: dict[str, date] = {}
    for row in years:
        if row.fiscal_period in _OF_YEARS:
            number = row.accession_number
            newest[number] = max(row.end, newest.get(number, row.end))
    ends = set(newest.values())
    return [row for row in years if ends and _moved(row.end, ends) <= _MOST_MOVED]


def _moved(end: date, ends: Iterable[date]) -> float:
    """Return the days by which a day misses being whole years from the nearest of others."""
    away = min(abs((end - each).days) for each in ends)
    return abs(away - round(away / YEAR_DAYS) * YEAR_DAYS)


def is_of(row: StoredFact, periods: HistoryPeriods) -> bool:
    """Return True if a row is of these periods, by its length."""
    if periods == "all":
        return True
    if row.start is None:
        return periods in ("instant", "shortest")
    if periods == "shortest":
        return days_of(row) >= SHORTEST_QUARTER
    least, most = _DAYS.get(periods, (1, 0))
    return least <= days_of(row) <= most


def _rows_of(name: str, rows: Iterable[StoredFact]) -> list[StoredFact]:
    """Return the rows of a concept.

    Of a name without taxonomy, the rows of the first that has it.
    """
    if ":" in name:
        return [row for row in rows if row.concept == name]
    found = [row for row in rows if row.local_name == name and row.taxonomy != STANDARD]
    taxonomies = {row.taxonomy for row in found}
    chosen = next((each for each in _FIRST_TAXONOMIES if each in taxonomies), None)
    # A company's own concepts may change their prefix from year to year.
    return [row for row in found if chosen is None or row.taxonomy == chosen]


def days_of(row: StoredFact) -> int:
    """Return the days of a period, both ends included; 0 of a day."""
    return 0 if row.start is None else (row.end - row.start).days + 1
