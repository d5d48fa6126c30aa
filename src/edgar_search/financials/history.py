"""Series of a company's concepts: a value for each end of a period, newest first."""

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
# The days of a quarter of 12 to 17 weeks; a shorter period is a stub, or a month.
SHORTEST_QUARTER, LONGEST_QUARTER = 80, 120
# The least and the most days that each kind of period has.
_DAYS: dict[HistoryPeriods, tuple[int, int]] = {
    "quarter": (SHORTEST_QUARTER, LONGEST_QUARTER),
    "ytd": (LONGEST_QUARTER + 1, 349),
    "year": (350, 380),
}
YEAR_DAYS = 365.25
# By how many days the end of a fiscal year of 52 or 53 weeks may move.
_MOST_MOVED = 10
# The fiscal periods of yearly reports, and of filings that name none.
_OF_YEARS = ("FY", "CY", None)
# The taxonomies searched first for a name without a taxonomy.
_FIRST_TAXONOMIES = ("us-gaap", "ifrs-full", "srt", "dei")


class HistorySearch(Struct, frozen=True, kw_only=True):
    """Criteria of series: a company's concepts, with their taxonomy or without.

    Without a `unit`, each series is in the unit of most of its values. Of values that were filed
    again, the last one filed by `as_of` counts, or with `original` the first.
    """

    cik: str
    concepts: Sequence[str]
    periods: HistoryPeriods = "shortest"
    unit: str | None = None
    as_of: date | None = None
    original: bool = False


async def find_history(engine: Engine, search: HistorySearch) -> dict[str, list[StoredFact]]:
    """Find the rows of each concept, by the name given, for all periods and units.

    Raises NotFound for a company without stored facts.
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
    """Return a concept's rows with these periods, in the most common unit, newest end first."""
    of_periods = [row for row in rows if is_of(row, periods)]
    if periods == "year":
        of_periods = fiscal_years(of_periods)
    units = [row.unit for row in of_periods]
    unit = max(dict.fromkeys(units), key=units.count, default="")
    of_periods = sorted(
        (row for row in of_periods if row.unit == unit),
        key=lambda row: (-row.end.toordinal(), days_of(row)),
    )
    if periods == "all":
        return of_periods
    # Of periods with the same end, the shortest counts: for a fourth quarter that was not filed
    # this is the year.
    return [next(same_end) for _, same_end in groupby(of_periods, key=lambda row: row.end)]


def fiscal_years(rows: Iterable[StoredFact]) -> list[StoredFact]:
    """Return those rows of a company that cover a fiscal year, in their order.

    Quarterly reports may also have the twelve months that end with their quarter. A fiscal year
    ends about a whole number of years from the nearest yearly report's end.
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
    """Return by how many days a day misses whole years from the nearest of others."""
    away = min(abs((end - other).days) for other in ends)
    return abs(away - round(away / YEAR_DAYS) * YEAR_DAYS)


def is_of(row: StoredFact, periods: HistoryPeriods) -> bool:
    """Return True if a row covers such a period, by its length."""
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

    For a name without taxonomy, the rows of the first taxonomy that has it.
    """
    if ":" in name:
        return [row for row in rows if row.concept == name]
    named_rows = [row for row in rows if row.local_name == name and row.taxonomy != STANDARD]
    taxonomies = {row.taxonomy for row in named_rows}
    chosen = next((taxonomy for taxonomy in _FIRST_TAXONOMIES if taxonomy in taxonomies), None)
    # The prefix of a company's own concepts may change from year to year.
    return [row for row in named_rows if chosen is None or row.taxonomy == chosen]


def days_of(row: StoredFact) -> int:
    """Return the length of a period in days, both ends included; 0 for an instant."""
    return 0 if row.start is None else (row.end - row.start).days + 1
