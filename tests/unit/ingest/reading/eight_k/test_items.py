"""Items and exhibits of made-up current reports."""

import random
import time
from datetime import date

import pytest

from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.stored.filing import FilingExhibit, FilingItem
from ingest.reading.eight_k import current_report, eight_k_items
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

NUMBER = "0009990001-21-000001"
MARBLE = MadeUpEntity("0009990001", "MARBLE & MOSS CORP")
SIGNATURES = "<p>SIGNATURES</p><p>Pursuant to the requirements of the Act, signed.</p>"
PRESS = MadeUpDocument("We sold stones.", "EX-99.1", "press.htm", "PRESS RELEASE")
BEFORE, AFTER = date(2004, 8, 20), date(2021, 1, 5)


def report(
    body: str,
    *exhibits: MadeUpDocument,
    form_type: str = "8-K",
    filed: date = AFTER,
    items: tuple[str, ...] = (),
) -> MadeUp:
    main = MadeUpDocument(f"<html>{body}{SIGNATURES}</html>", form_type.removesuffix("/A"))
    return MadeUp(NUMBER, (MARBLE,), (main, *exhibits), form_type, filed, items=items)


def items_of(made_up: MadeUp) -> list[FilingItem]:
    return items_in(parse_submission(txt(made_up)))


def items_in(submission: Submission) -> list[FilingItem]:
    report = current_report(submission)
    return eight_k_items(submission, report) if report else []


def numbers(made_up: MadeUp) -> list[str]:
    return [item.number for item in items_of(made_up)]


def paragraphs(*lines: str) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def test_items_of_the_header_have_number_and_name() -> None:
    made_up = report("", items=("Other Events", "Financial Statements and Exhibits"))
    assert items_of(made_up) == [
        FilingItem("8.01", "Other Events", f"{NUMBER}-1"),
        FilingItem("9.01", "Financial Statements and Exhibits", f"{NUMBER}-1"),
    ]


def test_feed_writes_numbers() -> None:
    submission = parse_submission(nc(report("", items=("5.02", "9.01"))))
    assert [item.number for item in items_in(submission)] == ["5.02", "9.01"]


@pytest.mark.parametrize(
    ("line", "filed", "number"),
    [
        ("Other events", BEFORE, "5"),
        ("Other Events", AFTER, "8.01"),
        ("Acquisition or disposition of assets", BEFORE, "2"),
        ("Results of Operations and Financial Condition", BEFORE, "12"),
        ("Results of Operations and Financial Condition", AFTER, "2.02"),
        ("Changes in Registrant's Certifying Accountant", AFTER, "4.01"),
        ("Changes in registrant's certifying accountant", BEFORE, "4"),
        ("Cost Associated with Exit or Disposal Activities", AFTER, "2.05"),
        ("Departure of Directors or Principal Officers; Election of Directors", AFTER, "5.02"),
        ("Amendments to the Registrant's Code of Ethics", AFTER, "5.05"),
        ("Amendments to Articles of Incorporation or Bylaws", AFTER, "5.03"),
        ("Material Cybersecurity Incidents", AFTER, "1.05"),
        ("Mine Safety - Reporting of Shutdowns", AFTER, "1.04"),
        ("Regulation FD Disclosure", AFTER, "7.01"),
        ("7", BEFORE, "7"),
    ],
)
def test_names_that_edgar_writes(line: str, filed: date, number: str) -> None:
    assert numbers(report("", filed=filed, items=(line,))) == [number]


def test_line_that_names_no_item_is_left_out() -> None:
    assert numbers(report("", items=("Weather", "Other Events"))) == ["8.01"]


@pytest.mark.parametrize(
    "form_type", ["8-K", "8-K/A", "8-K12B", "8-K12G3/A", "8-K15D5", "8-KT", "8-K405"]
)
def test_kinds_of_current_reports(form_type: str) -> None:
    assert numbers(report("", form_type=form_type, items=("Other Events",))) == ["8.01"]


@pytest.mark.parametrize("form_type", ["6-K", "10-D", "10-K", "8-A12B"])
def test_other_forms_have_no_items(form_type: str) -> None:
    assert items_of(report("", form_type=form_type, items=("Other Events",))) == []


OLD_TEXT = paragraphs(
    "Item 5. Other Events", "We moved a stone.", "ITEM 7(c). EXHIBITS", "99.1 Press release"
)


def test_header_without_items_leaves_it_to_the_text() -> None:
    assert numbers(report(OLD_TEXT, filed=BEFORE)) == ["5", "7"]


def test_header_with_items_decides() -> None:
    assert numbers(report(OLD_TEXT, filed=BEFORE, items=("Other events",))) == ["5"]


@pytest.mark.parametrize(
    "line",
    [
        "Item 2.02. Results of Operations and Financial Condition",
        "ITEM 2.02 RESULTS OF OPERATIONS AND FINANCIAL CONDITION.",
        "I<small>TEM</small> 2.02&nbsp;&nbsp;Results of Operations",
        "Item&#160;2.02 &#8212; Disclosure of Results",
        "<table><tr><td>Item 2.02</td><td>Results of Operations</td></tr></table>",
        "Item 2.02</p><p>Results of Operations and Financial Condition",
    ],
)
def test_headings(line: str) -> None:
    assert numbers(report(paragraphs(line, "We sold stones."))) == ["2.02"]


@pytest.mark.parametrize(
    "line",
    [
        "Item 2.02 of this report says more.",
        "See Item 2.02. Results of Operations",
        "Items 2.02, 7.01 and 9.01 are furnished.",
        "Item 2.02(a) of the form",
        "Item 2.03 Results of Operations and a long sentence that goes on and on for a while yet",
        "Item 304(a)(1) of Regulation S-K",
        "Item 12. Results of Operations",
    ],
)
def test_what_is_no_heading(line: str) -> None:
    assert numbers(report(paragraphs(line, "We sold stones."))) == []


@pytest.mark.parametrize("answer", ["Not applicable.", "None.", "N/A", "Inapplicable"])
def test_item_that_is_not_answered_is_none(answer: str) -> None:
    body = paragraphs(
        "Item 1. Changes in Control of Registrant", answer, "Item 5. Other Events", "x"
    )
    assert numbers(report(body, filed=BEFORE)) == ["5"]


EXHIBITS = paragraphs(
    "Item 2.02. Results of Operations",
    "A copy is attached as Exhibit 99.1.",
    "Item 9.01. Financial Statements and Exhibits",
    "(d) Exhibits",
) + (
    "<table><tr><td>Exhibit No.</td><td>Description</td></tr>"
    "<tr><td>10.1*</td><td>Quarry lease, by reference</td></tr>"
    "<tr><td>99.1</td><td>Press release of</td></tr><tr><td></td><td>January 5</td></tr></table>"
)
LEASE = FilingExhibit("10.1", "Quarry lease, by reference")
RELEASE = FilingExhibit("99.1", "Press release of January 5", f"{NUMBER}-2", "press.htm")


def test_exhibits_are_listed_with_their_documents() -> None:
    items = items_of(report(EXHIBITS, PRESS))
    assert [(item.number, item.exhibits) for item in items] == [
        ("2.02", [RELEASE]),
        ("9.01", [LEASE, RELEASE]),
    ]


def test_exhibits_of_plain_text() -> None:
    text = (
        "Item 7.  Financial Statements and Exhibits\n\n   (c) Exhibits.\n\n"
        "   2.1   Agreement among the quarry\n         and the railway\n   99    Press release\n\n"
        "        SIGNATURES\n\n   Pursuant to the requirements of the Act.\n   16   Nothing\n"
    )
    main = MadeUpDocument(text)
    press = MadeUpDocument("We sold stones.", "EX-99.1", "press.txt", "PRESS RELEASE")
    (item,) = items_of(MadeUp(NUMBER, (MARBLE,), (main, press), filing_date=BEFORE))
    assert item.exhibits == [
        FilingExhibit("2.1", "Agreement among the quarry and the railway"),
        FilingExhibit("99", "Press release", f"{NUMBER}-2", "press.txt"),
    ]


def test_exhibit_that_no_list_has_is_described_by_the_filing() -> None:
    body = paragraphs("Item 9.01. Financial Statements and Exhibits", "See below.")
    (item,) = items_of(report(body, PRESS))
    assert item.exhibits == [FilingExhibit("99.1", "PRESS RELEASE", f"{NUMBER}-2", "press.htm")]


@pytest.mark.parametrize(
    "line",
    [
        "15(d) of the Securities Exchange Act",
        "8-K is required",
        "2004 Report",
        "47 Stones",
        "7 Notes",
    ],
)
def test_line_that_is_no_exhibit(line: str) -> None:
    body = paragraphs("Item 9.01. Financial Statements and Exhibits", line)
    assert items_of(report(body))[0].exhibits == []


def test_xbrl_documents_are_no_exhibits() -> None:
    schema = MadeUpDocument("x", "EX-101.SCH", "a.xsd")
    body = paragraphs("Item 9.01. Financial Statements and Exhibits")
    assert items_of(report(body, schema, items=("9.01",)))[0].exhibits == []


def test_index_of_exhibits_after_the_signatures_is_read() -> None:
    body = paragraphs("Item 9.01. Financial Statements and Exhibits", "See the index.")
    index = paragraphs("EXHIBIT INDEX", "99.1", "Press release of January 5")
    made_up = report(body + SIGNATURES + index, PRESS)
    assert items_of(made_up)[0].exhibits == [RELEASE]


def test_no_text_raises_or_takes_long() -> None:
    chance = random.Random(11)
    pieces = [
        "Item 5. Other Events",
        "Item 7. Exhibits",
        "99.1",
        "EXHIBIT INDEX",
        "(",
        "\n",
        " ",
        "<p>",
    ]
    began = time.process_time()
    for _ in range(200):
        items_of(report("".join(chance.choices(pieces, k=60)), PRESS, filed=BEFORE))
    items_of(report(paragraphs("Item 9.01. Exhibits") + " \n- . " * 400_000))
    assert time.process_time() - began < 20
