"""Financial statements and facts of filings in their stored form.

An amount is a decimal number as text, with its digits as filed, and never a float. The `amount` of
a fact is the nearest double, only for sorting rows.
"""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

MainStatementKind = Literal["balance_sheet", "income_statement", "cash_flow"]
StatementKind = Literal[MainStatementKind, "comprehensive_income", "equity"]
# The statements returned by default.
STATEMENTS: tuple[MainStatementKind, ...] = ("balance_sheet", "income_statement", "cash_flow")
ALL_STATEMENTS: tuple[StatementKind, ...] = (*STATEMENTS, "comprehensive_income", "equity")
STATEMENT_NAMES: dict[StatementKind, str] = {
    "balance_sheet": "balance sheet",
    "income_statement": "income statement",
    "cash_flow": "cash flow statement",
    "comprehensive_income": "statement of comprehensive income",
    "equity": "statement of equity",
}
# The rule that selected a standard item, in the words of answers.
ItemRule = Literal[
    "line",
    "label",
    "calculation",
    "sum_of_lines",
    "sum_of_members",
    "note",
    "cover",
    "schedule",
]


class StoredPlace(Struct, frozen=True, array_like=True):
    """Code points `start` to `end` of the text with this hash, where a number is shown."""

    document_id: str
    text_sha256: str
    start: int
    end: int


class StoredAuditor(Struct, frozen=True, omit_defaults=True):
    """The auditor that a report names in its inline XBRL.

    `firm_id` is the firm's number at the PCAOB. `place` is where the text shows the name.
    """

    name: str
    location: str | None = None
    firm_id: str | None = None
    place: StoredPlace | None = None


class StatementPeriod(Struct, frozen=True, array_like=True):
    """A column of a statement: an instant, without a start, or the days from `start` to `end`."""

    start: date | None
    end: date


class StatementValue(Struct, frozen=True, array_like=True):
    """A value of a line; `value` is None if it is filed as nil, `decimals` if it is exact."""

    start: date | None
    end: date
    unit: str
    value: str | None
    decimals: int | None = None
    place: StoredPlace | None = None


class LineDimension(Struct, frozen=True, array_like=True):
    """An axis and a member by their names, and the member's label."""

    axis: str
    member: str
    label: str


class StatementLine(Struct, frozen=True, omit_defaults=True):
    """A line as filed, with all its values in the filing; a heading has none.

    `concept` has its prefix. The filer shows a `negated` line with the other sign. An `opening`
    line shows its value at the beginning of a column.
    """

    concept: str
    label: str
    depth: int = 0
    total: bool = False
    negated: bool = False
    opening: bool = False
    dimensions: list[LineDimension] = []
    values: list[StatementValue] = []


class StoredStatement(Struct, frozen=True, omit_defaults=True):
    """A statement in the order of the filing; its `periods` are its columns, newest first.

    `long_name` is the definition of its role, `short_name` the title in it. `breakdowns` are the
    parts of its lines by members of its own axes.
    """

    kind: StatementKind
    role_uri: str
    short_name: str
    long_name: str
    periods: list[StatementPeriod]
    lines: list[StatementLine]
    breakdowns: list[StatementLine] = []


class StoredFinancials(Struct, frozen=True, omit_defaults=True):
    """The statements of a filing; `cik` is its filer's, `ciks` belong to all its entities.

    `document_id` is the first instance that they are read from. `kinds` are the statements that it
    has. `amendment` says that the form is one. `period_end` is the end of the period of report.
    `absent_items` says why standard items have no value. `auditor` is the report's own.
    """

    document_id: str
    accession_number: str
    cik: str
    ciks: list[str]
    name: str
    form_type: str
    filing_date: date
    kinds: list[StatementKind]
    statements: list[StoredStatement]
    amendment: bool = False
    accepted_at: datetime | None = None
    period_end: date | None = None
    fiscal_year: int | None = None
    fiscal_period: str | None = None
    absent_items: dict[str, str] = {}
    auditor: StoredAuditor | None = None


class StoredFact(Struct, frozen=True, omit_defaults=True):
    """A number of a filing, in the instance with this `document_id`; `number` counts from 0.

    `concept` begins with its `taxonomy`, such as `us-gaap`; `local_name` does not, and `words` are
    the words in it. The taxonomy `ex-27` is used for the schedules of 1993 to 2001; `standard` for
    items of the statements, whose `sources` are the concepts they are made of, subtracted if they
    have a minus, by a `rule`. A fact as of an instant has no `start`. `place` is the first position
    in the filing's texts, for inline XBRL only. `doubt` says why the value may be another.
    `dimensions` are written as AXIS=MEMBER.

    The same fact (concept, unit, period, dimensions) of one company may be filed again. `linked` is
    true once the company's rows are linked: then `earlier` says that another filing had it before,
    and `superseded_by` is the next one that has it, filed on `superseded_on`.
    """

    document_id: str
    number: int
    accession_number: str
    cik: str
    ciks: list[str]
    sics: list[str]
    name: str
    form_type: str
    filing_date: date
    taxonomy: str
    concept: str
    local_name: str
    words: str
    label: str
    unit: str
    end: date
    value: str
    amount: float
    start: date | None = None
    decimals: int | None = None
    dimensions: list[str] = []
    accepted_at: datetime | None = None
    fiscal_year: int | None = None
    fiscal_period: str | None = None
    sources: list[str] = []
    rule: ItemRule | None = None
    place: StoredPlace | None = None
    doubt: str | None = None
    linked: bool = False
    earlier: bool = False
    superseded_by: str | None = None
    superseded_on: date | None = None


# The names of standard items, in the order of answers; the loader has their rules.
STANDARD_ITEMS: tuple[str, ...] = (
    "revenue",
    "cost_of_revenue",
    "gross_profit",
    "research_and_development",
    "selling_general_administrative",
    "operating_income",
    "interest_expense",
    "income_before_tax",
    "income_tax",
    "net_income",
    "net_income_to_common",
    "eps_basic",
    "eps_diluted",
    "shares_basic",
    "shares_diluted",
    "cash",
    "short_term_investments",
    "receivables",
    "inventory",
    "current_assets",
    "property_plant_equipment",
    "goodwill",
    "intangibles",
    "total_assets",
    "payables",
    "short_term_debt",
    "current_liabilities",
    "long_term_debt",
    "total_liabilities",
    "minority_interest",
    "equity",
    "retained_earnings",
    "shares_outstanding",
    "cash_from_operations",
    "depreciation_amortization",
    "share_based_compensation",
    "capital_expenditure",
    "cash_from_investing",
    "dividends_paid",
    "buybacks",
    "debt_issued",
    "debt_repaid",
    "cash_from_financing",
    "change_in_cash",
    "free_cash_flow",
)
