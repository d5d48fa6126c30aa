"""XBRL of companies that do not exist: an instance, a schema and linkbases, built from values."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

_NAMESPACES = (
    'xmlns="http://www.xbrl.org/2003/instance" xmlns:link="http://www.xbrl.org/2003/linkbase"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:us-gaap="http://fasb.org/us-gaap/2023" xmlns:dei="http://xbrl.sec.gov/dei/2023"'
    ' xmlns:moss="http://moss.example/2023" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"'
)
_ROLES = "http://www.xbrl.org/2003/role/"
# The units of every made-up instance; facts in other currencies add theirs.
_UNITS = ("USD", "shares", "EUR", "USD/shares")


class MadeUpFact(NamedTuple):
    """A fact; without `start` it is of a day. A value of None is filed as nil."""

    concept: str
    value: str | None
    end: date
    start: date | None = None
    unit: str = "USD"
    decimals: str = "-6"
    members: tuple[tuple[str, str], ...] = ()
    id: str = ""


class MadeUpLine(NamedTuple):
    """A line of a role below its heading; `role` is the last part of the preferred label's."""

    concept: str
    label: str
    role: str = "label"


class MadeUpRole(NamedTuple):
    """A role with a heading, below which are its lines; `sums` are totals, parts and weights."""

    definition: str
    heading: str
    lines: Sequence[MadeUpLine]
    sums: Sequence[tuple[str, str, float]] = ()


def instance(
    facts: Iterable[MadeUpFact],
    about: dict[str, str] | None = None,
    cik: str = "0009990080",
    year: int = 2023,
) -> str:
    """Return an instance with these facts, and these texts of `dei` for a year."""
    facts = list(facts)
    contexts: dict[tuple[Any, ...], str] = {}
    lines = []
    for name, text in (about or {}).items():
        lines.append(f'<dei:{name} contextRef="about">{escape(text)}</dei:{name}>')
    for fact in facts:
        key = (fact.start, fact.end, fact.members)
        context = contexts.setdefault(key, f"c{len(contexts)}")
        value = escape(fact.value) if fact.value is not None else ""
        nil = "" if fact.value is not None else ' xsi:nil="true"'
        given = f'contextRef="{context}" unitRef="{fact.unit.replace("/", "_")}"'
        given += f' id="{fact.id}"' if fact.id else ""
        lines.append(
            f'<{fact.concept} {given} decimals="{fact.decimals}"{nil}>{value}</{fact.concept}>'
        )
    made = [_context(name, cik, *key) for key, name in contexts.items()]
    made.append(_context("about", cik, date(year, 1, 1), date(year, 12, 31), ()))
    units = map(_unit, dict.fromkeys([*_UNITS, *(fact.unit for fact in facts)]))
    body = "\n".join([*made, *units, *lines])
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<xbrl {_NAMESPACES}>\n{body}\n</xbrl>'


def _unit(name: str) -> str:
    measures = [
        each if each in ("shares", "pure") else f"iso4217:{each}" for each in name.split("/")
    ]
    above, *below = (f"<measure>{each}</measure>" for each in measures)
    if below:
        above = (
            f"<divide><unitNumerator>{above}</unitNumerator>"
            f"<unitDenominator>{below[0]}</unitDenominator></divide>"
        )
    return f'<unit id="{name.replace("/", "_")}">{above}</unit>'


def _context(
    name: str, cik: str, start: object, end: object, members: Iterable[tuple[str, str]]
) -> str:
    explicit = "".join(
        f'<xbrldi:explicitMember dimension="{axis}">{member}</xbrldi:explicitMember>'
        for axis, member in members
    )
    segment = f"<segment>{explicit}</segment>" if explicit else ""
    period = (
        f"<instant>{end}</instant>"
        if start is None
        else f"<startDate>{start}</startDate><endDate>{end}</endDate>"
    )
    return (
        f'<context id="{name}"><entity><identifier scheme="http://www.sec.gov/CIK">{cik}'
        f"</identifier>{segment}</entity><period>{period}</period></context>"
    )


def schema(roles: Sequence[MadeUpRole]) -> str:
    """Return a schema with the definitions of roles."""
    types = "".join(
        f'<link:roleType roleURI="http://moss.example/role/{number}" id="r{number}">'
        f"<link:definition>{escape(role.definition)}</link:definition></link:roleType>"
        for number, role in enumerate(roles)
    )
    return (
        '<?xml version="1.0"?><schema xmlns="http://www.w3.org/2001/XMLSchema"'
        ' xmlns:link="http://www.xbrl.org/2003/linkbase"'
        f"><annotation><appinfo>{types}</appinfo></annotation></schema>"
    )


def presentation(roles: Sequence[MadeUpRole]) -> str:
    """Return a presentation linkbase: the lines of each role below its heading."""
    links = []
    for number, role in enumerate(roles):
        concepts = dict.fromkeys([role.heading, *(line.concept for line in role.lines)])
        locators = "".join(map(_locator, concepts))
        arcs = "".join(
            f'<presentationArc xlink:from="{role.heading}" xlink:to="{line.concept}"'
            f' order="{place}" preferredLabel="{_ROLES}{line.role}"/>'
            for place, line in enumerate(role.lines, 1)
        )
        links.append(
            f'<presentationLink xlink:role="http://moss.example/role/{number}">{locators}{arcs}'
            "</presentationLink>"
        )
    return _linkbase("".join(links))


def labels(roles: Sequence[MadeUpRole]) -> str:
    """A label linkbase with the labels of all lines, the preferred ones beside the standard."""
    links = []
    lines = {line for role in roles for line in role.lines}
    lines |= {MadeUpLine(role.heading, role.definition) for role in roles}
    for place, line in enumerate(sorted(lines)):
        links.append(
            f'{_locator(line.concept, f"l{place}")}<label xlink:label="t{place}"'
            f' xlink:role="{_ROLES}{line.role}" xml:lang="en-US">{escape(line.label)}</label>'
            f'<labelArc xlink:from="l{place}" xlink:to="t{place}"/>'
        )
    return _linkbase(f'<labelLink xlink:role="{_ROLES}link">{"".join(links)}</labelLink>')


def calculation(roles: Sequence[MadeUpRole]) -> str:
    """Return a calculation linkbase: the sums of each role."""
    links = []
    for number, role in enumerate(roles):
        concepts = dict.fromkeys(name for total, part, _ in role.sums for name in (total, part))
        arcs = "".join(
            f'<calculationArc xlink:from="{total}" xlink:to="{part}" weight="{weight}"/>'
            for total, part, weight in role.sums
        )
        links.append(
            f'<calculationLink xlink:role="http://moss.example/role/{number}">'
            f"{''.join(map(_locator, concepts))}{arcs}</calculationLink>"
        )
    return _linkbase("".join(links))


def _locator(concept: str, name: str = "") -> str:
    href = f"http://taxonomy.example/all.xsd#{concept.replace(':', '_')}"
    return f'<loc xlink:href="{href}" xlink:label="{name or concept}"/>'


def _linkbase(content: str) -> str:
    return (
        '<?xml version="1.0"?><linkbase xmlns="http://www.xbrl.org/2003/linkbase"'
        f' xmlns:xlink="http://www.w3.org/1999/xlink">{content}</linkbase>'
    )


def documents(instance_text: str, roles: Sequence[MadeUpRole]) -> tuple[MadeUpDocument, ...]:
    """Return the documents of a submission that hold its XBRL."""
    bodies = {
        "EX-101.INS": ("moss.xml", instance_text),
        "EX-101.SCH": ("moss.xsd", schema(roles)),
        "EX-101.PRE": ("moss_pre.xml", presentation(roles)),
        "EX-101.LAB": ("moss_lab.xml", labels(roles)),
    }
    if any(role.sums for role in roles):
        bodies["EX-101.CAL"] = ("moss_cal.xml", calculation(roles))
    return tuple(
        MadeUpDocument(f"<XBRL>\n{body}\n</XBRL>\n", kind, name)
        for kind, (name, body) in bodies.items()
    )


# A report of a small company: three statements of two years.
BALANCE_SHEET = MadeUpRole(
    "0002 - Statement - BALANCE SHEETS",
    "us-gaap:StatementOfFinancialPositionAbstract",
    (
        MadeUpLine("us-gaap:CashAndCashEquivalentsAtCarryingValue", "Cash"),
        MadeUpLine("us-gaap:Assets", "Total assets", "totalLabel"),
        MadeUpLine("us-gaap:Liabilities", "Total liabilities"),
        MadeUpLine("us-gaap:StockholdersEquity", "Equity"),
        MadeUpLine("us-gaap:LiabilitiesAndStockholdersEquity", "Total", "totalLabel"),
    ),
)
INCOME_STATEMENT = MadeUpRole(
    "0004 - Statement - STATEMENTS OF INCOME",
    "us-gaap:IncomeStatementAbstract",
    (
        MadeUpLine("us-gaap:Revenues", "Sales of slate"),
        MadeUpLine("us-gaap:CostOfRevenue", "Cost of slate", "negatedLabel"),
        MadeUpLine("us-gaap:NetIncomeLoss", "Net income"),
        MadeUpLine("us-gaap:EarningsPerShareBasic", "Earnings per share"),
    ),
)
CASH_FLOW = MadeUpRole(
    "0006 - Statement - CASH FLOWS",
    "us-gaap:StatementOfCashFlowsAbstract",
    (
        MadeUpLine(
            "us-gaap:CashAndCashEquivalentsAtCarryingValue", "Cash, beginning", "periodStartLabel"
        ),
        MadeUpLine("us-gaap:NetCashProvidedByUsedInOperatingActivities", "From operations"),
        MadeUpLine("us-gaap:PaymentsToAcquirePropertyPlantAndEquipment", "For quarries"),
        MadeUpLine("us-gaap:NetCashProvidedByUsedInInvestingActivities", "From investing"),
        MadeUpLine("us-gaap:NetCashProvidedByUsedInFinancingActivities", "From financing"),
        MadeUpLine("us-gaap:CashAndCashEquivalentsPeriodIncreaseDecrease", "Change in cash"),
        MadeUpLine("us-gaap:CashAndCashEquivalentsAtCarryingValue", "Cash, end", "periodEndLabel"),
    ),
)
ROLES = (BALANCE_SHEET, INCOME_STATEMENT, CASH_FLOW)


def report_facts(year: int, scale: int = 1, earlier: int | None = None) -> list[MadeUpFact]:
    """The facts of a year and the year before, `scale` and `earlier` times a fixed amount."""
    before = scale if earlier is None else earlier
    made = []
    for number, times in ((year, scale), (year - 1, before)):
        start, end = date(number, 1, 1), date(number, 12, 31)
        instants = {
            "CashAndCashEquivalentsAtCarryingValue": 20,
            "Assets": 100,
            "Liabilities": 60,
            "StockholdersEquity": 40,
            "LiabilitiesAndStockholdersEquity": 100,
        }
        flows = {
            "Revenues": 50,
            "CostOfRevenue": 30,
            "NetIncomeLoss": 7,
            "NetCashProvidedByUsedInOperatingActivities": 9,
            "NetCashProvidedByUsedInInvestingActivities": -4,
            "NetCashProvidedByUsedInFinancingActivities": -2,
            "CashAndCashEquivalentsPeriodIncreaseDecrease": 3,
        }
        made += [MadeUpFact(f"us-gaap:{n}", f"{v * times}000000", end) for n, v in instants.items()]
        made += [
            MadeUpFact(f"us-gaap:{n}", f"{v * times}000000", end, start) for n, v in flows.items()
        ]
        eps = MadeUpFact("us-gaap:EarningsPerShareBasic", "0.70", end, start, "USD/shares", "2")
        made.append(eps)
    opening = date(year - 2, 12, 31)
    cash = MadeUpFact("us-gaap:CashAndCashEquivalentsAtCarryingValue", "17000000", opening)
    return [*made, cash]


ABOUT = {"DocumentFiscalYearFocus": "2023", "DocumentFiscalPeriodFocus": "FY"}


def report(
    number: str,
    cik: str,
    facts: list[MadeUpFact],
    day: date,
    form: str = "10-K",
    about: dict[str, str] | None = None,
    text: str = "Report",
    roles: Sequence[MadeUpRole] = ROLES,
    name: str = "MOSS QUARRIES CORP",
) -> dict[str, bytes]:
    """Return a report with XBRL of these facts, about the year before the day of filing."""
    entity = MadeUpEntity(cik, name, sic="1400", fiscal_year_end="1231")
    about = ABOUT if about is None else about
    xbrl = documents(instance(facts, about, cik, day.year - 1), roles)
    main = MadeUpDocument(f"<html><body>{text}</body></html>", form, "report.htm")
    period = date(day.year - 1, 12, 31)
    made = MadeUp(number, (entity,), (main, *xbrl), form, day, period)
    return {f"{number}.txt": txt(made)}


def report_of_examples() -> dict[str, bytes]:
    """Return the report that examples of financial data ask for, beside the samples.

    It has no text, so it changes no score.
    """
    facts = report_facts(2023)
    return report("0009990080-24-000001", "0009990080", facts, date(2024, 2, 1), text="")
