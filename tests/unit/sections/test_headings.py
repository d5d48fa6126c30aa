"""Headings that name several items, and numbers that continue after their letter."""

import pytest

from tests.unit.sections.test_sections import (
    PROSE,
    found,
    heading,
    report,
    sections_of,
    shown,
)


@pytest.mark.parametrize(
    "line",
    [
        "Items 1 and 2. Business and Properties",
        "Item 1 and 2. Business and Properties",
        "ITEMS 1. AND 2. BUSINESS AND PROPERTIES",
        "Items 1 &amp; 2: Description of Business and Properties",
        "Item 1. and Item 2. Business and Properties",
        "PART I, ITEMS 1 AND 2. BUSINESS AND PROPERTIES",
        "Item 1. Business and Item 2. Properties",
        "Item 1. Business and 2. Properties",
        "ITEM 1. BUSINESS; ITEM 2. PROPERTIES",
        "Item 1. Business / Item 2. Properties",
        "Item 1 - Business &amp; Item 2 - Properties",
        "Item 1. Description of Business and Item 2. Description of Property",
        "Item&nbsp;1. B<small>USINESS</small> and&nbsp;I<small>TEM</small> 2. Property",
        "Item 1. Business<br>and<br>Item 2. Properties",
        "Item 1. Business and<br>Item 2. Properties",
        "Item 1.<br>Business and<br>Item 2.<br>Properties",
        "Items 1 and 2.</p><p>Business and Properties",
    ],
)
def test_two_items_under_one_heading_are_one_section(line: str) -> None:
    both = f"<p>{line}</p>"
    text = report(item1=both, item2="")
    section = sections_of(text)[0]
    assert (section.item, section.label) == ("item1and2", "Items 1 and 2")
    assert section.description == "Business; Properties"
    assert found(text)["item1and2"] == shown(both + PROSE)


def test_two_items_under_one_heading_of_plain_text() -> None:
    text = (
        "ITEM 1. BUSINESS AND\nITEM 2. PROPERTIES\n\n  A quarry, and those who work in it.\n\n"
        "ITEM 3. LEGAL PROCEEDINGS\n\n  None.\n"
    )
    assert found(text) == {
        "item1and2": shown(text.split("ITEM 3")[0]),
        "item3": "ITEM 3. LEGAL PROCEEDINGS None.",
    }


def test_items_whose_heading_has_one_title_have_that_of_the_first() -> None:
    section = sections_of(report(item1="<p>Items 1 and 2.</p>", item2=""))[0]
    assert (section.item, section.description) == ("item1and2", "Business")


def test_item_named_with_its_title_in_a_sentence_is_no_second_one() -> None:
    line = "<p>Item 3. Legal Proceedings and Item 7. Management's Discussion say more.</p>"
    cuts = found(report(item3=line + PROSE + heading("3")))
    assert cuts["item3"] == shown(line + PROSE + heading("3") + PROSE)
    assert cuts["item7"] == shown(heading("7") + PROSE)


@pytest.mark.parametrize(
    "number",
    [
        "9A(T).",
        "9A (T)",
        "9A.(T)",
        "9AT.",
        "9(A)(T)",
        "9A(t):",
        "9A[T].",
        "9A-T.",
        "9A(I).",
        "9A(i)",
    ],
)
def test_number_that_goes_on_after_its_letter(number: str) -> None:
    line = f"<p>Item {number} Controls and Procedures</p>"
    cuts = found(report(item15=line + PROSE + heading("15")))
    assert cuts["item8"] == shown(heading("8") + PROSE)
    assert cuts["item9a"] == shown(line + PROSE)


@pytest.mark.parametrize(("first", "second"), [("9A", "9A(T)"), ("9A(I)", "9A(II)")])
def test_item_in_two_parts_is_one_section(first: str, second: str) -> None:
    lines = [f"<p>Item {number}. Controls and Procedures</p>" for number in (first, second)]
    both = f"{lines[0]}<p>None.</p>{lines[1]}{PROSE}"
    assert found(report(item15=both + heading("15")))["item9a"] == shown(both)


@pytest.mark.parametrize(
    "line",
    [
        "Item 1ARisk Factors",
        "ITEM 1ARISK FACTORS",
        "ITEM1ARisk Factors",
        "PART IItem 1A. Risk Factors",
        "Item-1A Risk Factors",
    ],
)
def test_heading_without_a_blank_between_its_parts(line: str) -> None:
    markup = f"<p>{line}</p>"
    assert found(report(item1A=markup))["item1a"] == shown(markup + PROSE)


def test_title_that_begins_with_a_letter_of_a_number_keeps_it() -> None:
    markup = "<p>ITEM 1BUSINESS</p>"
    assert found(report(item1=markup))["item1"] == shown(markup + PROSE)


@pytest.mark.parametrize(
    "line", ["ITEMS 10, 11, 12, 13 AND 14.", "Items 10 thru 14:", "Items 10-14 (inclusive)"]
)
def test_one_heading_of_all_items_of_a_part(line: str) -> None:
    both = f"<p>{line}</p>{PROSE}"
    sections = found(report(item15=both + heading("15")))
    assert sections["item10and11and12and13and14"] == shown(both)
