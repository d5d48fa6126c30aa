"""The ends of a section besides the next item of the form."""

import pytest

from tests.unit.sections.test_sections import (
    PROSE,
    SIGNATURES,
    WHOLE,
    found,
    heading,
    report,
    sections_of,
    shown,
)


@pytest.mark.parametrize(
    "line",
    [
        "ITEM X. EXECUTIVE OFFICERS OF THE REGISTRANT",
        "Item X - E<small>XECUTIVE</small> O<small>FFICERS</small> of the Company",
        "Item E.O. Executive Officers",
        "ITEM. EXECUTIVE OFFICERS OF THE REGISTRANT",
        "Item (Unnumbered). Executive Officers of the Registrant",
        "Unnumbered Item. Executive Officers of the Registrant",
        "Supplemental Item. Information about our Executive Officers",
        "Item S. Executive Officers",
        "Item 3A. Executive Officers of the Registrant",
        "Item 3(a). Executive Officers of the Registrant",
        "Item 4B. Our Officers",
        "Item 1112(b) of Regulation AB. Significant Obligors of Pool Assets",
        "Item 1117 of Regulation AB",
    ],
)
def test_section_ends_at_an_item_that_the_form_has_no_number_for(line: str) -> None:
    text = report(item3=heading("3") + PROSE + f"<p>{line}</p>{PROSE}")
    assert found(text) == WHOLE


@pytest.mark.parametrize(
    "line",
    [
        "Item 1112(b) of Regulation AB requires that we say so.",
        "Item 401 of Regulation S-K asks for it.",
        "Item 8A. of our last report",
        "Items that executive officers of the Company own",
        "Item X, the executive officers, follows in the proxy statement.",
    ],
)
def test_section_does_not_end_at_a_sentence_that_begins_with_an_item(line: str) -> None:
    text = report(item3=heading("3") + PROSE + f"<p>{line}</p>")
    assert found(text) == WHOLE | {"item3": shown(heading("3") + PROSE + f"<p>{line}</p>{PROSE}")}


def test_officers_under_the_number_of_a_later_item_have_their_own_title() -> None:
    officers = f"<p>Item 1A. Executive Officers of the Registrant</p>{PROSE}"
    section = sections_of(report(item1A=officers))[1]
    assert (section.item, section.description) == ("item1a", "Executive Officers of the Registrant")


@pytest.mark.parametrize(
    "signing",
    [
        "<p>SIGNATURES</p><p>POWER OF ATTORNEY</p><p>KNOW ALL PERSONS BY THESE PRESENTS, that</p>",
        "<p>POWER OF ATTORNEY</p><p>Each person who signs below constitutes and appoints X</p>",
        "<p>POWER OF ATTORNEY AND SIGNATURES</p><p>We severally constitute X our attorney.</p>",
        "<p>SIGNATURES AND POWER OF ATTORNEY</p><p>Pursuant to the requirements of the Act</p>",
        "<p>SIGNATURE PAGE</p><p>Pursuant to the requirements of the Act, signed.</p>",
        "<p>SIGNATURES:</p><p>In accordance with Section 13 or 15(d), signed.</p>",
        "<p>Pursuant to Section 13 or 15(d) of the Act, Marble Corp. has caused this.</p>",
    ],
)
def test_last_section_ends_where_signing_begins(signing: str) -> None:
    text = report().replace(SIGNATURES, f"{signing}<p>/s/ A. Mason</p>{SIGNATURES}")
    assert found(text) == WHOLE


def test_power_of_attorney_in_a_list_of_exhibits_ends_nothing() -> None:
    listed = "<table><tr><td>24</td><td>Power of Attorney</td></tr></table><p>Filed herewith.</p>"
    text = report().replace(SIGNATURES, listed + SIGNATURES)
    assert found(text)["item15"] == shown(heading("15") + PROSE + listed)


LONG = "".join(
    f"<p>Our quarries gave {n} blocks of marble more than last year.</p>" for n in range(900)
)
DISCUSSION = f"<p>MANAGEMENT'S DISCUSSION AND ANALYSIS</p>{LONG}"
PAGES = "".join(
    f"<tr><td>{page}</td><td>{title}</td></tr>"
    for page, title in (
        (34, "Summary"),
        (35, "Management's discussion"),
        (60, "Notes"),
        (99, "Glossary"),
    )
)


@pytest.mark.parametrize(
    "front",
    [
        f"<p>Table of contents</p><p>Financial:</p><table>{PAGES}</table>",
        "<p>FINANCIAL HIGHLIGHTS</p><p>Sales rose.</p>",
        "<p>Selected Financial Data</p><table><tr><td>Sales</td><td>900</td></tr></table>",
        "",
    ],
)
def test_annual_report_before_the_signatures_belongs_to_no_item(front: str) -> None:
    listed = "<p>Table of Contents</p><table><tr><td>13</td><td>Annual report</td></tr></table>"
    text = report().replace(SIGNATURES, listed + front + DISCUSSION + SIGNATURES)
    assert found(text) == WHOLE | {"item15": shown(heading("15") + PROSE + listed)}


def test_annual_report_of_plain_text() -> None:
    item = (
        "ITEM 14. EXHIBITS\n\n  13    Annual report\n\n"
        "  Management's Discussion and Analysis        17\n\n"
    )
    lines = "  Our quarries gave more blocks of marble than they did in the year before.\n" * 900
    signatures = "\nSIGNATURES\n\nPursuant to the Act\n"
    text = f"{item}Management's Discussion and Analysis\n\n{lines}{signatures}"
    assert found(text) == {"item14": shown(item)}


def test_statements_after_the_list_of_exhibits_belong_to_it() -> None:
    statements = f"<p>Index to Consolidated Financial Statements</p>{LONG}"
    text = report().replace(SIGNATURES, statements + SIGNATURES)
    assert found(text)["item15"] == shown(heading("15") + PROSE + statements)


@pytest.mark.parametrize("index", ["EXHIBIT INDEX", "Index to Consolidated Financial Statements"])
def test_what_follows_the_summary_does_not_belong_to_it(index: str) -> None:
    summary = "<p>Item 16. Form 10-K Summary</p><p>None.</p>"
    text = report().replace(SIGNATURES, f"{summary}<p>{index}</p>{LONG}{SIGNATURES}")
    assert found(text) == WHOLE | {"item16": shown(summary)}


FINANCIAL_SECTION = (
    "<p>FINANCIAL SECTION</p><p>Management's Discussion and Analysis of Results</p>" + PROSE * 150
)


@pytest.mark.parametrize(
    "answer", ["None.", "Not applicable.", "Omitted.", "We have elected not to provide a summary."]
)
def test_summary_that_says_nothing_ends_with_its_answer(answer: str) -> None:
    summary = f"<p>Item 16. Form 10-K Summary</p><p>{answer}</p>"
    markup = report().replace(SIGNATURES, summary + FINANCIAL_SECTION + SIGNATURES)
    assert found(markup)["item16"] == shown(summary)


def test_list_of_exhibits_ends_before_the_heading_of_the_financial_section() -> None:
    markup = report().replace(SIGNATURES, FINANCIAL_SECTION + SIGNATURES)
    assert found(markup)["item15"] == shown(heading("15") + PROSE)


FIGURES = "".join(f"<tr><td>Total {n}</td><td>{n},{n}00</td></tr>" for n in range(1, 9))


@pytest.mark.parametrize(
    "statements",
    [
        f"<p>CONSOLIDATED BALANCE SHEETS</p><table>{FIGURES}</table>",
        f"<p>REPORT OF INDEPENDENT REGISTERED PUBLIC ACCOUNTING FIRM</p>{PROSE * 10}",
    ],
)
def test_statements_behind_the_last_item_of_a_quarterly_report_are_no_exhibits(
    statements: str,
) -> None:
    last = "<p>Part II</p><p>Item 6. Exhibits</p>" + PROSE
    markup = f"<html><body><p>Report</p>{last}{statements}{SIGNATURES}</body></html>"
    assert found(markup, "10-Q")["part2item6"] == shown("<p>Item 6. Exhibits</p>" + PROSE)
