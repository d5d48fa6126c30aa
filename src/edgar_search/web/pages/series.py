"""Series of a company as its page shows them: a number for each year or quarter, and its bars."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from edgar_search.financials.facts import FactSearch
from edgar_search.financials.history import YEAR_DAYS, fiscal_years, is_of
from edgar_search.financials.statements import number
from edgar_search.stored.financials import StoredFact
from edgar_search.web.pages.statements import format_scaled, is_money, place_address
from edgar_search.web.pages.templates import day

# The items of every company's page, in this order.
ITEMS = (
    "revenue",
    "operating_income",
    "net_income",
    "eps_diluted",
    "cash_from_operations",
    "capital_expenditure",
    "free_cash_flow",
    "total_assets",
    "cash",
    "equity",
)
PERIODS = ("years", "quarters")
# Days from one bar to the next; a period that nobody filed leaves a gap.
_BETWEEN = {"years": YEAR_DAYS, "quarters": 91.3}
# The newest rows that are read, and the points that are shown.
MOST_ROWS, MOST_POINTS = 1_000, 12
# The sides of a bar and of its picture.
BAR_WIDTH, _STEP, _HEIGHT = 8, 10, 40.0
_MILLION = 1_000_000


class Point(NamedTuple):
    """A number of a period that ends on a day, in a filing; `place` is its address in the text.

    `doubt` says why it may be another number.
    """

    end: date
    text: str
    filing: str
    place: str | None
    doubt: str | None


class Bar(NamedTuple):
    """A bar in the picture of a series."""

    x: float
    y: float
    height: float
    title: str


class Series(NamedTuple):
    """Numbers of an item or a concept, the newest first; bars from the oldest on."""

    name: str
    concept: str
    unit: str
    points: list[Point]
    bars: list[Bar]
    bar_width: int = BAR_WIDTH

    @property
    def width(self) -> float:
        """The width of the picture."""
        return self.bars[-1].x + (_STEP + BAR_WIDTH) / 2


def item_search(cik: str) -> FactSearch:
    """The search for the items of a company's page."""
    return FactSearch(ciks=[cik], items=ITEMS)


def concept_search(cik: str, concept: str) -> FactSearch:
    """The search for a concept of a company."""
    return FactSearch(ciks=[cik], concepts=[concept])


def item_series(rows: Sequence[StoredFact], periods: str) -> list[Series]:
    """The series of items, of PERIODS; those without a number are left out.

    Amounts of a day are shown at the ends of the periods of the others.
    """
    flows = _flows(rows, periods)
    ends = {row.end for row in flows}
    instants = [row for row in rows if row.start is None and row.end in ends]
    found = [
        _series(
            _name(item), periods, [row for row in (*flows, *instants) if row.local_name == item]
        )
        for item in ITEMS
    ]
    return [each for each in found if each.points]


def concept_series(rows: Sequence[StoredFact], periods: str) -> list[Series]:
    """The series of each concept that is found: one, or several of the same name."""
    of = {row.concept: row.label for row in rows}
    shown = [*_flows(rows, periods), *(row for row in rows if row.start is None)]
    found = [
        _series(label, periods, [row for row in shown if row.concept == concept])
        for concept, label in of.items()
    ]
    return [each for each in found if each.points]


def _name(item: str) -> str:
    """The name of an item for people."""
    words = item.replace("_", " ")
    return words.replace("eps", "EPS,") if "eps" in words else words.capitalize()


def _flows(rows: Sequence[StoredFact], periods: str) -> list[StoredFact]:
    """The rows of fiscal years, or of quarters."""
    if periods == "years":
        return fiscal_years(rows)
    return [row for row in rows if is_of(row, "quarter")]


def _series(name: str, periods: str, rows: Sequence[StoredFact]) -> Series:
    kept: dict[date, StoredFact] = {}
    counts = Counter(row.unit for row in rows)
    unit = counts.most_common(1)[0][0] if counts else ""
    for row in sorted(rows, key=lambda each: each.end, reverse=True):
        if row.unit == unit and len(kept) < MOST_POINTS:
            kept.setdefault(row.end, row)
    newest = list(kept.values())
    amounts = [number(row.value) for row in newest]
    scale = _scale_of(unit, amounts)
    points = [
        Point(
            row.end,
            format_scaled(amount, unit, scale),
            row.accession_number,
            place_address(row.place),
            row.doubt,
        )
        for row, amount in zip(newest, amounts, strict=True)
    ]
    concept = newest[0].concept if newest else ""
    shown = f"{unit}, millions" if scale > 1 else unit
    return Series(
        name, concept, shown, points, _bars(points[::-1], amounts[::-1], _BETWEEN[periods])
    )


def _scale_of(unit: str, amounts: Sequence[Decimal]) -> int:
    large = max(map(abs, amounts), default=Decimal()) >= _MILLION
    return _MILLION if large and (is_money(unit) or unit == "shares") else 1


def _bars(points: Sequence[Point], amounts: Sequence[Decimal], days: float) -> list[Bar]:
    """Bars from the line of zero up or down."""
    top, bottom = max([*amounts, Decimal()]), min([*amounts, Decimal()])
    span = float(top - bottom) or 1.0
    found = []
    for point, amount in zip(points, amounts, strict=True):
        place = round((point.end - points[0].end).days / days)
        y = _HEIGHT * float(top - max(amount, Decimal())) / span
        height = max(0.5, _HEIGHT * float(abs(amount)) / span)
        x = place * _STEP + (_STEP - BAR_WIDTH) / 2
        title = f"{day(point.end)}: {point.text}"
        found.append(Bar(x, round(y, 1), round(height, 1), title))
    return found
