"""Rows of Forms 3, 4 and 5, of whatever version and in whatever state."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from edgar_search.edgar.submission import Document, Submission, parse_submission
from edgar_search.stored.ownership import StoredInsiderTrade
from ingest.reading.ownership.rows import ownership_rows, unread_form
from tests.fidelity.comparison import content
from tests.support.ownership_forms import FORM_4
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

ROW = FORM_4[FORM_4.index("<nonDerivativeTransaction>") : FORM_4.index("  </nonDerivativeTable>")]
DERIVATIVE = """
<derivativeTransaction>
  <securityTitle><value>Option</value></securityTitle>
  <conversionOrExercisePrice><value>0.33</value></conversionOrExercisePrice>
  <transactionAmounts><transactionTotalValue><value>1,000.50</value></transactionTotalValue>
  </transactionAmounts>
  <exerciseDate><footnoteId id="F1"/></exerciseDate>
  <expirationDate><value>2035-04-29</value></expirationDate>
  <underlyingSecurity>
    <underlyingSecurityTitle><value>Common</value></underlyingSecurityTitle>
    <underlyingSecurityShares><value>757.5760</value></underlyingSecurityShares>
  </underlyingSecurity>
</derivativeTransaction>"""


def rows(xml: str | bytes) -> list[StoredInsiderTrade]:
    """Return the rows of a form."""
    submission = submission_of(xml if isinstance(xml, bytes) else xml.encode())
    found = ownership_rows(submission.header, submission.documents[0])
    return (
        [] if found is None else [row for row in found.rows if isinstance(row, StoredInsiderTrade)]
    )


def document_of(body: bytes) -> Document:
    return submission_of(body).documents[0]


def submission_of(body: bytes) -> Submission:
    """Return a filing of Form 4 with this document."""
    filing = MadeUp(
        "0009990092-25-000001",
        (MadeUpEntity("0009990001", "MOSS & SONS", role="ISSUER"),),
        (MadeUpDocument("BODY", "4", "form4.xml"),),
        "4",
    )
    return parse_submission(txt(filing).replace(b"BODY", body))


def amounts(title: str, shares: str, price: str) -> str:
    """Return a form with one transaction in this security."""
    row = re.sub(r"(?s)(?<=<securityTitle>).*?(?=</securityTitle>)", f"<value>{title}</value>", ROW)
    row = re.sub(r"(?<=<transactionShares><value>)[^<]*", shares, row)
    row = re.sub(r"(?<=<transactionPricePerShare><value>)[^<]*", price, row)
    return FORM_4.replace(ROW, row)


@pytest.mark.parametrize(
    ("title", "value"),
    [
        ("Convertible Promissory Note", None),
        ("Convertible Note", None),
        ("5.00% Senior Notes due 2030", None),
        ("Common Stock", Decimal("10000000")),
        ("Units of stock and notes", Decimal("10000000")),
    ],
)
def test_value_of_debt_is_no_product_of_principal_and_price(
    title: str, value: Decimal | None
) -> None:
    row = only(amounts(title, "100000", "100"))
    assert (row.shares, row.price, row.value) == (Decimal(100_000), Decimal(100), value)


def only(xml: str) -> StoredInsiderTrade:
    (row,) = rows(xml)
    return row


def test_derivative_has_what_it_is_on() -> None:
    _, row = rows(FORM_4.replace(ROW, ROW + DERIVATIVE))
    assert (row.derivative, row.trade, row.code) == (True, True, None)
    assert (row.shares, row.price, row.value) == (None, None, Decimal("1000.50"))
    assert row.underlying is not None
    assert str(row.underlying.shares) == "757.5760"
    assert row.underlying.exercise_price == Decimal("0.33")
    assert (row.underlying.exercisable, row.underlying.expires) == (None, date(2035, 4, 29))
    assert [(note.field, note.text) for note in row.footnotes] == [
        ("underlying.exercisable", "Sold in two lots.")
    ]


def test_all_owners_are_kept() -> None:
    start, end = FORM_4.index("<reportingOwner>"), FORM_4.index("<nonDerivativeTable>")
    owners = "".join(
        FORM_4[start:end].replace("0009990002", f"{number}").replace("Fern Ada", f"Owner {number}")
        for number in range(1, 21)
    )
    row = only(FORM_4[:start] + owners + FORM_4[end:])
    assert row.owner_ciks == [f"{number:010d}" for number in range(1, 21)]
    assert row.owner_names == [f"Owner {number}" for number in range(1, 21)]
    assert row.roles == ["director"]


@pytest.mark.parametrize(
    ("old", "new", "field", "value", "not_read"),
    [
        ("<value>2590</value>", "<value>-5</value>", "shares", Decimal(-5), []),
        ("<value>2590</value>", "<value></value>", "shares", None, []),
        ("<value>2590</value>", "<value>many</value>", "shares", None, ["transactionShares"]),
        ("<value>2590</value>", "<value>1e9</value>", "shares", None, ["transactionShares"]),
        ("<value>2590</value>", f"<value>{'9' * 40}</value>", "value", None, ["transactionShares"]),
        ("2025-04-30", "1900-01-01", "trade_date", date(1900, 1, 1), []),
        ("2025-04-30", "2025-04-30-05:00", "trade_date", date(2025, 4, 30), []),
        ("2025-04-30", "2025-02-30", "trade_date", None, ["transactionDate"]),
        ("<isDirector>1", "<isDirector>perhaps", "roles", [], ["isDirector"]),
        ("<issuerCik>0009990001", "<issuerCik>X", "issuer_cik", None, ["issuerCik"]),
        ("<transactionCode>S</transactionCode>", "", "code", None, []),
        (
            "Code>S</transactionCode",
            f"Code>{'S' * 101}</transactionCode",
            "code",
            None,
            ["transactionCode"],
        ),
        ("</documentType>", "</documentType><aff10b5One>1</aff10b5One>", "plan_10b5_1", True, []),
    ],
)
def test_odd_values_are_read_or_named(
    old: str, new: str, field: str, value: object, not_read: list[str]
) -> None:
    row = only(FORM_4.replace(old, new))
    assert (getattr(row, field), row.not_read) == (value, not_read)


@pytest.mark.parametrize(
    ("footnote", "box", "expected"),
    [
        ("Sold under a Rule 10b5-1 trading plan adopted on May 1, 2024.", "0", (True, "footnote")),
        ("The sale was effected pursuant to a 10b5-1(c) plan.", "", (True, "footnote")),
        ("By plan.", "1", (True, "form")),
        ("By plan.", "0", (False, None)),
        ("By plan.", "", (None, None)),
        ("This sale was not made pursuant to a Rule 10b5-1 plan.", "", (None, None)),
        ("The Rule 10b5-1 plan was terminated on May 1.", "0", (False, None)),
        (
            "Made under a Rule 10b5-1 plan, adopted while not in possession of inside information.",
            "",
            (True, "footnote"),
        ),
    ],
)
def test_plan_is_named_by_the_form_or_by_a_footnote(
    footnote: str, box: str, expected: tuple[bool | None, str | None]
) -> None:
    flag = f"<aff10b5One>{box}</aff10b5One>" if box else ""
    form = FORM_4.replace("</documentType>", f"</documentType>{flag}")
    row = only(form.replace("By plan.", footnote))
    assert (row.plan_10b5_1, row.plan_named_by) == expected


def test_form_that_is_cut_off_is_read_up_to_there() -> None:
    cut = FORM_4[: FORM_4.index("<transactionAcquiredDisposedCode>") + 10]
    row = only(cut)
    assert (row.shares, row.acquired, row.not_read) == (Decimal(2590), None, ["end of the form"])


@pytest.mark.parametrize(
    "xml",
    [
        FORM_4.replace("</transactionDate>", ""),
        FORM_4.replace("Common Stock", "&undefined;"),
        re.sub(r"<(/?)(?=\w)", r"<\1o:", FORM_4),
    ],
    ids=["an end tag missing", "entity unknown", "prefixes"],
)
def test_broken_form_has_its_row(xml: str) -> None:
    assert only(xml).code == "S"


def test_form_that_declares_entities_has_no_rows() -> None:
    declared = '<!DOCTYPE a [<!ENTITY e "moss">]>' + FORM_4.partition("?>")[2]
    assert rows(declared) == []
    assert unread_form(document_of(declared.encode())) == (
        "0009990092-25-000001-1: it declares entities, so its rows are not read"
    )
    assert unread_form(document_of(b"Moss & sons, in plain text.")) is None


def test_more_rows_and_owners_than_any_form_has_are_named() -> None:
    start, end = FORM_4.index("<reportingOwner>"), FORM_4.index("<nonDerivativeTable>")
    many = FORM_4.replace(ROW, ROW * 2_100)
    first, *_, last = rows(many[:start] + FORM_4[start:end] * 200 + many[end:])
    assert (len(last.owners), last.number, first.not_read) == (100, 1_999, [])
    assert last.not_read == ["what comes after the first 2,000", "what comes after the first 100"]


def test_elements_in_each_other_without_end_are_bounded() -> None:
    assert rows("<ownershipDocument>" + "<a>" * 100_000) == []


def test_place_is_right_in_bytes_that_are_not_ascii() -> None:
    xml = FORM_4.replace("Fern Ada", "Fé \U0001f600")
    latin = FORM_4.replace("Ada", "\xe9").encode("cp1252")
    for body in (xml.encode(), b"\xef\xbb\xbf" + xml.encode(), latin):
        (row,) = rows(body)
        assert body[row.start : row.end].startswith(b"<nonDerivativeTransaction>")
        assert body[row.start : row.end].endswith(b"</nonDerivativeTransaction>")


def test_rows_of_real_forms_are_whole(corpus: Path) -> None:
    number = 0
    for path in sorted((corpus / "filings").glob("*.gz")):
        if b"<ownershipDocument" not in (data := content(path)):
            continue
        submission = parse_submission(data)
        for document in submission.documents:
            found = ownership_rows(submission.header, document)
            if found is not None and found.kind == "insider_trades":
                made = [row for row in found.rows if isinstance(row, StoredInsiderTrade)]
                assert len(made) == _transactions(document), path
                assert [row.not_read for row in made] == [[]] * len(made), path
                number += len(made)
    assert number >= 279


def _transactions(document: Document) -> int:
    body = document.body
    names = (b"<nonDerivativeTransaction>", b"<nonDerivativeHolding>")
    return sum(body.count(name) + body.count(name.replace(b"nonD", b"d")) for name in names)
