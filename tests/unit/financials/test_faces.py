"""Members on statements, and the statements of comprehensive income and of equity."""

import io
from datetime import date
from decimal import Decimal

from openpyxl import load_workbook

from edgar_search.api.files.statements import statements_workbook
from edgar_search.api.statements import reported_statement, statements_reply
from edgar_search.edgar.submission import parse_submission
from edgar_search.financials.statements import face_lines, statement_of
from edgar_search.stored.financials import StoredFinancials, StoredStatement
from edgar_search.web.pages.statements import shown_statements
from edgar_search.web.v2.financials import statement_table
from ingest.reading.financials import read_financials
from tests.support.made_up_xbrl import (
    ABOUT,
    INCOME_STATEMENT,
    ROLES,
    MadeUpFact,
    MadeUpLine,
    MadeUpRole,
    documents,
    instance,
    report_facts,
)
from tests.support.submissions import MadeUp, MadeUpEntity, txt

CIK = "0009990080"
START, END = date(2023, 1, 1), date(2023, 12, 31)
AXIS, SLATE, MOSS = "srt:ProductOrServiceAxis", "moss:SlateMember", "moss:MossMember"
BY_PRODUCT = MadeUpRole(
    INCOME_STATEMENT.definition,
    INCOME_STATEMENT.heading,
    (
        MadeUpLine(AXIS, "Products [Axis]"),
        MadeUpLine(SLATE, "Slate [Member]"),
        MadeUpLine(MOSS, "Moss"),
        *INCOME_STATEMENT.lines,
        MadeUpLine("us-gaap:OtherCostAndExpenseOperating", "Other costs"),
    ),
)
EQUITY = MadeUpRole(
    "0007 - Statement - EQUITY",
    "us-gaap:StatementOfStockholdersEquityAbstract",
    (
        MadeUpLine("us-gaap:StatementEquityComponentsAxis", "Components [Axis]"),
        MadeUpLine("us-gaap:RetainedEarningsMember", "Retained [Member]"),
        MadeUpLine("us-gaap:StockholdersEquity", "Beginning", "periodStartLabel"),
        MadeUpLine("us-gaap:NetIncomeLoss", "Net income"),
        MadeUpLine("us-gaap:DividendsCommonStock", "Dividends"),
        MadeUpLine("us-gaap:ComprehensiveIncomeNetOfTax", "Comprehensive income"),
        MadeUpLine("us-gaap:StockholdersEquity", "End", "periodEndLabel"),
    ),
)
WHOLE_INCOME = MadeUpRole(
    "0005 - Statement - COMPREHENSIVE INCOME",
    "us-gaap:StatementOfIncomeAndComprehensiveIncomeAbstract",
    (
        MadeUpLine("us-gaap:NetIncomeLoss", "Net income"),
        MadeUpLine("us-gaap:OtherComprehensiveIncomeLossNetOfTax", "Other"),
        MadeUpLine("us-gaap:ComprehensiveIncomeNetOfTax", "Comprehensive income"),
    ),
)
NOTE = MadeUpRole("0050 - Disclosure - EQUITY (Details)", "moss:NoteAbstract", EQUITY.lines)


def fact(
    concept: str, value: int, end: date = END, start: date | None = START, member: str = ""
) -> MadeUpFact:
    axis = "us-gaap:StatementEquityComponentsAxis" if "Retained" in member else AXIS
    members = ((axis, member),) if member else ()
    return MadeUpFact(f"us-gaap:{concept}", str(value), end, start, members=members)


FACTS = [
    *report_facts(2023),
    fact("Revenues", 20, member=MOSS),
    fact("Revenues", 30, member=SLATE),
    fact("OtherCostAndExpenseOperating", 1, member=MOSS),
    fact("OtherCostAndExpenseOperating", 2, member=SLATE),
    fact("DividendsCommonStock", 3),
    fact("OtherComprehensiveIncomeLossNetOfTax", 1),
    fact("ComprehensiveIncomeNetOfTax", 8),
    fact("StockholdersEquity", 11, date(2022, 12, 31), None, "us-gaap:RetainedEarningsMember"),
    fact("StockholdersEquity", 15, END, None, "us-gaap:RetainedEarningsMember"),
]


def read(*further: MadeUpRole) -> StoredFinancials:
    roles = (ROLES[0], BY_PRODUCT, ROLES[2], *further)
    xbrl = documents(instance(FACTS, ABOUT, cik=CIK), roles)
    made = MadeUp("0009990080-24-000001", (MadeUpEntity(CIK, "MOSS"),), xbrl, "10-K", END)
    found = read_financials(parse_submission(txt(made)), 10**9).statements
    assert found is not None
    return found


def statement(filing: StoredFinancials, kind: str) -> StoredStatement:
    return next(each for each in filing.statements if each.kind == kind)


def test_members_are_lines_below_their_line_in_the_order_of_the_tree() -> None:
    income = statement(read(), "income_statement")
    lines = reported_statement(income).lines
    shown = [(line.label, line.depth, line.cells([0])[0]) for line in lines]
    assert [(label, depth, value and str(value.value)) for label, depth, value in shown] == [
        (INCOME_STATEMENT.definition, 0, None),
        ("Sales of slate", 1, "50000000"),
        ("Slate", 2, "30"),
        ("Moss", 2, "20"),
        ("Cost of slate", 1, "30000000"),
        ("Net income", 1, "7000000"),
        ("Earnings per share", 1, "0.70"),
        ("Other costs", 1, None),
        ("Slate", 2, "2"),
        ("Moss", 2, "1"),
    ]


def test_all_faces_have_the_same_lines() -> None:
    filing = read()
    income = statement(filing, "income_statement")
    labels = [line.label for line in face_lines(income)]
    answer = statements_reply(filing, ["income_statement"])
    (reply,) = answer.statements
    book = load_workbook(io.BytesIO(statements_workbook(answer)))
    assert [line.label for line in reply.lines] == labels
    assert [row[0].value for row in book.worksheets[0].iter_rows(min_row=4)] == labels
    assert [line.label for line in shown_statements(answer, "units")[0].lines] == labels
    rows = statement_table(filing, "income_statement", income).rows
    assert isinstance(rows, list)
    assert [(row.concept, row.label, row.values[0]) for row in rows[:3]] == [
        ("Revenues", "Sales of slate", Decimal(50_000_000)),
        ("Revenues[SlateMember]", "Slate", Decimal(30)),
        ("Revenues[MossMember]", "Moss", Decimal(20)),
    ]
    assert len({row.concept for row in rows}) == len(rows)


def test_statements_of_comprehensive_income_and_equity_are_chosen() -> None:
    filing = read(NOTE, EQUITY, WHOLE_INCOME)
    titles = {each.kind: each.short_name for each in filing.statements}
    assert titles["comprehensive_income"] == "COMPREHENSIVE INCOME"
    assert titles["equity"] == "EQUITY"
    equity = statement(filing, "equity")
    shown = [(line.label, line.cells([0])[0]) for line in reported_statement(equity).lines]
    assert [(label, value and str(value.value)) for label, value in shown][1:] == [
        ("Beginning", "40000000"),
        ("Retained", "11"),
        ("Net income", "7000000"),
        ("Dividends", "3"),
        ("Comprehensive income", "8"),
        ("End", "40000000"),
        ("Retained", "15"),
    ]


def test_note_is_no_statement_of_equity() -> None:
    filing = read(NOTE)
    assert statement_of(filing, "equity") is None
    assert statement_of(filing, "comprehensive_income") is None
