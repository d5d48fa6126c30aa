"""Records that only exported sets have: lines of statements, and sections of reports.

Their fields are the same as in `/v1/statements` and in positions in texts, with a row for each
value.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from msgspec import Struct

from edgar_search.api.statements import LineMember, LineValue, statements_reply
from edgar_search.document.sections import section_name
from edgar_search.stored.filings import StoredSection
from edgar_search.stored.financials import ALL_STATEMENTS, StatementKind, StoredFinancials


class LineRecord(Struct):
    """A value of a line of a statement; a heading is a record without a value.

    `line` is its position in the statement, from 0. The filer shows a `negated` value with the
    other sign. `columns` are the numbers of the columns that show it.
    """

    accnum: str
    cik: str
    name: str
    form_type: str
    filing_date: date
    period: date | None
    fiscal_year: int | None
    fiscal_period: str | None
    document_id: str
    statement: StatementKind
    role: str
    title: str
    line: int
    concept: str
    label: str
    depth: int
    total: bool
    negated: bool
    breakdown: bool
    dimensions: list[LineMember]
    unit: str | None
    value: Decimal | None
    decimals: int | None
    start: date | None
    end: date | None
    columns: list[int]


def line_records(stored: StoredFinancials) -> Iterator[LineRecord]:
    """Yield the values of all lines of a filing's statements, in its order."""
    reply = statements_reply(stored, ALL_STATEMENTS)
    filing = reply.filing
    for statement in reply.statements:
        for index, line in enumerate(statement.lines):
            values: Sequence[LineValue | None] = line.values or [None]
            for value in values:
                yield LineRecord(
                    accnum=filing.accession_number,
                    cik=filing.cik,
                    name=filing.name,
                    form_type=filing.form_type,
                    filing_date=filing.filing_date,
                    period=filing.period_end,
                    fiscal_year=filing.fiscal_year,
                    fiscal_period=filing.fiscal_period,
                    document_id=filing.document_id,
                    statement=statement.statement,
                    role=statement.role,
                    title=statement.title,
                    line=index,
                    concept=line.concept,
                    label=line.label,
                    depth=line.depth,
                    total=line.total,
                    negated=line.negated,
                    breakdown=line.breakdown,
                    dimensions=line.dimensions,
                    unit=value.unit if value else None,
                    value=value.value if value else None,
                    decimals=value.decimals if value else None,
                    start=value.start if value else None,
                    end=value.end if value else None,
                    columns=value.columns if value else [],
                )


class SectionRecord(Struct):
    """An item of a report, and its position in the text of the document; null if it is not known.

    `section` is its name in searches and answers, such as `10-K item 1A`.
    """

    document_id: str
    accnum: str
    form_type: str
    filing_date: date
    number: int
    section: str
    label: str
    title: str
    start: int | None
    end: int | None


def section_record(stored: StoredSection) -> SectionRecord:
    """Build the record of a section."""
    return SectionRecord(
        document_id=stored.document_id,
        accnum=stored.accession_number,
        form_type=stored.form_type,
        filing_date=stored.filing_date,
        number=stored.number,
        section=section_name(stored),
        label=stored.label,
        title=stored.description,
        start=stored.text_start,
        end=stored.text_end,
    )
