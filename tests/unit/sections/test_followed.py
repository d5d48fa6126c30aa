"""Items that only point elsewhere: what they point at, and what is not certain enough."""

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.filings import StoredSection
from ingest.reading.sections.followed import Following
from ingest.reading.sections.report_text import report_text
from ingest.reading.transform import stored_sections
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

MARBLE = MadeUpEntity("0009990001", "MARBLE & MOSS CORP")
NUMBER = "0009990001-98-000001"
DISCUSSION = "Net sales increased as compared with 1996, since more marble was asked for.\n"
STATEMENTS = (
    "MARBLE & MOSS CORP\nCONSOLIDATED BALANCE SHEETS\n\nCash      12      11\n\n",
    "CONSOLIDATED STATEMENTS OF CASH FLOWS\n\nNet income      7      6\n\n",
    "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS\n\nMoss is valued at cost.\n\n",
)
ANNUAL_REPORT = {
    17: "LETTER\n\nMarble did well.\n",
    18: f"MANAGEMENT'S DISCUSSION AND ANALYSIS\n\n{DISCUSSION}",
    19: f"MANAGEMENT'S DISCUSSION AND ANALYSIS (continued)\n\n{DISCUSSION}",
    20: f"Market risk: interest rates may rise.\n{DISCUSSION}",
    21: STATEMENTS[0],
    22: STATEMENTS[1],
    23: STATEMENTS[2],
    24: "DIRECTORS AND OFFICERS\n\nA. Mason\n",
}


def plain_pages(pages: dict[int, str], prefix: str = "") -> str:
    return "".join(f"{text}\n{'':30}{prefix}{number}\n<PAGE>\n" for number, text in pages.items())


def html_pages(pages: dict[int, str], *, at_head: bool = False) -> str:
    shown: list[str] = []
    for number, text in pages.items():
        lines = "".join(f"<p>{line}</p>" for line in text.split("\n") if line)
        label = f"<table><tr><td>[ {number} ]</td><td>MARBLE 1997 ANNUAL REPORT</td></tr></table>"
        shown.append(label + lines if at_head else lines + label)
    return f"<html><body>{'<hr>'.join(shown)}</body></html>"


def report(behind: str = "", **items: str) -> str:
    titles = {
        "7": "MANAGEMENT'S DISCUSSION AND ANALYSIS",
        "7A": "QUANTITATIVE AND QUALITATIVE DISCLOSURES ABOUT MARKET RISK",
        "8": "FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA",
    }
    lines = [
        f"ITEM {number}. {title}\n\n{items.get(f'item{number}', 'Moss grows on us.')}\n\n"
        for number, title in titles.items()
    ]
    end = "ITEM 14. EXHIBITS\n\nNone.\n\nSIGNATURES\n\nPursuant to the Act\n\n<PAGE>\n"
    return "ITEM 1. BUSINESS\n\nMarble.\n\n" + "".join(lines) + end + behind


def followed(
    main: str, *exhibits: tuple[str, str], form_type: str = "10-K"
) -> dict[str, list[str]]:
    """Return the document's number and the words that each item of a report is followed to."""
    documents = [MadeUpDocument(main, form_type, "report.txt")]
    documents += [
        MadeUpDocument(body, kind, "a.htm" if body.startswith("<html>") else "a.txt")
        for kind, body in exhibits
    ]
    submission = parse_submission(txt(MadeUp(NUMBER, (MARBLE,), tuple(documents), form_type)))
    following, texts = Following(), dict[str, str]()
    for document in submission.documents:
        text = texts[document.document_id] = report_text(document).text
        following.look_in(document, text, stored_sections(submission.header, document, text))
    return {
        section.item: _words(section, texts) for section in following.sections() if section.followed
    }


def _words(section: StoredSection, texts: dict[str, str]) -> list[str]:
    assert section.followed is not None
    text = texts[section.followed.document_id]
    parts = [" ".join(text[place.start : place.end].split()) for place in section.followed.places]
    return [section.followed.document_id.rpartition("-")[2], *parts]


def words(*pages: int, label: str = "{0}") -> str:
    shown = (f"{ANNUAL_REPORT[page]} {label.format(page)}" for page in pages)
    return " ".join(" ".join(shown).split())


REFERENCE = (
    "The information on {0} of the 1997 Annual Report to Shareholders is incorporated herein by"
    " reference."
)
LABEL = "[ {0} ] MARBLE 1997 ANNUAL REPORT"


@pytest.mark.parametrize("form_type", ["10-K", "10-K405", "10-K/A"])
def test_pages_of_the_annual_report_are_followed(form_type: str) -> None:
    main = report(item7=REFERENCE.format("pages 18 through 20"), item7A=REFERENCE.format("page 20"))
    found = followed(main, ("EX-13", plain_pages(ANNUAL_REPORT)), form_type=form_type)
    assert found == {"item7": ["2", words(18, 19, 20)], "item7a": ["2", words(20)]}


def test_pages_of_html_have_their_number_on_the_last_line_or_on_the_first() -> None:
    main = report(item7=REFERENCE.format("pages 18 to 20"))
    at_foot = followed(main, ("EX-13", html_pages(ANNUAL_REPORT)))
    assert at_foot == {"item7": ["2", words(18, 19, 20, label=LABEL)]}
    at_head = followed(main, ("EX-13", html_pages(ANNUAL_REPORT, at_head=True)))
    shown = " ".join(f"{LABEL.format(n)} {ANNUAL_REPORT[n]}" for n in (18, 19, 20))
    assert at_head == {"item7": ["2", " ".join(shown.split())]}


def test_several_ranges_of_pages_are_several_parts() -> None:
    main = report(item8=REFERENCE.format("pages 17 and 21-23 (and graphs on pages 19 and 20)"))
    found = followed(main, ("EX-13", plain_pages(ANNUAL_REPORT)))
    assert found == {"item8": ["2", words(17), words(21, 22, 23)]}


def test_pages_with_letters_are_those_of_the_report_itself() -> None:
    pages = plain_pages(dict(enumerate(STATEMENTS, 1)), "F-")
    main = report(pages, item8="Our statements are included in this report on pages F-1 to F-3.")
    (number, shown) = followed(main)["item8"]
    assert number == "1"
    assert shown.startswith("MARBLE & MOSS CORP CONSOLIDATED BALANCE SHEETS")
    assert shown.endswith("Moss is valued at cost. F-3")
    on = report(pages, item8="The information is set forth commencing on page F-2.")
    assert followed(on) == {}  # without a balance sheet these are not the statements


def test_item_leads_to_what_another_item_lists() -> None:
    pages = plain_pages(dict(enumerate(STATEMENTS, 1)), "F-")
    main = report(pages, item8="See the index to financial statements under Item 14.")
    listed = main.replace("EXHIBITS\n\nNone.", "EXHIBITS\n\nBalance sheets, F-1, cash flows, F-2.")
    assert followed(main) == {}
    assert followed(listed)["item8"][1].endswith("Moss is valued at cost. F-3")


def test_exhibit_that_has_nothing_else_is_followed_as_a_whole() -> None:
    said = REFERENCE.format("pages 3 to 5").replace(".", " and is filed as Exhibit 13.{0}.")
    main = report(item7=said.format(1), item8=said.format(2))
    discussion = f"Exhibit 13.1\n\nManagement's Discussion and Analysis\n\n{DISCUSSION}"
    statements = f"Exhibit 13.2\n\nFinancial Statements\n\n{''.join(STATEMENTS)}"
    assert followed(main, ("EX-13.1", discussion), ("EX-13.2", statements)) == {
        "item7": ["2", " ".join(discussion.split())],
        "item8": ["3", " ".join(statements.split())],
    }


def test_part_between_headings_is_followed_if_pages_have_no_numbers() -> None:
    text = "\n".join(ANNUAL_REPORT.values())
    main = report(item7=REFERENCE.format("pages 18 to 20"), item8=REFERENCE.format("pages 21-23"))
    assert followed(main, ("EX-13", text)) == {
        "item7": ["2", words(18, 19, 20, label="")],
        "item8": ["2", words(21, 22, 23, label="")],
    }


@pytest.mark.parametrize(
    "said",
    [
        "Net sales increased as compared with 1996.",
        "We make boxes, which page 18 of our annual report shows.",
        REFERENCE.format("pages 18 to 99"),
        REFERENCE.format("pages 21 to 23"),
        "The information in the proxy statement is incorporated herein by reference.",
        "The information on pages 18 to 20 is incorporated from Exhibit 99.",
        REFERENCE.format("pages 18 to 20") + " Moss." * 400,
    ],
)
def test_item_without_a_certain_target_stays_as_it_is(said: str) -> None:
    pages = plain_pages({number: text for number, text in ANNUAL_REPORT.items() if number != 18})
    other = plain_pages(ANNUAL_REPORT | {18: "LETTER\n\nMoss.\n"})
    assert followed(report(item7=said), ("EX-13", other)) == {}
    assert followed(report(item7=said), ("EX-14", pages)) == {}


def test_item_that_two_documents_fit_stays_as_it_is() -> None:
    exhibit = plain_pages(ANNUAL_REPORT)
    main = report(item7=REFERENCE.format("pages 18 to 20"))
    assert followed(main, ("EX-13.1", exhibit), ("EX-13.2", exhibit)) == {}


def test_other_numbering_of_pages_leads_nowhere() -> None:
    own = {number - 16: text for number, text in ANNUAL_REPORT.items()}
    main = report(item7=REFERENCE.format("pages 4 to 6"))
    assert followed(main, ("EX-13", plain_pages(own))) == {}


def test_quarterly_report_points_nowhere() -> None:
    assert followed(report(item7=REFERENCE.format("page 18")), form_type="10-Q") == {}


def test_pages_to_be_read_in_conjunction_are_no_target() -> None:
    said = (
        REFERENCE.format("pages 18 to 20")
        + " It should be read in conjunction with the statements on pages 21 to 23."
    )
    found = followed(report(item7=said), ("EX-13", plain_pages(ANNUAL_REPORT)))
    assert found == {"item7": ["2", words(18, 19, 20)]}


def test_range_whose_pages_are_mostly_not_known_leads_nowhere() -> None:
    pages = dict.fromkeys(range(1, 9), "Marble.\n") | {9: ANNUAL_REPORT[18]}
    pages |= {12: "".join(STATEMENTS), 15: ANNUAL_REPORT[18], 18: DISCUSSION}
    main = report(item7=REFERENCE.format("pages 9 to 18"))
    assert followed(main, ("EX-13", plain_pages(pages))) == {}


def test_pages_with_letters_of_an_annual_report_are_not_those_of_the_report() -> None:
    pages = plain_pages(dict(enumerate(STATEMENTS, 61)), "K-")
    said = REFERENCE.format("pages K-61 to K-63")
    assert followed(report(pages, item8=said)) == {}


def test_notes_without_the_statements_before_them_are_not_followed() -> None:
    notes = {
        21: f"{STATEMENTS[2]}{'Moss. ' * 60}\n",
        22: f"{STATEMENTS[2]}{'Moss. ' * 60}\n",
        23: f"NOTES TO CONSOLIDATED FINANCIAL STATEMENTS\n\n{STATEMENTS[0]}{STATEMENTS[1]}",
    }
    main = report(item8=REFERENCE.format("pages 21 to 23"))
    assert followed(main, ("EX-13", plain_pages(ANNUAL_REPORT | notes))) == {}


ROWS = "".join(f"Line of marble {n}      {n},200      {n},100\n" for n in range(1, 60))
BEHIND = (
    "INDEX TO FINANCIAL STATEMENTS\n\nConsolidated Balance Sheets\nConsolidated Statements of Cash"
    " Flows\nNotes to Consolidated Financial Statements\n\n"
    f"CONSOLIDATED BALANCE SHEETS\n\n{ROWS}\nCONSOLIDATED STATEMENTS OF CASH FLOWS\n\n{ROWS}\n"
    f"NOTES TO CONSOLIDATED FINANCIAL STATEMENTS\n\n{'Moss is valued at cost.' * 100}\n\n"
)


@pytest.mark.parametrize(
    "said",
    [
        "See the Index to Financial Statements.",
        "The information is set forth in our Consolidated Financial Statements and Notes thereto"
        " included in this Annual Report on Form 10-K.",
        "Our statements are included in this report, behind the signatures.",
    ],
)
def test_statements_elsewhere_in_the_report_are_followed_from_their_first(said: str) -> None:
    (number, shown) = followed(report(BEHIND + "EXHIBIT INDEX\n\n21 Moss\n", item8=said))["item8"]
    assert number == "1"
    assert shown == " ".join(BEHIND[BEHIND.index("CONSOLIDATED BALANCE SHEETS") :].split())


def test_statements_that_are_twice_in_the_report_are_not_followed() -> None:
    main = report("", item8="See the Index to Financial Statements.")
    assert followed(main.replace("\n\nSIGNATURES", f"\n\n{BEHIND}SIGNATURES") + BEHIND) == {}


def test_discussion_in_the_financial_section_of_the_report_is_followed() -> None:
    discussion = f"MANAGEMENT'S DISCUSSION AND ANALYSIS\n\n{DISCUSSION * 80}\n"
    said = "It is set forth in the Financial Section of this report."
    found = followed(report(f"FINANCIAL SECTION\n\n{discussion}{BEHIND}", item7=said))
    assert found == {"item7": ["1", " ".join(discussion.split())]}
