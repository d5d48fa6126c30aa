"""Form 13F in XML: a manager's report, and the holdings in its information tables.

The unit of values is decided for a whole filing. Since 2023-01-03 values are in dollars, before
that in thousands; but some managers filed dollars earlier and thousands later. Then nearly all
values per share are a thousand times too large or too small, which never happens by itself in a
portfolio of shares, and which outweighs the date.
"""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import islice
from statistics import median
from typing import NamedTuple

from msgspec import Struct, field, structs

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document, Submission, primary_entity
from edgar_search.stored.ownership import (
    MOST_MARKS,
    Amendment,
    OtherManager,
    ReportType,
    StoredHolding,
    StoredManagerReport,
    TableForm,
    Unit,
    UnitBasis,
    Voting,
    quarter_of,
    row_mark,
)
from edgar_search.text.document_text import root_element
from edgar_search.text.forms import HOLDINGS
from edgar_search.text.forms.elements import Element, FormRefused, Step, walk
from ingest.reading.ownership.values import CUT_OFF, BytePlaces, Values, product

TABLE_ROOT = "informationtable"
_COVER_ROOT = "edgarsubmission"
# As many rows as EDGAR allows in a table, and more managers than any cover lists.
MOST_ROWS, MOST_MANAGERS = 250_000, 5_000
DOLLARS_FROM = date(2023, 1, 3)
THOUSAND = Decimal(1_000)
_FORM = re.compile(r"13F-(?:HR|NT)(?:/A)?")
_ROW = re.compile(r"<(?:[\w.-]+:)?infoTable[\s>]")
# The tag that ends a table is in the last characters.
_END, _END_CHARACTERS = re.compile(r"</(?:\w+:)?informationTable\s*>"), 2_000
# Bytes in which a document names its root, in which a cover ends, and of a table that decide its
# unit: some 300 rows.
_ROOT_BYTES, _COVER_BYTES, _SAMPLE_BYTES = 20_000, 2_000_000, 200_000
_AMENDMENTS: dict[str, Amendment] = {"RESTATEMENT": "restatement", "NEW HOLDINGS": "new_holdings"}
_TYPES: dict[str, ReportType] = {
    "NOTICE": "notice",
    "13F-NT": "notice",
    "COMBINATION": "combination",
    "HOLDINGS": "holdings",
}
_PARTS = frozenset({"filingManager", "otherManagersInfo", "otherManagers2Info"})
_MILLIONTH = Decimal("1E-6")
# Medians of share prices are nearly always from 5 to 500 dollars. A few rows decide nothing; beyond
# these bounds the values are a thousand times off, or a doubt is recorded.
_FEW, _LEAST, _MOST = 5, Decimal("0.5"), Decimal(5_000)
_SURE_LEAST, _SURE_MOST = Decimal(1), Decimal(2_000)


class ManagerReport(Struct):
    """A filing of Form 13F that is being read; `rows` counts the holdings of its tables so far."""

    cover: StoredManagerReport
    tables: list[str] = field(default_factory=list)
    rows: int = 0
    total: Decimal = Decimal(0)
    marks: set[str] = field(default_factory=set)

    def count(self, row: StoredHolding) -> None:
        """Count a row of a table."""
        self.rows += 1
        self.total += row.value_filed or 0
        self.marks.add(row_mark(row))
        if len(self.marks) > 2 * MOST_MARKS:
            self.marks = set(sorted(self.marks)[:MOST_MARKS])

    def stored(self) -> StoredManagerReport:
        """Return the row of the report, once all its tables are read."""
        return structs.replace(
            self.cover,
            rows=self.rows,
            total_read=self.total if self.rows else None,
            marks=sorted(self.marks)[:MOST_MARKS],
        )

    def problems(self) -> list[str]:
        """Describe what the filing lacks, or contains twice, for the ledger."""
        sentences = []
        if self.cover.table == "html":
            sentences.append("13F: its information table is there as HTML only, and not read")
        if len(self.tables) > 1:
            sentences.append(f"13F: {len(self.tables)} information tables, all of which are read")
        counted = self.cover.entries
        is_read = self.cover.table in ("xml", "none")
        if is_read and counted is not None and counted != self.rows:
            sentences.append(
                f"13F: the cover counts {counted} holdings, the tables have {self.rows}"
            )
        if CUT_OFF in self.cover.not_read:
            sentences.append("13F: its cover is cut off")
        return sentences


def manager_report(submission: Submission) -> ManagerReport | None:
    """Read the cover of a Form 13F; None for other forms. Its tables follow."""
    header, documents = submission.header, submission.documents
    if not any(
        map(_FORM.fullmatch, (header.form_type, *(listed.form_type for listed in documents)))
    ):
        return None
    roots = [root_element(listed.alone(_ROOT_BYTES).body) for listed in documents]
    tables = [listed for listed, root in zip(documents, roots, strict=True) if root == TABLE_ROOT]
    covers = (listed for listed, root in zip(documents, roots, strict=True) if root == _COVER_ROOT)
    document = next(covers, None)
    form = _Cover(decode_bytes(document.alone(_COVER_BYTES).body) if document else "")
    values, filer = Values(), primary_entity(header)
    period = values.day(form.values.get("reportCalendarOrQuarter")) or header.period
    amendment = values.text(form.values.get("amendmentType")) or ""
    report_type = values.text(form.values.get("reportType")) or header.form_type
    cover = StoredManagerReport(
        document_id=(document or documents[0]).document_id,
        accession_number=header.accession_number,
        number=0,
        form_type=header.form_type,
        filing_date=header.filing_date,
        manager_cik=filer.cik if filer else values.cik(form.values.get("cik")),
        manager_name=values.text(form.manager.find("name")) or (filer.name if filer else ""),
        quarter=quarter_of(period) if period else None,
        period=period,
        report_type=next(
            (kind for mark, kind in _TYPES.items() if mark in report_type.upper()), None
        ),
        amendment=_AMENDMENTS.get(amendment.upper()),
        amendment_number=values.text(form.values.get("amendmentNo")),
        entries=values.decimal(form.values.get("tableEntryTotal")),
        total_filed=values.decimal(form.values.get("tableValueTotal")),
        accepted_at=header.accepted_at,
        basis=decide_unit(
            header.filing_date,
            values.text(form.values.get("schemaVersion")),
            _values_per_share(tables[0]) if tables else [],
        ),
        table=_table_form(submission, roots),
        reported_by=[_manager(listed, values) for listed in form.reported_by],
        included=[_manager(listed, values) for listed in form.included],
        is_confidential_omitted=values.flag(form.values.get("isConfidentialOmitted")),
        not_read=[*values.not_read, *([] if form.is_whole else [CUT_OFF])],
    )
    return ManagerReport(cover, [table.document_id for table in tables])


def holdings(report: ManagerReport, document: Document) -> Iterator[StoredHolding]:
    """Yield the rows of an information table in order; truncated XML is read as far as possible."""
    xml = decode_bytes(document.body)
    places, cover = BytePlaces(document.body, xml), report.cover
    is_whole = _END.search(xml, max(0, len(xml) - _END_CHARACTERS)) is not None
    before: StoredHolding | None = None
    # One row behind, because the last one may be cut off.
    for number, element in enumerate(islice(_rows(xml), MOST_ROWS)):
        if before is not None:
            yield before
        before = _holding(cover, document.document_id, number, element, places)
        report.count(before)
    if before is not None:
        cut = [] if is_whole else [CUT_OFF]
        yield structs.replace(before, not_read=[*before.not_read, *cut])


def decide_unit(filing_date: date, schema: str | None, sample: list[Decimal]) -> UnitBasis:
    """Decide the unit of a filing's values, with the evidence; `sample` are values per share."""
    by_day: Unit = "dollars" if filing_date >= DOLLARS_FROM else "thousands"
    other: Unit = "thousands" if by_day == "dollars" else "dollars"
    basis = UnitBasis(unit=by_day, decided_by="filing_date", schema_version=schema)
    if not sample:
        return basis
    middle = median(sample)
    basis = structs.replace(
        basis, value_per_share=middle.quantize(_MILLIONTH), shares_compared=len(sample)
    )
    price = middle * THOUSAND if by_day == "thousands" else middle
    is_thousandfold = by_day == "thousands" and price > _MOST
    is_thousandth = by_day == "dollars" and price < _LEAST
    if len(sample) >= _FEW and (is_thousandfold or is_thousandth):
        doubt = f"on {filing_date}, when it was filed, values had to be in {by_day}"
        return structs.replace(basis, unit=other, decided_by="value_per_share", doubt=doubt)
    if not _SURE_LEAST <= price <= _SURE_MOST:
        doubt = f"in {by_day} the median value of a share is {price.quantize(_MILLIONTH):f} dollars"
        return structs.replace(basis, doubt=doubt)
    return basis


class _Cover:
    """The cover of a report, read from its beginning to its end."""

    def __init__(self, xml: str) -> None:
        self.values: dict[str, Element] = {}
        self.manager = Element("filingManager", {})
        self.reported_by: list[Element] = []
        self.included: list[Element] = []
        self.is_whole = xml.rstrip().endswith(">") or not xml
        try:
            for step, element in walk(xml, _PARTS):
                self._take(step, element)
        except FormRefused:
            self.is_whole = False

    def _take(self, step: Step, element: Element) -> None:
        if element.name == "filingManager":
            self.manager = element
        elif element.name == "otherManagersInfo":
            self.reported_by = element.all("otherManager")[:MOST_MANAGERS]
        elif element.name == "otherManagers2Info":
            self.included = element.all("otherManager2")[:MOST_MANAGERS]
        elif step is Step.WHOLE and element.runs:
            self.values.setdefault(element.name, element)


def _manager(element: Element, values: Values) -> OtherManager:
    inner = element.find("otherManager") or element
    return OtherManager(
        cik=values.cik(inner.find("cik")),
        name=values.text(inner.find("name")) or "",
        file_number=values.text(inner.find("form13FFileNumber")),
        number=values.text(element.find("sequenceNumber")),
    )


def _table_form(submission: Submission, roots: list[str | None]) -> TableForm:
    """Return the form of a filing's information table."""
    if TABLE_ROOT in roots:
        return "xml"
    types = [document.form_type.upper() for document in submission.documents]
    if any(
        root == "html" and kind == "INFORMATION TABLE"
        for root, kind in zip(roots, types, strict=True)
    ):
        return "html"
    is_notice = submission.header.form_type.startswith("13F-NT")
    return "none" if is_notice or _COVER_ROOT in roots else "text"


class _Row(NamedTuple):
    """A row's position in the XML, and the texts of its columns; "" for a missing one."""

    start: int
    end: int
    issuer: str
    security_class: str
    cusip: str
    figi: str
    value: str
    shares: str
    share_type: str
    put_call: str
    discretion: str
    other_managers: str
    sole: str
    shared: str
    none: str


def _rows(xml: str) -> Iterator[_Row]:
    """Yield the rows of a table; one without an end tag ends where the next one begins."""
    match = _ROW.search(xml)
    while match is not None:
        start = match.start()
        read = HOLDINGS.texts(xml, start)
        match = _ROW.search(xml, match.end() if read is None else read[1])
        if read is None:
            read = _odd_row(xml[start : len(xml) if match is None else match.start()], start)
        texts, end = read
        yield _Row(start, end, *texts)


def _odd_row(xml: str, start: int) -> tuple[list[str], int]:
    """Return the texts and the end of a row written in an unusual way."""
    row = Element("infoTable", {})
    try:
        row = next((element for _, element in walk(xml, {"infoTable"})), row)
    except FormRefused:
        row.end = len(xml)
    cells = [row.find(*path) for path in HOLDINGS.columns]
    return [cell.text if cell else "" for cell in cells], start + row.end


def _values_per_share(table: Document) -> list[Decimal]:
    """Return the filed values per share of the first rows that contain shares."""
    quotients, values = [], Values()
    for row in _rows(decode_bytes(table.alone(_SAMPLE_BYTES).body)):
        value = values.amount(row.value, "value")
        shares = values.amount(row.shares, "sshPrnamt")
        is_of_shares = row.share_type.upper() == "SH"
        if is_of_shares and not row.put_call and value and shares and shares > 0:
            quotients.append(value / shares)
    return quotients


def _holding(
    cover: StoredManagerReport, document_id: str, number: int, row: _Row, places: BytePlaces
) -> StoredHolding:
    values = Values()
    filed = values.amount(row.value, "value")
    value = product(filed, THOUSAND) if filed and cover.basis.unit == "thousands" else filed
    shares = values.amount(row.shares, "sshPrnamt")
    share_type = values.short(row.share_type.upper(), "sshPrnamtType")
    per_share = None
    if share_type == "SH" and not row.put_call and value and shares and shares > 0:
        per_share = (value / shares).quantize(_MILLIONTH)
    return StoredHolding(
        document_id=document_id,
        accession_number=cover.accession_number,
        number=number,
        form_type=cover.form_type,
        filing_date=cover.filing_date,
        manager_cik=cover.manager_cik,
        manager_name=cover.manager_name,
        quarter=cover.quarter,
        amendment=cover.amendment,
        issuer=row.issuer,
        security_class=row.security_class or None,
        cusip=values.security(row.cusip, "cusip"),
        figi=values.short(row.figi.upper(), "figi"),
        value=value,
        value_filed=filed,
        basis=cover.basis,
        value_per_share=per_share,
        shares=shares,
        share_type=share_type,
        put_call=values.short(row.put_call.capitalize(), "putCall"),
        discretion=values.short(row.discretion.upper(), "investmentDiscretion"),
        other_managers=_numbers(row.other_managers),
        voting=Voting(
            values.amount(row.sole, "Sole"),
            values.amount(row.shared, "Shared"),
            values.amount(row.none, "None"),
        ),
        start=places.place(row.start),
        end=places.place(row.end),
        not_read=values.not_read,
    )


def _numbers(text: str) -> list[str]:
    """Return the numbers of other managers, which are separated by commas or blanks."""
    return [number for number in re.split(r"[,;\s]+", text) if number][:MOST_MANAGERS]
