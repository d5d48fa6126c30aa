"""Reports on Form 13F: rows, units, what is missing or damaged, and a real one."""

import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.ownership import StoredHolding
from edgar_search.text.forms import form_text
from ingest.reading.ownership.form_13f import ManagerReport, decide_unit, manager_report
from ingest.reading.ownership.rows import ownership_rows
from tests.support.ownership_forms import cover_13f, row_13f, table_13f
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

MANAGER = MadeUpEntity("0009990021", "HERON CAPITAL LLC")
LATE, EARLY = date(2025, 2, 14), date(2020, 2, 14)


def read(
    *tables: str,
    cover: str = "",
    filed: date = LATE,
    form_type: str = "13F-HR",
    table_type: str = "INFORMATION TABLE",
) -> tuple[ManagerReport, list[StoredHolding]]:
    """Return the report of a filing with these tables, and their rows."""
    documents = (
        MadeUpDocument(f"<XML>\n{cover or cover_13f()}</XML>\n", form_type, "primary_doc.xml"),
        *(MadeUpDocument(table, table_type, f"{n}.xml") for n, table in enumerate(tables)),
    )
    filing = MadeUp("0009990021-25-000001", (MANAGER,), documents, form_type, filed)
    submission = parse_submission(txt(filing))
    report = manager_report(submission)
    assert report is not None
    rows: list[StoredHolding] = []
    for document in submission.documents:
        found = ownership_rows(submission.header, document, report)
        for row in found.rows if found else ():
            assert isinstance(row, StoredHolding)
            rows.append(row)
    return report, rows


def test_row_has_everything_as_filed() -> None:
    table = table_13f(
        row_13f(), row_13f("FERN", "99900020 1", "-500", "", "<putCall>PUT</putCall>")
    )
    report, (row, other) = read(table)
    assert (report.stored().rows, report.problems()) == (2, [])
    assert (row.manager_cik, row.manager_name, row.quarter) == (
        "0009990021",
        "Heron Capital LLC",
        "2024Q4",
    )
    assert (row.issuer, row.cusip, row.value, row.shares) == (
        "MOSS & SONS",
        "999000101",
        Decimal(4000),
        Decimal(40),
    )
    assert (row.value_per_share, row.other_managers) == (Decimal(100), ["1", "2"])
    start, end = row.start, row.end
    assert start is not None
    assert table.encode()[start:end].startswith(b"<ns1:infoTable><ns1:nameOf")
    # A number may be negative or absent; what is no CUSIP is named.
    assert (other.value, other.shares, other.put_call) == (Decimal(-500), None, "Put")
    assert (other.cusip, other.not_read, other.value_per_share) == (None, ["cusip"], None)


def test_row_that_is_written_otherwise_is_read_like_all_others() -> None:
    rows = (
        row_13f(),
        row_13f("FERN &amp;\n CO", more="<ns1:putCall>Put</ns1:putCall>"),
        row_13f("IVY"),
    )
    _, usual = read(table_13f(*rows))
    text = form_text(table_13f(*rows))
    for change in (
        ("<ns1:cusip>", "<!-- odd --><ns1:cusip>"),
        ("<ns1:titleOfClass>", '<ns1:titleOfClass lang="">'),
        ("<ns1:nameOfIssuer>IVY<", "<ns1:nameOfIssuer><![CDATA[IVY]]><"),
    ):
        odd = table_13f(*rows).replace(*change)
        assert odd != table_13f(*rows)
        _, read_oddly = read(odd)
        assert [without_place(each) for each in read_oddly] == [
            without_place(each) for each in usual
        ]
        other = form_text(odd)
        assert text is not None and other is not None
        assert other.text == text.text
    assert text is not None
    filed = "".join(text.text[start:end] for start, end, _, _ in text.spans())
    assert filed.startswith("MOSS &SONSCOM9990001014000")


def without_place(row: StoredHolding) -> StoredHolding:
    return structs.replace(row, start=None, end=None)


def test_usual_row_takes_a_fraction_of_the_time_of_an_odd_one() -> None:
    def seconds(table: str) -> float:
        began = time.process_time()
        report, rows = read(table)
        assert len(rows) == 3_000
        form_text(table)
        return time.process_time() - began

    usual = table_13f(*[row_13f()] * 3_000)
    odd = usual.replace("<ns1:cusip>", "<!-- odd --><ns1:cusip>")
    # In turn, and of each the best: other work on the machine is in the others.
    times = [(seconds(usual), seconds(odd)) for _ in range(3)]
    assert min(each for each, _ in times) < 0.7 * min(each for _, each in times)


def test_cover_names_managers_and_totals() -> None:
    report, _ = read(table_13f(row_13f(), row_13f()), cover=cover_13f(amendment="NEW HOLDINGS"))
    stored = report.stored()
    assert (stored.report_type, stored.amendment, stored.table) == (
        "holdings",
        "new_holdings",
        "xml",
    )
    assert (stored.entries, stored.total_filed) == (Decimal(2), Decimal(4500))
    assert [(each.number, each.name) for each in stored.included] == [("1", "Bittern & Co")]


def test_notice_names_who_reports() -> None:
    more = (
        "<otherManagersInfo><otherManager><cik>0009990022</cik><name>Egret</name></otherManager>"
        "</otherManagersInfo>"
    )
    cover = cover_13f(report="13F NOTICE", more=more)
    report, rows = read(cover=cover, form_type="13F-NT")
    stored = report.stored()
    assert (stored.report_type, stored.table, rows) == ("notice", "none", [])
    assert [(each.cik, each.name) for each in stored.reported_by] == [("0009990022", "Egret")]


@pytest.mark.parametrize("cusip", ["999000", "99900010", "999000101", "999000101ABC"])
def test_cusip_has_6_to_12_characters(cusip: str) -> None:
    _, (row,) = read(table_13f(row_13f(cusip=cusip.lower())))
    assert (row.cusip, row.not_read) == (cusip, [])


@pytest.mark.parametrize("cusip", ["99900", "999000101ABCD", "9990-00101"])
def test_other_cusip_is_named(cusip: str) -> None:
    _, (row,) = read(table_13f(row_13f(cusip=cusip)))
    assert (row.cusip, row.not_read) == (None, ["cusip"])


def test_period_of_1900_is_a_quarter() -> None:
    _, (row,) = read(table_13f(row_13f()), cover=cover_13f(period="03-31-1900"))
    assert row.quarter == "1900Q1"


def test_truncated_table_is_read_up_to_there() -> None:
    whole = table_13f(row_13f(), row_13f("FERN"))
    report, rows = read(whole[: whole.index("FERN") + 4])
    assert [row.issuer for row in rows] == ["MOSS & SONS", "FERN"]
    assert [row.not_read for row in rows] == [[], ["end of the form"]]
    assert report.problems() == []


def test_missing_end_tag_loses_no_row() -> None:
    unclosed = row_13f().replace("</ns1:infoTable>", "")
    report, rows = read(table_13f(unclosed, row_13f("FERN")))
    assert [(row.issuer, row.value) for row in rows] == [
        ("MOSS & SONS", Decimal(4000)),
        ("FERN", Decimal(4000)),
    ]
    assert report.problems() == []


def test_row_of_endless_levels_is_there_without_values() -> None:
    deep = row_13f().replace("<ns1:nameOfIssuer>", "<a>" * 200 + "<ns1:nameOfIssuer>")
    report, rows = read(table_13f(deep, row_13f("FERN")))
    assert [(row.issuer, row.value) for row in rows] == [("", None), ("FERN", Decimal(4000))]
    assert report.problems() == []


def test_entities_are_characters_and_never_expanded() -> None:
    table = table_13f(row_13f(issuer="A&amp;T &#x41; &b;"), row_13f())
    _, (row, _) = read(table)
    assert row.issuer == "A&T A &b;"


def test_table_that_declares_entities_is_named_and_not_read() -> None:
    declared = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb">]><ns1:info'
    table = table_13f(row_13f(), row_13f()).replace("<ns1:info", declared, 1)
    report, rows = read(table)
    assert rows == []
    assert report.problems() == ["13F: the cover counts 2 holdings, the tables have 0"]


def test_two_tables_are_both_read_and_named() -> None:
    report, rows = read(table_13f(row_13f()), table_13f(row_13f("FERN")))
    assert [(row.issuer, row.number, row.document_id[-1]) for row in rows] == [
        ("MOSS & SONS", 0, "2"),
        ("FERN", 0, "3"),
    ]
    assert report.problems() == ["13F: 2 information tables, all of which are read"]


def test_table_of_html_only_is_named() -> None:
    report, rows = read("<html><body><table><tr><td>MOSS</td></tr></table></body></html>")
    assert (report.stored().table, rows) == ("html", [])
    assert report.problems() == [
        "13F: its information table is there as HTML only, and not read",
    ]


def test_other_count_than_on_the_cover_is_named() -> None:
    report, _ = read(table_13f(row_13f()))
    assert report.problems() == ["13F: the cover counts 2 holdings, the tables have 1"]


@pytest.mark.parametrize("count", [3_000, pytest.param(30_000, marks=pytest.mark.long)])
def test_thousands_of_rows_are_read(count: int) -> None:
    report, rows = read(table_13f(*[row_13f()] * count), cover=cover_13f(count, 1))
    assert (len(rows), rows[-1].number, report.problems()) == (count, count - 1, [])


def test_table_in_plain_text_is_not_read() -> None:
    text = "<S> <C>\nMOSS COM 999000101 4000\n"
    document = MadeUpDocument(text, "13F-HR", "form.txt")
    filing = MadeUp("0009990021-10-000001", (MANAGER,), (document,), "13F-HR", date(2010, 2, 1))
    report = manager_report(parse_submission(txt(filing)))
    assert report is not None
    assert (report.stored().table, report.problems()) == ("text", [])


@pytest.mark.parametrize(
    ("filed", "prices", "unit", "decided_by", "is_doubted"),
    [
        (LATE, [80] * 9, "dollars", "filing_date", False),
        (EARLY, ["0.08"] * 9, "thousands", "filing_date", False),
        # A thousand times off: the other unit, if there are enough rows.
        (LATE, ["0.08"] * 9, "thousands", "value_per_share", True),
        (EARLY, [80] * 9, "dollars", "value_per_share", True),
        (LATE, ["0.08"] * 4, "dollars", "filing_date", True),
        (EARLY, [600], "thousands", "filing_date", True),
        (date(2023, 1, 3), [], "dollars", "filing_date", False),
        (date(2023, 1, 2), [], "thousands", "filing_date", False),
    ],
)
def test_unit_is_decided_with_evidence(
    filed: date, prices: list[str], unit: str, decided_by: str, is_doubted: bool
) -> None:
    basis = decide_unit(filed, "X0202", list(map(Decimal, prices)))
    assert (basis.unit, basis.decided_by) == (unit, decided_by)
    assert (basis.doubt is not None) is is_doubted
    assert basis.shares_compared == len(prices)


def test_value_in_thousands_is_in_dollars_too() -> None:
    _, (row,) = read(table_13f(row_13f(value="4")), filed=EARLY)
    assert (row.value_filed, row.value, row.value_per_share) == tuple(map(Decimal, (4, 4000, 100)))


def test_real_report_of_nested_names(corpus: Path) -> None:
    table = (corpus / "forms" / "13f" / "information_table.xml").read_text()
    _, rows = read(table)
    assert len(rows) == table.count("</ns1:infoTable>")
    assert (rows[0].figi, rows[0].value_filed) == ("02079K107743", Decimal(7454547777))
