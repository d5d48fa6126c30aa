"""Items of other forms than 10-K and 10-Q: 10-KSB, 10-QSB, 20-F, S-1 and 8-K."""

from datetime import date

import pytest

from ingest.reading.eight_k import current_report_sections
from tests.unit.sections.test_sections import PROSE, SIGNATURES, found, shown, text_of_report

SMALL = {
    "1": "Description of Business",
    "2": "Description of Property",
    "6": "Management's Discussion and Analysis or Plan of Operation",
    "7": "Financial Statements",
    "8": "Changes in and Disagreements With Accountants",
    "8A": "Controls and Procedures",
    "9": "Directors, Executive Officers, Promoters and Control Persons",
    "13": "Exhibits and Reports on Form 8-K",
    "14": "Principal Accountant Fees and Services",
}
SMALL_QUARTER = {
    "part1item1": "Item 1. Financial Statements",
    "part1item2": "Item 2. Management's Discussion and Analysis or Plan of Operation",
    "part1item3": "Item 3. Controls and Procedures",
    "part2item2": "Item 2. Unregistered Sales of Equity Securities",
    "part2item6": "Item 6. Exhibits and Reports on Form 8-K",
}
FOREIGN = {
    "1": "Identity of Directors, Senior Management and Advisers",
    "3": "Key Information",
    "4": "Information on the Company",
    "4A": "Unresolved Staff Comments",
    "5": "Operating and Financial Review and Prospects",
    "8": "Financial Information",
    "14": "Material Modifications to the Rights of Security Holders and Use of Proceeds",
    "16": "[Reserved]",
    "16A": "Audit Committee Financial Expert",
    "16G": "Corporate Governance",
    "16K": "Cybersecurity",
    "18": "Financial Statements",
    "19": "Exhibits",
}
OLD_FOREIGN = {
    "1": "Description of Business",
    "5": "Nature of Trading Market",
    "7": "Taxation",
    "9": "Management's Discussion and Analysis of Financial Condition",
    "9A": "Quantitative and Qualitative Disclosures About Market Risk",
    "13": "Interest of Management in Certain Transactions",
    "19": "Financial Statements and Exhibits",
}
REGISTRATION = {
    "13": "Other Expenses of Issuance and Distribution",
    "14": "Indemnification of Directors and Officers",
    "15": "Recent Sales of Unregistered Securities",
    "16": "Exhibits and Financial Statement Schedules",
    "17": "Undertakings",
}


@pytest.mark.parametrize(
    ("form_type", "titles"),
    [
        ("10-KSB", SMALL),
        ("10KSB40", SMALL),
        ("10-KSB/A", SMALL),
        ("20-F", FOREIGN),
        ("20-F/A", FOREIGN),
        ("20FR12B", FOREIGN),
        ("20-F", OLD_FOREIGN),
        ("S-1/A", REGISTRATION),
    ],
)
def test_items_of_a_form(form_type: str, titles: dict[str, str]) -> None:
    pieces = {
        f"item{number.lower()}": f"<p>Item {number}. {title}</p>{PROSE}"
        for number, title in titles.items()
    }
    sections = found(f"<html><p>Cover</p>{''.join(pieces.values())}{SIGNATURES}</html>", form_type)
    assert sections == {item: shown(markup) for item, markup in pieces.items()}


def test_items_of_a_quarterly_report_of_a_small_company() -> None:
    pieces = {item: f"<p>{line}</p>{PROSE}" for item, line in SMALL_QUARTER.items()}
    body = "".join(pieces.values()).replace("<p>Item 2. Unreg", "<p>PART II</p><p>Item 2. Unreg")
    sections = found(f"<html><p>PART I</p>{body}{SIGNATURES}</html>", "10QSB")
    assert sections == {item: shown(markup) for item, markup in pieces.items()}


def test_lettered_parts_of_an_item_belong_to_it() -> None:
    body = "".join(
        f"<p>{line}</p>{PROSE}"
        for line in (
            "Item 3. Key Information",
            "Item 3.A. Selected Financial Data",
            "Item 4. Information on the Company",
            "Item 4.A. History and Development of the Company",
            "Item 4A. Unresolved Staff Comments",
        )
    )
    assert list(found(f"<html>{body}</html>", "20-F")) == ["item3", "item4", "item4a"]


def current(markup: str, filed: date = date(2021, 1, 5)) -> dict[str, tuple[str, str]]:
    report = text_of_report(f"<html>{markup}{SIGNATURES}</html>")
    return {
        section.item: (section.label, " ".join(report.text[section.start : section.end].split()))
        for section in current_report_sections(filed, report)
    }


def test_items_of_a_current_report_end_at_the_next_and_at_the_signatures() -> None:
    first = "<p>Item 2.02 Results of Operations and Financial Condition</p>" + PROSE
    last = "<p>Item 9.01 Financial Statements and Exhibits</p><p>99.1 Press release</p>"
    assert current(first + last) == {
        "item2.02": ("Item 2.02", shown(first)),
        "item9.01": ("Item 9.01", shown(last)),
    }


def test_two_items_of_a_current_report_under_one_heading() -> None:
    both = "<p>Items 2.02 and 7.01. Results of Operations and Regulation FD Disclosure</p>" + PROSE
    assert current(both) == {"item2.02and7.01": ("Items 2.02 and 7.01", shown(both))}


def test_items_of_a_current_report_before_the_form_was_renumbered() -> None:
    old = "<p>Item 5. Other Events</p>" + PROSE
    assert current(old, date(2003, 5, 6)) == {"item5": ("Item 5", shown(old))}
