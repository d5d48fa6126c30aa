"""Rows of real ownership forms, compared with edgartools, and with the totals of their covers.

    python -m tests.fidelity.owners [FOLDER]

edgartools comes with the extra `peers`. Each value that it reads, and that a row has, is compared
as a text, or as a number if it is one.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document, Submission, parse_submission
from edgar_search.settings.extras import is_installed
from edgar_search.stored.ownership import (
    StoredHolding,
    StoredInsiderTrade,
    StoredManagerReport,
    StoredPlannedSale,
    StoredRow,
    StoredStake,
)
from ingest.reading.ownership.form_13f import manager_report
from ingest.reading.ownership.rows import ownership_rows
from tests.fidelity.comparison import files
from tests.fidelity.financials import Checked
from tests.support.engines import CHECKOUT
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

# A form that stands alone in the corpus is put into a submission of this type.
_FORM_TYPES = (
    ("13dg/*13g*", "SCHEDULE 13G"),
    ("13dg/*13d*", "SCHEDULE 13D"),
    ("144/Sample_144*", "144"),
    ("ownership/*.xml", "4"),
)
_HEAD = 2_000
_TYPES_OF_SHARES = {"SH": "Shares", "PRN": "Principal"}


class Form(NamedTuple):
    """A document with rows; a report of a manager has its cover too."""

    name: str
    document: Document
    rows: list[StoredRow]
    report: StoredManagerReport | None


def forms(corpus: Path, marks: bytes = b"") -> Iterator[Form]:
    """Yield every document with rows of the corpus, and every cover of a report on Form 13F.

    With `marks` those of submissions only that have it in their first bytes.
    """
    for name, content in files(corpus / "filings"):
        if marks in content[:_HEAD]:
            yield from _forms(name, parse_submission(content))
    yield from _forms(
        "0001951757-25-000093",
        parse_submission((corpus / "forms/13f/0001951757-25-000093.nc").read_bytes()),
    )
    for pattern, form_type in _FORM_TYPES:
        for path in sorted((corpus / "forms").glob(pattern)):
            if path.suffix == ".xml":
                yield from _forms(path.name, alone(path.read_text(), form_type))


def alone(xml: str, form_type: str) -> Submission:
    """Return a submission whose only document is this form."""
    entity = MadeUpEntity("0009990001", "ISSUER", role="ISSUER")
    document = MadeUpDocument(xml, form_type, "form.xml")
    return parse_submission(txt(MadeUp("0009990001-25-000001", (entity,), (document,), form_type)))


def _forms(name: str, submission: Submission) -> Iterator[Form]:
    report = manager_report(submission)
    found: list[Form] = []
    for document in submission.documents:
        rows = ownership_rows(submission.header, document, report)
        if rows is not None:
            found.append(Form(name, document, list(rows.rows), None))
    if report is not None:
        stored = report.stored()
        cover = next(
            each for each in submission.documents if each.document_id == stored.document_id
        )
        found.append(Form(name, cover, [], stored))
    yield from found


Pairs = Iterator[tuple[str, Any, Any]]


def insider_pairs(form: Form, xml: str) -> Pairs:
    """Yield values of Forms 3, 4 and 5: a field, ours, and that of edgartools."""
    from edgar.ownership.forms import Ownership

    # It asks the SEC's site if an owner is a company, to turn the names of persons around.
    with patch("edgar.ownership.owners.Entity", lambda cik: None):
        theirs = Ownership.from_xml(xml)
    rows = [row for row in form.rows if isinstance(row, StoredInsiderTrade)]
    tables = {
        (True, False): theirs.non_derivative_table.transactions,
        (False, False): theirs.non_derivative_table.holdings,
        (True, True): theirs.derivative_table.transactions,
        (False, True): theirs.derivative_table.holdings,
    }
    if rows:
        first = rows[0]
        yield "issuer_cik", first.issuer_cik, str(theirs.issuer.cik).zfill(10)
        yield "issuer_name", first.issuer_name, theirs.issuer.name
        yield "ticker", first.ticker, theirs.issuer.ticker
        yield "plan_10b5_1", first.plan_10b5_1, theirs.aff10b5_one
        owners = theirs.reporting_owners.owners
        yield "owners", len(first.owners), len(owners)
        for owner, other in zip(first.owners, owners, strict=False):
            yield "owner.cik", owner.cik, str(other.cik).zfill(10)
            yield "owner.name", owner.name, other.name_unreversed
            flags = (other.is_director, other.is_officer, other.is_ten_pct_owner, other.is_other)
            names = ("director", "officer", "ten_percent_owner", "other")
            roles = [name for name, is_so in zip(names, flags, strict=True) if is_so]
            yield "owner.roles", owner.roles, roles
            if other.officer_title:
                yield "owner.title", owner.title, other.officer_title
    for (trade, derivative), table in tables.items():
        ours_of = [row for row in rows if (row.trade, row.derivative) == (trade, derivative)]
        lines = [] if table.empty else table.data.to_dict("records")
        yield "rows", len(ours_of), len(lines)
        for ours, line in zip(ours_of, lines, strict=False):
            for field, value in _insider_values(ours).items():
                if field in line:
                    yield field, value, line[field]


def _insider_values(row: StoredInsiderTrade) -> dict[str, Any]:
    on = row.underlying
    direct = {True: "D", False: "I"}.get(row.direct) if row.direct is not None else None
    return {
        "Security": row.security,
        "Date": row.trade_date,
        "Shares": row.shares if row.trade else row.shares_after,
        "Remaining": row.shares_after,
        "Price": row.price,
        "AcquiredDisposed": row.acquired,
        "Code": row.code,
        "DirectIndirect": direct,
        "Direct": {"D": "Yes", "I": "No"}.get(direct or ""),
        "NatureOfOwnership": row.nature,
        "Nature Of Ownership": row.nature,
        "Underlying": on.security if on else None,
        "UnderlyingShares": on.shares if on else None,
        "ExercisePrice": on.exercise_price if on else None,
        "ExerciseDate": on.exercisable if on else None,
        "ExpirationDate": on.expires if on else None,
    }


def holding_pairs(form: Form, xml: str) -> Pairs:
    """Yield values of an information table."""
    from edgar.thirteenf.parsers.infotable_xml import parse_infotable_xml

    lines = parse_infotable_xml(xml).to_dict("records")
    rows = [row for row in form.rows if isinstance(row, StoredHolding)]
    yield "rows", len(rows), len(lines)
    for row, line in zip(rows, lines, strict=False):
        ours = {
            "Issuer": row.issuer,
            "Class": row.security_class,
            "Cusip": row.cusip,
            "Value": row.value_filed,
            "PutCall": row.put_call,
            "InvestmentDiscretion": row.discretion,
            "OtherManager": ",".join(row.other_managers),
            "SharesPrnAmount": row.shares,
            "Type": _TYPES_OF_SHARES.get(row.share_type or ""),
            "SoleVoting": row.voting.sole,
            "SharedVoting": row.voting.shared,
            "NonVoting": row.voting.none,
        }
        for field, value in ours.items():
            yield field, value, line[field]


def cover_pairs(form: Form, xml: str) -> Pairs:
    """Yield values of the cover of a report on Form 13F."""
    from edgar.thirteenf.parsers.primary_xml import parse_primary_document_xml

    ours = form.report
    assert ours is not None
    theirs = parse_primary_document_xml(xml)
    cover, summary = theirs.cover_page, theirs.summary_page
    kinds = {"holdings": "HOLDINGS", "notice": "NOTICE", "combination": "COMBINATION"}
    yield "manager", ours.manager_name, cover.filing_manager.name
    yield "report type", kinds[ours.report_type or "holdings"] in cover.report_type, True
    yield "period", ours.period, theirs.report_period.date()
    yield "entries", ours.entries or 0, summary.total_holdings
    yield "total", ours.total_filed or 0, summary.total_value
    included = summary.other_managers or []
    yield "included", len(ours.included), len(included)
    for one, other in zip(ours.included, included, strict=False):
        yield "included.name", one.name, other.name
        yield "included.number", one.number, other.sequence_number
        yield "included.file_number", one.file_number, other.file_number
    if cover.amendment_info is not None:
        words = {"RESTATEMENT": "restatement", "NEW HOLDINGS": "new_holdings"}
        yield "amendment", ours.amendment, words.get(cover.amendment_info.amendment_type)


def stake_pairs(form: Form, xml: str) -> Pairs:
    """Yield values of a schedule 13D or 13G; what a person does not report is 0 to edgartools."""
    from edgar.beneficial_ownership.schedule13 import Schedule13D, Schedule13G

    (row,) = form.rows
    assert isinstance(row, StoredStake)
    reader = Schedule13G if "13g" in xml[:3_000].casefold() else Schedule13D
    theirs = reader.parse_xml(xml)
    yield "issuer_cik", row.issuer_cik, theirs["issuer_info"].cik.zfill(10)
    yield "issuer_name", row.issuer_name, theirs["issuer_info"].name
    yield "cusip", row.cusips[:1], [theirs["issuer_info"].cusip]
    yield "class", row.security_class, theirs["security_info"].title
    event = theirs.get("date_of_event") or theirs.get("event_date")
    yield "event_date", row.event_date and f"{row.event_date:%m/%d/%Y}", event
    persons = theirs["reporting_persons"]
    yield "persons", len(row.persons), len(persons)
    for ours, other in zip(row.persons, persons, strict=False):
        yield "person.cik", (ours.cik or "").lstrip("0"), other.cik.lstrip("0")
        yield "person.name", ours.name, other.name
        yield "person.type", ours.types[0], other.type_of_reporting_person
        yield "person.shares", ours.shares or 0, other.aggregate_amount
        yield "person.percent", ours.percent or 0, other.percent_of_class
        yield "person.voting.sole", ours.voting.sole or 0, other.sole_voting_power
        yield "person.voting.shared", ours.voting.shared or 0, other.shared_voting_power
        yield "person.dispositive.sole", ours.dispositive.sole or 0, other.sole_dispositive_power
        shared = other.shared_dispositive_power
        yield "person.dispositive.shared", ours.dispositive.shared or 0, shared


def sale_pairs(form: Form, xml: str) -> Pairs:
    """Yield values of a notice on Form 144."""
    from edgar.ownership.form144 import Form144

    theirs = Form144.parse_xml(xml)
    rows = [row for row in form.rows if isinstance(row, StoredPlannedSale)]
    lines = theirs["securities_information"].to_dict("records")
    yield "rows", len(rows), len(lines)
    for row, line in zip(rows, lines, strict=False):
        yield "issuer_cik", row.issuer_cik, str(theirs["issuer_cik"]).zfill(10)
        yield "issuer_name", row.issuer_name, theirs["issuer_name"]
        yield "seller", row.seller, theirs["person_selling"]
        yield "relationships", row.relationships, list(theirs["relationships"])
        yield "class", row.security_class, line["security_class"]
        yield "shares", row.shares, line["units_to_be_sold"]
        yield "value", row.value, line["market_value"]
        yield "outstanding", row.outstanding, line["units_outstanding"]
        yield "date", row.sale_date and f"{row.sale_date:%m/%d/%Y}", line["approx_sale_date"]
        yield "exchange", row.exchange, line["exchange_name"]
        yield "broker", row.broker, line["broker_name"]
        past = theirs["securities_sold_past_3_months"].to_dict("records")
        yield "past sales", len(row.past_sales), len(past)
        for ours, other in zip(row.past_sales, past, strict=False):
            yield "past.seller", ours.seller, other["seller_name"]
            yield "past.shares", ours.shares, other["amount_sold"]
            yield "past.proceeds", ours.proceeds, other["gross_proceeds"]


_READERS: tuple[tuple[type[StoredRow], Callable[[Form, str], Pairs]], ...] = (
    (StoredInsiderTrade, insider_pairs),
    (StoredHolding, holding_pairs),
    (StoredStake, stake_pairs),
    (StoredPlannedSale, sale_pairs),
)


def pairs(form: Form) -> Pairs:
    """Yield each field of a form, ours, and that of edgartools."""
    xml = decode_bytes(form.document.body)
    if form.report is not None:
        if form.report.table in ("xml", "none") and "edgarSubmission" in xml[:5_000]:
            yield from cover_pairs(form, xml)
        return
    for kind, reader in _READERS:
        if form.rows and isinstance(form.rows[0], kind):
            yield from reader(form, xml)


def plain(value: Any) -> str:
    """A value as it is compared: a number by its amount, a text without regard to its blanks."""
    if value is None or value != value:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(plain, value))
    text = " ".join(str(value).split())
    # edgartools puts marks of footnotes after values.
    text = re.sub(r"\s*\[F\d+(?:,F?\d+)*\]$", "", text)
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return text.casefold()
    return format(number.normalize(), "f") if number.is_finite() else text


def second_reader(corpus: Path, kinds: Counter[str] | None = None) -> Checked:
    """Return all values of all forms as edgartools reads them.

    `kinds` gets the numbers of documents.
    """
    compared, differ, documents = 0, [], 0
    for form in forms(corpus):
        before = compared
        for field, ours, theirs in pairs(form):
            compared += 1
            if plain(ours) != plain(theirs):
                differ.append(f"{form.name} {field}: {ours!r} is {theirs!r}")
        documents += compared > before
        if kinds is not None and compared > before:
            kinds[type(form.rows[0]).__name__ if form.rows else "cover"] += 1
    return Checked(compared, differ, documents)


def cover_totals(corpus: Path) -> tuple[Checked, Checked]:
    """Return counts and values of the rows of each report, and those of its cover."""
    counts, values = Checked(0, [], 0), Checked(0, [], 0)
    sums: dict[str, tuple[int, Decimal]] = {}
    for form in forms(corpus, b"13F-"):
        if form.report is None:
            rows = [row for row in form.rows if isinstance(row, StoredHolding)]
            if rows:
                number, total = sums.get(form.name, (0, Decimal()))
                filed = sum((row.value_filed or Decimal() for row in rows), Decimal())
                sums[form.name] = number + len(rows), total + filed
        elif form.report.table == "xml":
            number, total = sums.get(form.name, (0, Decimal()))
            counts = _one(counts, form.name, Decimal(number), form.report.entries)
            values = _one(values, form.name, total, form.report.total_filed)
    return counts, values


def _one(checked: Checked, name: str, ours: Decimal, cover: Decimal | None) -> Checked:
    differ = [] if ours == cover else [f"{name}: rows {ours}, cover {cover}"]
    return Checked(checked.compared + 1, [*checked.differ, *differ], checked.without)


def main() -> None:
    """Print the table of `docs/fidelity.md`, and each difference."""
    corpus = Path(sys.argv[1]) if sys.argv[1:] else CHECKOUT.parent / "shared" / "edgar"
    counts, values = cover_totals(corpus)
    print("| comparison | compared | different |\n|---|---:|---:|")
    print(f"| rows of 13F tables by their covers | {counts.compared} | {len(counts.differ)} |")
    print(f"| values, summed by their covers | {values.compared} | {len(values.differ)} |")
    differ = [*counts.differ, *values.differ]
    if is_installed("edgar"):
        kinds: Counter[str] = Counter()
        found = second_reader(corpus, kinds)
        print(f"| values as edgartools reads them | {found.compared:,} | {len(found.differ)} |")
        print(f"\n{found.without} documents: {dict(kinds)}")
        differ += found.differ
    print("\n".join(["", *differ]))


if __name__ == "__main__":
    main()
