"""Items and exhibits of made-up current reports."""

import random
import time
from datetime import date

import pytest

from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.stored.filings import FilingExhibit, FilingItem
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.eight_k_exhibits import mentioned_exhibits
from ingest.reading.sections.report_text import report_text
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
    return eight_k_items(submission, report, report_text(report)) if report else []


def numbers(made_up: MadeUp) -> list[str]:
    return [item.number for item in items_of(made_up)]


def paragraphs(*lines: str) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def test_items_of_the_header_have_number_and_name() -> None:
    made_up = report("", items=("Other Events", "Financial Statements and Exhibits"))
    assert items_of(made_up) == [
        FilingItem("8.01", "Other Events", f"{NUMBER}-1", "header"),
        FilingItem("9.01", "Financial Statements and Exhibits", f"{NUMBER}-1", "header"),
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


def sources(made_up: MadeUp) -> list[tuple[str, str | None]]:
    return [(item.number, item.source) for item in items_of(made_up)]


def test_items_of_the_text_that_the_header_lacks_are_items_too() -> None:
    header = ("Resignations of Registrant's Directors", "Other events")
    made_up = report(OLD_TEXT, filed=BEFORE, items=header)
    assert sources(made_up) == [("5", "both"), ("6", "header"), ("7", "text")]


def test_blank_line_of_a_header_hides_no_item_of_the_text() -> None:
    made_up = report(OLD_TEXT, filed=BEFORE, items=("", "Financial statements and exhibits"))
    assert sources(made_up) == [("5", "text"), ("7", "both")]


def test_beside_a_header_a_title_of_the_filer_s_own_is_no_item() -> None:
    body = paragraphs("Item 4. A Table of Stones", "x", "Item 5. Other Events", "y")
    assert sources(report(body, filed=BEFORE, items=("Other events",))) == [("5", "both")]
    assert sources(report(body, filed=BEFORE)) == [("4", "text"), ("5", "text")]
    both = ("Changes in Registrant's Certifying Accountant", "Other events")
    assert sources(report(body, filed=BEFORE, items=both)) == [("4", "both"), ("5", "both")]


@pytest.mark.parametrize(
    "line",
    [
        "Items 2.02 and 7.01. Results of Operations and Regulation FD Disclosure",
        "Item 2.02 and Item 7.01 Regulation FD Disclosure",
        "Item 2.02. Results of Operations and Financial Condition and Item 7.01. Regulation FD",
        "Item 2.02 Results of Operations; Item 7.01 Regulation FD Disclosure",
    ],
)
def test_heading_of_two_items(line: str) -> None:
    body = paragraphs(line, "A copy is attached as Exhibit 99.1.") + INDEX
    items = items_of(report(body, PRESS))
    assert [(item.number, item.source) for item in items] == [("2.02", "text"), ("7.01", "text")]
    assert [exhibit.number for item in items for exhibit in item.exhibits] == ["99.1", "99.1"]


CONTENTS = paragraphs(
    "TABLE OF CONTENTS",
    "Item 2.02. Results of Operations and Financial Condition",
    "Item 9.01. Financial Statements and Exhibits",
    "SIGNATURES",
    "EXHIBIT INDEX",
    "Exhibit 99.1",
)


def test_table_of_contents_is_no_heading() -> None:
    assert [
        (item.number, item.exhibits) for item in items_of(report(CONTENTS + EXHIBITS, PRESS))
    ] == [
        ("2.02", [RELEASE]),
        ("9.01", [LEASE, RELEASE]),
    ]


COVER = "(Former name or former address, if changed since last report)"
CONTROL, EVENTS = "Item 1. Changes in Control of Registrant", "Item 5. Other Events"
LONG = "On that day the Company sold its quarry to a buyer for cash, and said so. " * 8


@pytest.mark.parametrize(
    "lines",
    [
        # The form's items on the cover, of which the report answers one.
        (CONTROL, EVENTS, COVER, EVENTS, LONG),
        (CONTROL, COVER, EVENTS, LONG),
        # A table of contents that has more items than the report.
        (COVER, f"{CONTROL} ...... 2", f"{EVENTS} ...... 2", EVENTS, LONG),
        # Lists of exhibits, numbered as items.
        (COVER, EVENTS, LONG, "EXHIBIT INDEX", "Item 1. Press Release", "page 4"),
        (COVER, EVENTS, LONG, SIGNATURES, "Item 1. Press Release", "page 4"),
    ],
)
def test_item_of_a_cover_or_a_list_of_exhibits_is_none_of_the_text(lines: tuple[str, ...]) -> None:
    filed = date(1996, 7, 12)
    assert numbers(report(paragraphs(*lines), filed=filed)) == ["5"]
    plain = "\n\n".join(lines).replace("<p>", "\n").replace("</p>", "\n")
    document = MadeUpDocument(plain, "8-K")
    assert numbers(MadeUp(NUMBER, (MARBLE,), (document,), "8-K", filed)) == ["5"]


def test_exhibits_that_item_7_numbers_as_items_are_none() -> None:
    lines = (COVER, "Item 7. Exhibits", "Item 1. Press Release", "Item 2. Agreement of Sale")
    assert numbers(report(paragraphs(*lines), filed=date(1996, 7, 12))) == ["7"]


def test_items_that_follow_each_other_closely_are_all_there() -> None:
    lines = (
        COVER,
        CONTROL,
        "A buyer has acquired all shares of the Company from its former owners.",
        EVENTS,
        "The Company has a new chairman.",
        f"{EVENTS} (continued)",
        LONG,
    )
    assert numbers(report(paragraphs(*lines), filed=date(1996, 7, 12))) == ["1", "5"]


def test_item_that_is_reported_twice_keeps_its_first_text() -> None:
    long = "We sold many stones. " * 200
    body = paragraphs(
        "Item 8.01. Other Events", f"{long} See Exhibit 99.1.", "Item 8.01. Other Events", "More."
    )
    (item,) = items_of(report(body + INDEX, PRESS))
    assert [exhibit.number for exhibit in item.exhibits] == ["99.1"]


@pytest.mark.parametrize(
    "line",
    [
        "Item 2.02. Results of Operations and Financial Condition",
        "ITEM 2.02 RESULTS OF OPERATIONS AND FINANCIAL CONDITION.",
        "I<small>TEM</small> 2.02&nbsp;&nbsp;Results of Operations",
        "Item&#160;2.02 &#8212; Disclosure of Results",
        "<table><tr><td>Item 2.02</td><td>Results of Operations</td></tr></table>",
        "Item 2.02</p><p>Results of Operations and Financial Condition",
        "Item 2.02(a), (b) and (c). Results of Operations",
        "ITEM 2.02Results of Operations",
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


INDEX = paragraphs("EXHIBIT INDEX", "99.1", "Press release of January 5")
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
    made_up = report(body + SIGNATURES + INDEX, PRESS)
    assert items_of(made_up)[0].exhibits == [RELEASE]


def exhibits_of(*lines: str, documents: tuple[MadeUpDocument, ...] = ()) -> list[tuple[str, str]]:
    """Number and description of the exhibits that lines of item 9.01 list."""
    body = paragraphs("Item 9.01. Financial Statements and Exhibits", *lines)
    (item,) = items_of(report(body, *documents))
    return [(exhibit.number, exhibit.description) for exhibit in item.exhibits]


def test_without_an_item_of_exhibits_the_last_has_those_that_none_mentions() -> None:
    notice = MadeUpDocument("A notice.", "EX-20.1", "notice.htm", "NOTICE")
    body = paragraphs(
        "Item 7.01. Regulation FD Disclosure", "See Exhibit 99.1.", "Item 8.01. Other Events", "x"
    )
    items = items_of(report(body, PRESS, notice))
    assert [(item.number, [e.number for e in item.exhibits]) for item in items] == [
        ("7.01", ["99.1"]),
        ("8.01", ["20.1"]),
    ]


def test_without_an_item_of_exhibits_the_last_may_list_them() -> None:
    body = paragraphs("Item 8.01. Other Events", "Exhibits", "Exhibit 99.1", "Press Release.")
    (item,) = items_of(report(body, PRESS))
    assert [(e.number, e.description) for e in item.exhibits] == [("99.1", "Press Release.")]


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ("99.4(a)-(c)", ["99.4(a)", "99.4(b)", "99.4(c)"]),
        ("99.1 and 99.2", ["99.1", "99.2"]),
        ("10.1, 10.2 and 10.4", ["10.1", "10.2", "10.4"]),
        ("10.8 through 10.11", ["10.8", "10.9", "10.10", "10.11"]),
        ("10.16a", ["10.16a"]),
        ("99(a), (b)", ["99(a)", "99(b)"]),
        ("99.1 and 12 others", ["99.1"]),
    ],
)
def test_numbers_of_several_exhibits(written: str, numbers: list[str]) -> None:
    assert mentioned_exhibits(f"as Exhibits {written} hereto") == numbers
    if "others" not in written:
        listed = exhibits_of("(d) Exhibits", f"{written} Letters about stones")
        assert listed == [(number, "Letters about stones") for number in numbers]


def test_number_of_a_statement_s_line_is_no_exhibit() -> None:
    consent = MadeUpDocument("We consent.", "EX-23.1", "consent.htm", "CONSENT")
    assert exhibits_of(
        "(a) Financial statements",
        "23 Deferred Taxes",
        "(d) Exhibits",
        "23.1 Consent of Stone & Co.",
        documents=(consent,),
    ) == [("23.1", "Consent of Stone & Co.")]
    assert exhibits_of(
        "23.1 Consent of Stone & Co.", "23 Deferred Taxes", documents=(consent,)
    ) == [("23.1", "Consent of Stone & Co.")]


def test_list_is_over_where_other_text_goes_on() -> None:
    notes = [f"Note {n} speaks of stones." for n in range(30)]
    listed = exhibits_of("(d) Exhibits", "99.1 Press release", *notes, "99.7 Tons of marble")
    assert listed == [("99.1", "Press release")]


def test_whole_numbers_are_exhibits_where_an_index_lists_them() -> None:
    text = (
        "Item 7.  Exhibits\n\n(c) Exhibits: see the index.\n\n4  Pages of Statements\n\n"
        "SIGNATURES\n\nPursuant to the Act\n\nExhibit Index\nNo.    Description\n\n"
        "4.     Rights Agreement of Marble\n       and Moss                     Page 3\n\n"
        "99.    Press release\n\n17\n"
    )
    (item,) = items_of(MadeUp(NUMBER, (MARBLE,), (MadeUpDocument(text),), filing_date=BEFORE))
    assert [(e.number, e.description) for e in item.exhibits] == [
        ("4", "Rights Agreement of Marble and Moss"),
        ("99", "Press release"),
    ]


def test_description_is_not_doubled_by_the_index() -> None:
    body = paragraphs("Item 9.01. Financial Statements and Exhibits", "99.1 Press release", "104")
    index = paragraphs("EXHIBIT INDEX", "99.1 Press release dated today", "104 Cover page")
    (item,) = items_of(report(body + SIGNATURES + index, PRESS))
    assert [(e.number, e.description) for e in item.exhibits] == [
        ("99.1", "Press release"),
        ("104", "Cover page"),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "<tr><td>99.1</td><td>Press release</td><td>4</td></tr>",
        "<tr><td>99.1</td><td>Press release</td><td>Filed herewith</td></tr>",
        "<tr><td>Exhibit 99.1</td><td>-</td><td>Press release ............ 4</td></tr>",
        "<tr><td>+99.1</td><td><p>Press release</p></td></tr><tr><td>-2-</td></tr>",
        "<tr><td>99.1</td><td>Press release -2-</td></tr>",
        "<tr><td>99.1</td><td>Press release</td></tr><tr><td>About Stones</td></tr>",
        "<tr><td>99.1</td><td>Press release ______________</td></tr>",
    ],
)
def test_what_stands_beside_a_description_is_left_out(row: str) -> None:
    body = paragraphs("Item 9.01. Financial Statements and Exhibits") + f"<table>{row}</table>"
    (item,) = items_of(report(body, PRESS))
    assert [(e.number, e.description) for e in item.exhibits] == [("99.1", "Press release")]


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("10.1 - 2000 Stock Option Plan", "2000 Stock Option Plan"),
        ("Exhibit 10.1 - 2000 Stock Option Plan", "2000 Stock Option Plan"),
        ("Exhibit 10.1: lease of a quarry", "lease of a quarry"),
        ("Exhibit 10.1</p><p>Lease of a quarry.", "Lease of a quarry."),
        ("10.1 Lease between Marble and</p><p>Moss", "Lease between Marble and Moss"),
    ],
)
def test_descriptions(line: str, description: str) -> None:
    assert exhibits_of(line) == [("10.1", description)]


@pytest.mark.parametrize("said", ["EX-99.1", "Exhibit 99.1", "EXHIBIT 99", "99.1", ""])
def test_what_says_only_its_number_describes_no_exhibit(said: str) -> None:
    press = MadeUpDocument("We sold stones.", "EX-99.1", "press.htm", said)
    assert exhibits_of("See below.", documents=(press,)) == [("99.1", "")]


def test_lines_of_plain_text_go_on_up_to_an_empty_one() -> None:
    text = (
        "Item 5.  Other Events\n\n  Stones.\n\nItem 7.  Exhibits\n\n(c) Exhibits\n\n"
        "     Exhibit 99.1 Press release issued by Marble\nMoss, Inc.                  7\n\n"
        "ABOUT MARBLE\n"
    )
    main = MadeUpDocument(text)
    items = items_of(MadeUp(NUMBER, (MARBLE,), (main, PRESS), filing_date=BEFORE))
    assert [e.description for e in items[1].exhibits] == [
        "Press release issued by Marble Moss, Inc."
    ]


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
    for filler in (" \n- . ", "- . _ ", "99.1 and 99.2 ", "Exhibit 99.1-(a) ", "......1 "):
        items_of(report(paragraphs("Item 9.01. Exhibits") + filler * 400_000))
    assert time.process_time() - began < 20
