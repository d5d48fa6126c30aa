"""Sections of made-up reports, one trap a test."""

import pytest

from edgar_search.edgar.submission import parse_submission
from ingest.reading.sections import Section, find_sections
from ingest.reading.sections.report_text import ReportText, report_text
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

MARBLE = MadeUpEntity("0009990001", "MARBLE & MOSS CORP")

TITLES = {
    "1": "Business",
    "1A": "Risk Factors",
    "2": "Properties",
    "3": "Legal Proceedings",
    "7": "Management's Discussion and Analysis of Financial Condition",
    "8": "Financial Statements and Supplementary Data",
    "15": "Exhibits and Financial Statement Schedules",
}
PARTS = {"1": "PART I", "7": "PART II", "15": "PART IV"}
SIGNATURES = "<p>SIGNATURES</p><p>Pursuant to the requirements of Section 13, signed.</p>"
PROSE = "<p>We make boxes of marble, and sell them to those who like them.</p>" * 3


def heading(number: str) -> str:
    return f"<p><b>Item {number}. {TITLES[number]}</b></p>"


def report(**instead: str) -> str:
    """Return a whole annual report; `instead` has other markup for the headings of some items."""
    pieces = ["<html><body><p>Annual report</p>"]
    for number in TITLES:
        if number in PARTS:
            pieces.append(f"<p>{PARTS[number]}</p>")
        pieces += [instead.get(f"item{number}", heading(number)), PROSE]
    return "".join([*pieces, SIGNATURES, "</body></html>"])


def text_of_report(markup: str) -> ReportText:
    """Return the searchable text of a document with this markup, or of plain text."""
    document = MadeUpDocument(markup, "10-K", file_name="" if "</" in markup else "report.txt")
    filing = MadeUp("0009990001-21-000001", (MARBLE,), (document,), "10-K")
    return report_text(parse_submission(txt(filing)).documents[0])


def sections_of(markup: str, form_type: str = "10-K") -> list[Section]:
    report = text_of_report(markup)
    return find_sections(form_type, report.text, is_plain=report.is_plain)


def shown(markup: str) -> str:
    """Return the words of markup, or of plain text."""
    return " ".join(text_of_report(markup).text.split())


def found(markup: str, form_type: str = "10-K") -> dict[str, str]:
    """Return the words of each section."""
    text = text_of_report(markup).text
    sections = sections_of(markup, form_type)
    return {
        section.item: " ".join(text[section.start : section.end].split()) for section in sections
    }


WHOLE = {f"item{number.lower()}": shown(heading(number) + PROSE) for number in TITLES}


def test_sections_of_a_report() -> None:
    assert found(report()) == WHOLE


def test_what_a_section_says_of_itself() -> None:
    section = sections_of(report())[1]
    assert (section.item, section.label, section.description) == (
        "item1a",
        "Item 1A",
        "Risk Factors",
    )


@pytest.mark.parametrize("form_type", ["10-K", "10-K/A", "10-K405", "10-KT", "10-K405/A"])
def test_forms_with_the_items_of_an_annual_report(form_type: str) -> None:
    assert found(report(), form_type) == WHOLE


@pytest.mark.parametrize("form_type", ["8-K", "NT 10-K", "10-D", "6-K", "40-F", ""])
def test_other_forms_have_no_sections(form_type: str) -> None:
    assert found(report(), form_type) == {}


@pytest.mark.parametrize(
    "row",
    [
        "<tr><td>Item {n}.</td><td>{t}</td><td>{p}</td></tr>",
        "<tr><td>Item {n}.</td><td><a href='#i'>{t}</a></td><td></td></tr>",
        "<tr><td>Item {n}. {t} {p}</td></tr>",
        "<tr><td>Item {n}. {t} ....... {p}</td></tr>",
    ],
)
def test_table_of_contents_is_no_section(row: str) -> None:
    rows = "".join(row.format(n=n, t=t, p=p) for p, (n, t) in enumerate(TITLES.items(), 3))
    table = f"<table>{rows}</table><p>This report looks ahead, at its own peril.</p>"
    text = report().replace("<p>PART I</p>", f"{table}<p>PART I</p>")
    assert found(text) == WHOLE


def test_list_of_items_at_the_end_is_no_section() -> None:
    rows = "".join(f"<p>Item {n}. {t}</p>" for n, t in TITLES.items())
    assert found(report().replace("</body>", f"{rows}</body>")) == WHOLE


@pytest.mark.parametrize(
    "sentence",
    [
        "<p>See Item 7 above.</p>",
        "<p>Item 7 of this report says more.</p>",
        "<p>Item 7, Management's Discussion and Analysis, says more.</p>",
        "<p>&#8220;Item 7. Management&#8217;s Discussion and Analysis&#8221; says more.</p>",
        "<p>Part II, Item 7 says more.</p>",
        "<p>Item 3. Legal Proceedings of our last report says more.</p>",
        "<p>Items 7, 7A and 8 are not applicable and have been omitted.</p>",
        "<p>Item 15(a)(2) lists them.</p>",
        "<p>items</p>",
    ],
)
def test_reference_to_an_item_is_no_section(sentence: str) -> None:
    text = report().replace(PROSE, PROSE + sentence + PROSE, 2)
    assert found(text) == WHOLE | {
        name: f"{WHOLE[name]} {shown(sentence + PROSE)}" for name in ("item1", "item1a")
    }


@pytest.mark.parametrize(
    "header",
    ["<p>Item 1A. Risk Factors (continued)</p>", "<p>ITEM 1A. RISK FACTORS, Cont'd.</p>"],
)
def test_heading_that_is_continued_is_no_section(header: str) -> None:
    text = report(item1A=heading("1A") + PROSE + header)
    assert found(text) == WHOLE | {"item1a": shown(heading("1A") + PROSE + header + PROSE)}


def test_page_header_that_repeats_a_heading_is_no_section() -> None:
    header = "<p>Item 1A. Risk Factors</p>"
    text = report(item1A=heading("1A") + PROSE + header)
    assert found(text) == WHOLE | {"item1a": shown(heading("1A") + PROSE + header + PROSE)}


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Item&nbsp;1A.&#160;&#160;Risk&nbsp;Factors</p>",
        "<p>ITEM 1A - RISK FACTORS</p>",
        "<p>Item 1A: Risk Factors</p>",
        "<p>Item 1A &#8212; Risk Factors</p>",
        "<p>Item 1(A). Risk Factors</p>",
        "<p>I<font size='1'>TEM</font> 1A. R<font size='1'>ISK</font> Factors</p>",
        "<p>It<b>em 1</b>A. Risk Factors</p>",
        "<p>I tem 1A. Risk Factors</p>",
        "<p>I T E M 1A. Risk Factors</p>",
        "<p>Item 1A.</p><p>Risk Factors</p>",
        "<p>Item 1A. Risk Factors. We face many risks, of which these are some.</p>",
        "<table><tr><td>Item 1A.</td><td>Risk Factors</td></tr></table>",
        "<p>Part I, Item 1A. Risk Factors</p>",
        "<p>Part I<br>Item 1A. Risk Factors</p>",
        '<div><p><a name="x"></a><font><b>Item 1A. Risk Factors</b></font></p></div>',
        "<p>Item No. 1A Risk Factors</p>",
        "<p>PART I, ITEM 1A - Risk Factors</p>",
    ],
)
def test_ways_to_write_a_heading(markup: str) -> None:
    start = markup.removeprefix("<p>Part I<br>") if "<br>" in markup else markup
    assert found(report(item1A=markup))["item1a"] == shown(start + PROSE)


def test_headings_that_differ_in_title_are_taken_in_their_place() -> None:
    other = "<p>Item 3. Quarrels With Neighbours</p>"
    assert found(report(item3=other))["item3"] == shown(other + PROSE)


def test_missing_item_is_absent_and_moves_no_other() -> None:
    text = report().replace(heading("3") + PROSE, "")
    assert found(text) == {name: cut for name, cut in WHOLE.items() if name != "item3"}


def test_range_of_items_is_one_section() -> None:
    text = report(item3="<p>Items 10 through 13. Directors</p>", item7="", item8="", item15="")
    sections = sections_of(text.replace("PART", "part "))
    assert sections[-1].item == "item10and11and12and13"


def test_short_sections_are_sections() -> None:
    text = report()
    for number in ("2", "3", "15"):
        text = text.replace(heading(number) + PROSE, heading(number) + "<p>See the exhibit.</p>")
    assert found(text)["item3"] == shown(heading("3") + "<p>See the exhibit.</p>")


def test_reserved_item() -> None:
    reserved = "<p>Item 6. [Reserved]</p>"
    section = sections_of(report(item7=reserved + heading("7")))[4]
    assert (section.item, section.description) == ("item6", "Reserved")


def test_section_ends_at_the_heading_of_the_next_part() -> None:
    text = report(item7="<p>PART II, as it is called</p>" + heading("7"))
    assert found(text)["item3"] == shown(heading("3") + PROSE)


def test_last_section_ends_at_the_signatures() -> None:
    text = report().replace("SIGNATURES", "S<i>IGNATURES</i>")
    assert found(text)["item15"] == shown(heading("15") + PROSE)


def test_plain_text() -> None:
    text = (
        "<PAGE>\n    PART I\n\nITEM 1.  BUSINESS\n\n  We make boxes, as we say under the heading\n"
        "ITEM 7. MANAGEMENT'S DISCUSSION of this very report and\nelsewhere.\n\n"
        "Item 2.  Properties\n----------\n  A quarry.\n\n"
        "I T E M  3.   Legal Proceedings\n\n  None.\n\n"
        "   SIGNATURES\n\n  Pursuant to the requirements of the Act.\n"
    )
    cuts = found(text)
    assert sorted(cuts) == ["item1", "item2", "item3"]
    assert cuts["item2"] == shown("Item 2.  Properties\n----------\n  A quarry.\n\n")
    assert cuts["item3"] == shown("I T E M  3.   Legal Proceedings\n\n  None.\n\n")


def test_lines_count_only_where_text_is_preformatted() -> None:
    text = report().replace(PROSE, "<p>As said in\nItem 7. Management's Discussion</p>", 1)
    assert found(text)["item1"] == shown(
        heading("1") + "<p>As said in\nItem 7. Management's Discussion</p>"
    )
    preformatted = f"<html><pre>\nItem 1. Business\n\nboxes\n\nItem 2. Properties\n</pre>{PROSE}"
    assert sorted(found(preformatted)) == ["item1", "item2"]


QUARTERLY = (
    ("part1item1", "Item 1. Financial Statements"),
    ("part1item2", "Item 2. Management's Discussion and Analysis"),
    ("part1item4", "Item 4. Controls and Procedures"),
    ("part2item1", "Item 1. Legal Proceedings"),
    ("part2item1a", "Item 1A. Risk Factors"),
    ("part2item2", "Item 2. Unregistered Sales of Equity Securities"),
    ("part2item4", "Item 4. (Removed and Reserved)"),
    ("part2item6", "Item 6. Exhibits"),
)


def quarterly() -> str:
    pieces = ["<html><body><p>Part I. Financial Information</p>"]
    for item, title in QUARTERLY:
        pieces += ["<p>Part II. Other Information</p>"] if item == "part2item1" else []
        pieces += [f"<p>{title}</p>", PROSE]
    return "".join([*pieces, SIGNATURES])


def test_quarterly_report() -> None:
    whole = {item: shown(f"<p>{title}</p>{PROSE}") for item, title in QUARTERLY}
    assert found(quarterly(), "10-Q") == whole


def test_contents_of_a_quarterly_report() -> None:
    rows = "".join(
        f"<tr><td>{title}</td><td>{page}</td></tr>" for page, (_, title) in enumerate(QUARTERLY, 2)
    )
    listed = rows.replace("<td>2</td>", "<td></td></tr><tr><td>Balance Sheets</td><td>2</td>", 1)
    text = quarterly().replace("<body>", f"<body><table>{listed}</table><p>Ahead.</p>")
    assert found(text, "10-Q") == found(quarterly(), "10-Q")


def test_item_whose_title_says_nothing_belongs_to_the_part_that_it_is_in() -> None:
    text = quarterly().replace("Item 4. (Removed and Reserved)", "Item 5. Nothing of Note")
    assert found(text, "10-Q")["part2item5"] == shown(f"<p>Item 5. Nothing of Note</p>{PROSE}")


@pytest.mark.parametrize("answer", ["None", "Not applicable", "N/A"])
def test_items_that_are_all_answered_with_none_are_sections(answer: str) -> None:
    whole = {item: shown(f"<p>{title}</p><p>{answer}</p>") for item, title in QUARTERLY}
    assert found(quarterly().replace(PROSE, f"<p>{answer}</p>"), "10-Q") == whole
