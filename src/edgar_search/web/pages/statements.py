"""Financial statements for a page: columns by period, scaled amounts, and links."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

from edgar_search.api.financials import TextPlace
from edgar_search.api.statements import (
    Column,
    LineValue,
    ReportedLine,
    ReportedStatement,
    StatementsReply,
)
from edgar_search.stored.financials import StoredPlace
from edgar_search.web.pages.links import cited_address
from edgar_search.web.pages.templates import day

# Divisors by their names in an address; only amounts of money and numbers of shares are divided.
SCALES = {"millions": 1_000_000, "thousands": 1_000, "units": 1}
# The `decimals` of whole millions, and of whole thousands.
_ROUNDED = {"millions": -6, "thousands": -3}
# Digits after the point of a scaled amount.
_PLACES = 3
_PRECISION = 20


class Number(NamedTuple):
    """A formatted amount, and the address of its position in the text."""

    text: str
    place: str | None


class Line(NamedTuple):
    """A line with its number in each column; `unit` is set if it differs from the statement's."""

    label: str
    members: str
    depth: int
    total: bool
    unit: str
    numbers: list[Number | None]


class Statement(NamedTuple):
    """A statement in the page's scale; a line without numbers is a heading."""

    kind: str
    title: str
    unit: str
    columns: list[str]
    lines: list[Line]

    @property
    def rows(self) -> Iterator[tuple[Line, bool]]:
        """Yield each line, and whether it is a heading."""
        for line in self.lines:
            yield line, not any(line.numbers)


def shown_statements(answer: StatementsReply, scale: str) -> list[Statement]:
    """Return a filing's statements in one of SCALES."""
    # One part may be both the income statement and the statement of comprehensive income.
    parts = {statement.role: statement for statement in reversed(answer.statements)}
    return [_statement(part, SCALES[scale]) for part in reversed(parts.values())]


def usual_scale(answer: StatementsReply) -> str:
    """Return the scale in which most amounts of money are filed."""
    counts: Counter[str] = Counter()
    for statement in answer.statements:
        for line in statement.lines:
            if not line.breakdown:
                counts.update(_scale(value) for value in line.values if is_money(value.unit))
    return counts.most_common(1)[0][0] if counts else "units"


def _scale(value: LineValue) -> str:
    if value.decimals is None:
        return "units"
    return next((name for name, most in _ROUNDED.items() if value.decimals <= most), "units")


def is_money(unit: str) -> bool:
    """Return True for a currency, whose code is three capitals."""
    return len(unit) == 3 and unit.isalpha() and unit.isupper()


def format_scaled(value: Decimal, unit: str, scale: int) -> str:
    """Format a scaled amount; negative ones are in parentheses."""
    # An amount keeps all its digits only if the precision holds them.
    with localcontext(prec=_PRECISION + abs(value.adjusted()) + len(value.as_tuple().digits)):
        amount = value
        if scale > 1 and (is_money(unit) or unit == "shares"):
            amount = round(value / scale, _PLACES)
        text = f"{abs(amount):,f}"
    if scale > 1 and "." in text and unit.count("/") == 0:
        text = text.rstrip("0").rstrip(".")
    return f"({text})" if amount < 0 else text


def period_name(period: Column) -> str:
    """Return the name of a column: its day, or its months and last day."""
    if period.start is None:
        return day(period.end)
    length = period.months
    days = (period.end - period.start).days + 1
    return f"{f'{length} months' if length > 1 else f'{days} days'} to {day(period.end)}"


def place_address(place: TextPlace | StoredPlace | None) -> str | None:
    """Return the address of a document's page with a position of its text marked."""
    if place is None:
        return None
    return cited_address(place.document_id, place.start, place.end, place.text_sha256)


def _statement(statement: ReportedStatement, scale: int) -> Statement:
    units = Counter(value.unit for line in statement.lines for value in line.values)
    money = [unit for unit, _ in units.most_common() if is_money(unit)]
    main = money[0] if money else next(iter(units), "")
    columns = statement.by_length
    return Statement(
        statement.statement,
        statement.title,
        main,
        [period_name(statement.periods[column]) for column in columns],
        [_line(line, columns, main, scale) for line in statement.lines],
    )


def _line(line: ReportedLine, columns: Sequence[int], main: str, scale: int) -> Line:
    values = line.cells(columns)
    return Line(
        line.title,
        line.members if line.members != line.label else "",
        line.depth,
        line.total,
        line.unit if any(values) and line.unit != main else "",
        [None if value is None else _number(line, value, scale) for value in values],
    )


def _number(line: ReportedLine, value: LineValue, scale: int) -> Number:
    text = format_scaled(line.presented(value), value.unit, scale)
    return Number(text, place_address(value.place))
