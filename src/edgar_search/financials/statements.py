"""Statements for display: which value of a line is in which column; pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from msgspec import structs

from edgar_search.stored.financials import (
    StatementKind,
    StatementLine,
    StatementPeriod,
    StatementValue,
    StoredFinancials,
    StoredStatement,
)

_DAYS_OF_A_MONTH = 30.44


def statement_of(filing: StoredFinancials, kind: StatementKind) -> StoredStatement | None:
    """Return a filing's statement of a kind, or None."""
    return next((statement for statement in filing.statements if statement.kind == kind), None)


def face_lines(statement: StoredStatement) -> list[StatementLine]:
    """Return the lines of a statement in order, each followed by its members, indented.

    A member's line has the member's own label: "Products" below "Net sales".
    """
    parts: dict[tuple[str, bool], list[StatementLine]] = {}
    for part in statement.breakdowns:
        parts.setdefault((part.concept, part.opening), []).append(part)
    lines: list[StatementLine] = []
    for line in statement.lines:
        lines.append(line)
        # A concept that occurs twice has its members below the first line.
        for part in parts.pop((line.concept, line.opening), ()):
            label, depth = members_label(part), line.depth + 1
            lines.append(structs.replace(part, label=label, depth=depth, total=False))
    return lines


def months(start: date | None, end: date) -> int:
    """Return the length of a column in months, 0 for an instant."""
    if start is None:
        return 0
    return round(((end - start).days + 1) / _DAYS_OF_A_MONTH)


def members_label(line: StatementLine) -> str:
    """Return the names of a line's members for people, without "[Member]"."""
    return ", ".join(member_label(dimension.label) for dimension in line.dimensions)


def member_label(label: str) -> str:
    """Return a member's label without the tag "[Member]"."""
    return label.removesuffix("[Member]").rstrip()


def local_name(concept: str) -> str:
    """Return the name of a concept without its prefix."""
    return concept.partition(":")[2]


def number(value: str) -> Decimal:
    """Return an amount with its digits as filed.

    JSON numbers are written from it, never from a float.
    """
    return Decimal(value)


def day_shown(line: StatementLine, column: StatementPeriod) -> date:
    """Return the day whose instant a line shows in a column."""
    if line.opening and column.start is not None:
        return column.start - timedelta(1)
    return column.end


def is_in_column(line: StatementLine, value: StatementValue, column: StatementPeriod) -> bool:
    """Return True if a value belongs in a column: it has the column's period, or its last day."""
    if value.start is None:
        return value.end == day_shown(line, column)
    return (value.start, value.end) == (column.start, column.end)


def column_values(statement: StoredStatement, line: StatementLine) -> list[StatementValue]:
    """Return the values of a line that are in a column, in the order of the columns.

    Nil values are left out.
    """
    values: list[StatementValue] = []
    for column in statement.periods:
        values += (
            value
            for value in line.values
            if value.value is not None and is_in_column(line, value, column) and value not in values
        )
    return values


# How many lines of a filing take as long to answer with as a quick search.
_LINES_OF_A_SLOT = 125


def statement_slots(filing: StoredFinancials) -> int:
    """Return how many search slots an answer with the statements of a filing takes."""
    lines = sum(len(statement.lines) + len(statement.breakdowns) for statement in filing.statements)
    return 1 + lines // _LINES_OF_A_SLOT


def main_unit(values: Sequence[StatementValue]) -> str | None:
    """Return the unit of most of these values, the first in a tie; None without values."""
    if len({value.unit for value in values}) < 2:
        return values[0].unit if values else None
    return Counter(value.unit for value in values).most_common(1)[0][0]
