"""Series for a company's page: a number for each year or quarter, and its bars."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from edgar_search.edgar.form_types import FAMILIES
from edgar_search.financials.derived import DERIVED_KINDS, Derived, DerivedKind
from edgar_search.financials.facts import FactSearch
from edgar_search.financials.history import YEAR_DAYS, fiscal_years, is_of
from edgar_search.financials.statements import number
from edgar_search.search.filings import FormYears
from edgar_search.stored.financials import StoredFact
from edgar_search.web.pages.statements import format_scaled, is_money, place_address
from edgar_search.web.pages.templates import day

# The items on every company's page, in this order.
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
# The periods that figures may cover; the last two also have derived amounts.
PERIODS = {
    "years": "years",
    "quarters": "quarters",
    "q4": "with fourth quarters",
    "ttm": "twelve months",
}
# Days from one bar to the next; a period that nobody filed leaves a gap.
_BETWEEN = {"years": YEAR_DAYS, "quarters": 91.3, "q4": 91.3, "ttm": 91.3}
# How many periods may be missing before a note says so: fourth quarters are rarely filed, and not
# all amounts add up.
_UNSAID = {"years": 0, "quarters": 3, "q4": 3, "ttm": 3}
# How many of the newest rows are read, and how many points are shown.
MOST_ROWS, MOST_POINTS = 1_000, 12
# A picture is divided into this many slots, one for each bar or gap; the labels are below the bars.
_SLOTS, _SLOT, _BAR, _HEIGHT, _LABEL = 12, 20, 14, 40.0, 14.0
_MILLION = 1_000_000
# An amount of another order than the rest of its series was read or filed in another unit.
_FOLD = 1_000
# Items that are hardly ever close to zero.
_LARGE_ITEMS = ("revenue", "total_assets")
_ANOTHER_ORDER = "a thousandfold more or less than in other periods"
# Concepts of the schedules of numbers that filings included until 2001.
_SCHEDULE = "ex-27:"
# The years whose filings contain neither schedules of numbers nor XBRL.
_WITHOUT_NUMBERS = range(2001, 2009)


class Point(NamedTuple):
    """A number for a period that ends on a day, in a filing; `place` is its address in the text.

    `source` is the address of the filing's statements, or of its schedule of numbers. `doubt` says
    why the number may be wrong, `derived` which numbers it adds up if nobody filed it.
    """

    end: date
    text: str
    filing: str
    source: str
    place: str | None
    doubt: str | None
    derived: str | None = None


class Bar(NamedTuple):
    """A bar in the picture of a series."""

    x: float
    y: float
    height: float
    title: str


class Label(NamedTuple):
    """A text centred below a bar; "…" in a gap."""

    x: float
    text: str


class Series(NamedTuple):
    """Numbers of an item or a concept, the newest first; bars begin with the oldest.

    Doubtful numbers have no bar. `newest` is the newest number that is not doubtful, `when` its
    period. At the `breaks`, which are positions in the picture, the concept changes. `notes` report
    gaps and breaks.
    """

    name: str
    concept: str
    unit: str
    points: list[Point]
    newest: Point
    when: str
    bars: list[Bar]
    labels: list[Label]
    breaks: list[float]
    notes: list[str]
    bar_width: int = _BAR
    width: int = _SLOTS * _SLOT
    base: float = _HEIGHT
    height: float = _HEIGHT + _LABEL


def item_search(cik: str) -> FactSearch:
    """Return the search for the items of a company's page."""
    return FactSearch(ciks=[cik], items=ITEMS)


def concept_search(cik: str, concept: str) -> FactSearch:
    """Return the search for one of a company's concepts."""
    return FactSearch(ciks=[cik], concepts=[concept])


def derived_kinds(periods: str) -> list[DerivedKind]:
    """Return the kinds of derived amounts in series of these PERIODS."""
    return [kind for kind in DERIVED_KINDS if kind == periods]


def item_series(
    rows: Sequence[StoredFact], periods: str, derived: Sequence[Derived] = ()
) -> list[Series]:
    """Return the series of items for PERIODS, leaving out empty ones.

    Amounts of a day are shown at the ends of the other items' periods.
    """
    flows = _flows(rows, periods)
    ends = {row.end for row in flows} | {amount.end for amount in derived}
    instants = [row for row in rows if row.start is None and row.end in ends]
    doubtful = _of_another_order([*flows, *instants])
    series = [
        _series(
            _name(item),
            periods,
            [row for row in (*flows, *instants) if row.local_name == item],
            [amount for amount in derived if amount.year.local_name == item],
            doubtful,
        )
        for item in ITEMS
    ]
    return [amount for amount in series if amount is not None]


def concept_series(
    rows: Sequence[StoredFact], periods: str, derived: Sequence[Derived] = ()
) -> list[Series]:
    """Return the series of each matching concept: one, or several of the same name."""
    of = {row.concept: row.label for row in rows}
    shown_rows = [*_flows(rows, periods), *(row for row in rows if row.start is None)]
    series = [
        _series(
            label,
            periods,
            [row for row in shown_rows if row.concept == concept],
            [amount for amount in derived if amount.year.concept == concept],
        )
        for concept, label in of.items()
    ]
    return [amount for amount in series if amount is not None]


def gap_at_the_end(series: Sequence[Series], spread: Sequence[FormYears]) -> str | None:
    """Return a note if later annual reports exist, two years or more after the newest figures.

    `spread` counts the company's filings by form and year.
    """
    filed = [max(form.years) for form in spread if form.form_type in FAMILIES["annual report"]]
    newest = max((one_series.newest.end.year for one_series in series), default=None)
    if not filed or newest is None or max(filed) - newest < 2:
        return None
    return (
        f"no figures after {newest}: the later annual reports here, up to {max(filed)}, have none"
    )


def _name(item: str) -> str:
    """Return an item's name for people."""
    words = item.replace("_", " ")
    return words.replace("eps", "EPS,") if "eps" in words else words.capitalize()


def _flows(rows: Sequence[StoredFact], periods: str) -> list[StoredFact]:
    """Return the rows of fiscal years, or of quarters."""
    if periods in ("years", "ttm"):
        return fiscal_years(rows)
    return [row for row in rows if is_of(row, "quarter")]


def _of_another_order(rows: Sequence[StoredFact]) -> set[str]:
    """Return the filings whose large items differ a thousandfold from most filings.

    An old schedule without its multiplier states thousands where it means millions.
    """
    votes: dict[str, list[bool]] = {}
    for item in _LARGE_ITEMS:
        of_item = [row for row in rows if row.local_name == item and number(row.value)]
        if of_item:
            usual = sorted(abs(number(row.value)) for row in of_item)[len(of_item) // 2]
            for row in of_item:
                amount = abs(number(row.value))
                is_other = amount * _FOLD <= usual or amount >= usual * _FOLD
                votes.setdefault(row.accession_number, []).append(is_other)
    return {filing for filing, votes_of_filing in votes.items() if all(votes_of_filing)}


def _series(
    name: str,
    periods: str,
    rows: Sequence[StoredFact],
    derived: Sequence[Derived],
    doubtful: Collection[str] = (),
) -> Series | None:
    kept: dict[date, StoredFact] = {}
    counts = Counter(row.unit for row in rows)
    unit = counts.most_common(1)[0][0] if counts else ""
    sums = {
        derived_amount.end: derived_amount
        for derived_amount in derived
        if derived_amount.year.unit == unit
    }
    every = [*rows, *(derived_amount.row for derived_amount in sums.values())]
    for row in sorted(every, key=lambda derived_amount: derived_amount.end, reverse=True):
        if row.unit == unit and len(kept) < MOST_POINTS:
            kept.setdefault(row.end, row)
    if not kept:
        return None
    newest = list(kept.values())
    amounts = [number(row.value) for row in newest]
    scale = _scale_of(unit, amounts)
    points = [
        Point(
            row.end,
            format_scaled(amount, unit, scale),
            row.accession_number,
            _source(row),
            place_address(row.place),
            row.doubt or (_ANOTHER_ORDER if row.accession_number in doubtful else None),
            _parts(sums[row.end], unit, scale) if row.end in sums else None,
        )
        for row, amount in zip(newest, amounts, strict=True)
    ]
    label = f"{unit}, millions" if scale > 1 else unit
    head = next((point for point in points if not point.doubt), points[0])
    picture = _picture(points, newest, amounts, periods)
    return Series(
        name, newest[0].concept, label, points, head, _period(head.end, periods), *picture
    )


def _source(row: StoredFact) -> str:
    is_scheduled = any(concept.startswith(_SCHEDULE) for concept in (row.concept, *row.sources))
    return (
        f"/document/{row.document_id}"
        if is_scheduled
        else f"/filing/{row.accession_number}#statements"
    )


def _parts(found: Derived, unit: str, scale: int) -> str:
    """Return the sum behind a derived amount: "100 + 27 − 20"."""
    parts = [
        f"{'−' if sign < 0 else '+'} {format_scaled(number(row.value), unit, scale)}"
        for sign, row in found.parts
    ]
    return " ".join(parts).removeprefix("+ ")


def _scale_of(unit: str, amounts: Sequence[Decimal]) -> int:
    large = max(map(abs, amounts), default=Decimal()) >= _MILLION
    return _MILLION if large and (is_money(unit) or unit == "shares") else 1


def _period(end: date, periods: str) -> str:
    return str(end.year) if periods == "years" else f"{end:%b %Y}"


def _picture(
    points: Sequence[Point],
    rows: Sequence[StoredFact],
    amounts: Sequence[Decimal],
    periods: str,
) -> tuple[list[Bar], list[Label], list[float], list[str]]:
    """Return bars that rise or fall from the zero line, their labels, breaks and notes.

    All newest first.
    """
    drawn = [amount for point, amount in zip(points, amounts, strict=True) if not point.doubt]
    top, bottom = max([*drawn, Decimal()]), min([*drawn, Decimal()])
    span = float(top - bottom) or 1.0
    bars: list[Bar] = []
    labels: list[Label] = []
    breaks: list[float] = []
    notes: list[str] = []
    slot = _SLOTS - 1
    for place, (point, amount) in enumerate(zip(points, amounts, strict=True)):
        if place:
            later = points[place - 1]
            missing = round((later.end - point.end).days / _BETWEEN[periods]) - 1
            if missing > _UNSAID[periods]:
                notes.append(_gap(point.end, later.end, periods))
            if missing > 1 and slot >= 0:
                labels.append(Label(_middle(slot), "…"))
            slot -= min(missing, 1) if missing > 0 else 0
            before, after = rows[place].sources, rows[place - 1].sources
            if before and after and before != after and slot >= 0:
                breaks.append((slot + 1) * _SLOT)
                notes.append(f"another concept up to {_period(point.end, periods)}")
        if slot < 0:
            continue
        if not point.doubt:
            y = _HEIGHT * float(top - max(amount, Decimal())) / span
            height = max(0.5, _HEIGHT * float(abs(amount)) / span)
            title = f"{day(point.end)}: {point.text}"
            x = slot * _SLOT + (_SLOT - _BAR) / 2
            bars.append(Bar(x, round(y, 1), round(height, 1), title))
        else:
            labels.append(Label(_middle(slot), "?"))
        is_first = place + 1 == len(points) or points[place + 1].end.year != point.end.year
        if (periods == "years" or is_first) and not point.doubt:
            labels.append(Label(_middle(slot), f"’{point.end:%y}"))
        slot -= 1
    # The oldest begins at the left, however few there are.
    empty = max(slot + 1, 0) * _SLOT
    return (
        [bar._replace(x=bar.x - empty) for bar in reversed(bars)],
        [label._replace(x=label.x - empty) for label in reversed(labels)],
        [place - empty for place in breaks],
        notes[::-1],
    )


def _middle(slot: int) -> float:
    return slot * _SLOT + _SLOT / 2


def _gap(before: date, after: date, periods: str) -> str:
    """Describe the periods without a number between two days."""
    if periods != "years":
        return f"no figures between {_period(before, periods)} and {_period(after, periods)}"
    first, last = before.year + 1, after.year - 1
    span = str(first) if first == last else f"{first} to {last}"
    # Nearly each year of the gap is one whose filings contain no numbers to read.
    unread = sum(year in _WITHOUT_NUMBERS for year in range(first, last + 1))
    why = ": filings had no XBRL then" if unread * 2 > last + 1 - first else " here"
    return f"no figures {span}{why}"
