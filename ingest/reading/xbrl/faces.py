"""The faces of statements: lines with values by period and unit, and how they add up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from edgar_search.stored.financials import StatementKind, StatementLine, StoredStatement
from ingest.reading.xbrl.instance import Context, Fact, Period
from ingest.reading.xbrl.linkbases import Node, Sums, Taxonomy

# Taxonomies whose concepts have one meaning for all companies.
_STANDARD = ("us-gaap", "ifrs-full")
# How many lines with values turn the days of a note into a period of the statement, such as a
# quarter.
_LINES_OF_A_PERIOD = 3


class Column(NamedTuple):
    """The period and the unit of an amount."""

    period: Period
    unit: str


Amounts = Mapping[Column, Fact]


class FaceLine(NamedTuple):
    """A line without dimensions, and its parts by members of one axis.

    `name` is the concept without its taxonomy, empty for a company's own concept. The filer shows a
    `negated` line with the other sign.
    """

    concept: str
    name: str
    label: str
    amounts: Amounts
    members: Sequence[tuple[str, Amounts]]
    negated: bool = False


class Face(NamedTuple):
    """A statement; `sums` holds the addends of its totals, and `columns` its periods."""

    kind: StatementKind
    lines: Sequence[FaceLine]
    sums: Sums
    columns: Sequence[Period]

    def adds_to(self, part: str, total: str) -> bool:
        """Return True if a concept is an addend of another one, or of one of its addends."""
        seen, todo = {total}, [total]
        while todo:
            for addend in self.sums.get(todo.pop(), ()):
                if addend.concept == part:
                    return True
                if addend.concept not in seen:
                    seen.add(addend.concept)
                    todo.append(addend.concept)
        return False

    def is_new(self, amounts: Amounts) -> bool:
        """Return True if a line has an amount in a newest column."""
        return bool(self.columns) and any(
            amount.period in self.columns and amount.period.end == self.columns[0].end
            for amount in amounts
        )

    def periods(self) -> set[Period]:
        """Return the periods of most lines: the columns, and periods that a note covers in full."""
        counts: dict[Period, int] = {}
        for line in self.lines:
            for period in {column.period for column in line.amounts}:
                counts[period] = counts.get(period, 0) + 1
        return {period for period, count in counts.items() if count >= _LINES_OF_A_PERIOD}


def faces_of(statements: Iterable[StoredStatement], taxonomy: Taxonomy) -> list[Face]:
    """Return the faces of the statements of a filing."""
    above = {role.uri: role for role in taxonomy.roles}
    faces = []
    for statement in statements:
        parents = _parents(above[statement.role_uri].nodes) if statement.role_uri in above else {}
        faces.append(
            Face(
                statement.kind,
                list(_lines(statement, parents)),
                taxonomy.sums.get(statement.role_uri, {}),
                [Period(period.start, period.end) for period in statement.periods],
            )
        )
    return faces


def _lines(statement: StoredStatement, parents: Mapping[str, set[str]]) -> Iterator[FaceLine]:
    parts: dict[str, list[StatementLine]] = {}
    for line in (*statement.lines, *statement.breakdowns):
        if len(line.dimensions) == 1:
            parts.setdefault(line.concept, []).append(line)
    seen: set[str] = set()
    for line in statement.lines:
        if line.dimensions or line.concept in seen or line.concept.endswith("Abstract"):
            continue
        seen.add(line.concept)
        prefix, _, name = line.concept.partition(":")
        yield FaceLine(
            line.concept,
            name if prefix in _STANDARD else "",
            line.label,
            _amounts(line),
            list(_members(parts.get(line.concept, ()), parents)),
            line.negated,
        )


def _members(
    lines: Sequence[StatementLine], parents: Mapping[str, set[str]]
) -> Iterator[tuple[str, Amounts]]:
    """Yield the members that add up to a total: on one axis, without parts of other members."""
    axes = {line.dimensions[0].axis for line in lines}
    if len(axes) != 1:
        return
    members = {line.dimensions[0].member for line in lines}
    for line in lines:
        of = line.dimensions[0]
        if parents.get(of.member, set()).isdisjoint(members):
            yield f"{line.concept}[{of.axis}={of.member}]", _amounts(line)


def _parents(nodes: Sequence[Node]) -> dict[str, set[str]]:
    """Return all concepts above each concept of a tree."""
    parents: dict[str, set[str]] = {}
    above: list[tuple[int, str]] = []
    for node in nodes:
        concept, depth = node.concept, node.depth
        while above and above[-1][0] >= depth:
            above.pop()
        parents.setdefault(concept, set()).update(parent for _, parent in above)
        above.append((depth, concept))
    return parents


def _amounts(line: StatementLine) -> dict[Column, Fact]:
    amounts: dict[Column, Fact] = {}
    for value in line.values:
        if value.value is not None:
            column = Column(Period(value.start, value.end), value.unit)
            context = Context("", column.period, ())
            amounts[column] = Fact(
                line.concept, context, value.unit, value.value, value.decimals, place=value.place
            )
    return amounts


def total(amounts: Iterable[tuple[int, Fact]]) -> tuple[str, int | None]:
    """Return the digits of a sum of signed amounts, and its decimals; None if all are exact."""
    value, decimals = Decimal(), []
    for sign, fact in amounts:
        value += sign * Decimal(fact.value or 0)
        if fact.decimals is not None:
            decimals.append(fact.decimals)
    return f"{value:f}", min(decimals, default=None)
