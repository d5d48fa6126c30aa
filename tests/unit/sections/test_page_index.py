"""Items of reports that name their pages in an index only."""

import re

import pytest

from ingest.reading.sections import find_sections

TITLES = {
    "1": ("Business", 2),
    "1A": ("Risk Factors", 9),
    "1C": ("Cybersecurity", 12),
    "2": ("Properties", 14),
    "3": ("Legal Proceedings", 14),
    "7": ("Management's Discussion and Analysis of Financial Condition", 4),
    "7A": ("Quantitative and Qualitative Disclosures About Market Risk", 8),
    "8": ("Financial Statements and Supplementary Data", 15),
    "9A": ("Controls and Procedures", 22),
}
WORDS = "Moss grows on stones that nobody turns, and so does the price of stones. " * 9
ROWS = {
    **{number: f"{title}\tPage {page}" for number, (title, page) in TITLES.items()},
    "4": "Mine Safety Disclosures\tNot applicable",
    "10": "Directors, Executive Officers and Corporate Governance\t(a)",
}
INDEX = "\n".join(
    ["Form 10-K Cross-Reference Index", "\t\tPage reference"]
    + [f"\tItem {n}\t{ROWS[n]}" for n in sorted(ROWS, key=lambda n: (int(n.rstrip("AC")), n))]
)


def report(left_out: str = "", foot: str = "Moss Corp Annual Report", contents: str = "") -> str:
    """Return a report of 24 pages; it leaves out the heading of an item."""
    pages = []
    for page in range(1, 25):
        heads = [t for n, (t, at) in TITLES.items() if at == page and n != left_out]
        text = "\n\n".join(f"{head.upper()}\n\n{WORDS}" for head in heads) or WORDS
        pages.append(f"{contents if page == 2 else ''}{text}\n\n{foot} {page}")
    return "\n\n".join([*pages, INDEX, "Signatures"])


def found(text: str) -> dict[str, tuple[str, str]]:
    """Return the first line of each item, and the last one."""
    sections = find_sections("10-K", text, is_plain=False)
    lines = {section.item: text[section.start : section.end].split("\n") for section in sections}
    return {item: (each[0], each[-1]) for item, each in lines.items()}


def test_items_are_on_the_pages_that_the_index_names() -> None:
    assert found(report()) == {
        "item1": ("BUSINESS", "Moss Corp Annual Report 3"),
        "item7": (TITLES["7"][0].upper(), "Moss Corp Annual Report 7"),
        "item7a": (TITLES["7A"][0].upper(), "Moss Corp Annual Report 8"),
        "item1a": ("RISK FACTORS", "Moss Corp Annual Report 11"),
        "item1c": ("CYBERSECURITY", "Moss Corp Annual Report 13"),
        "item2": ("PROPERTIES", WORDS.rstrip()),
        "item3": ("LEGAL PROCEEDINGS", "Moss Corp Annual Report 14"),
        "item8": (TITLES["8"][0].upper(), "Moss Corp Annual Report 21"),
        "item9a": ("CONTROLS AND PROCEDURES", "Moss Corp Annual Report 24"),
    }


def test_contents_are_no_headings() -> None:
    contents = "\n".join(title for title, _ in TITLES.values()) + "\n" + WORDS * 3 + "\n"
    text = report(contents=contents)
    assert found(text) == found(report())


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [
        # Without a heading neither the item is certain, nor the end of the one before.
        ("7A", {"item7", "item7a"}),
        ("8", {"item3", "item8"}),
        ("9A", {"item8", "item9a"}),
    ],
)
def test_item_without_a_certain_end_is_left_out(left_out: str, missing: set[str]) -> None:
    assert found(report()).keys() - found(report(left_out)).keys() == missing


@pytest.mark.parametrize(
    "text",
    [
        report().replace("Moss Corp Annual Report", "Moss Corp, page"),
        report().replace("Moss Corp Annual Report ", "Moss Corp Annual Report A-"),
    ],
)
def test_numbers_of_pages_may_stand_behind_any_words(text: str) -> None:
    assert found(text).keys() == found(report()).keys()


@pytest.mark.parametrize(
    "text",
    [
        # Pages without numbers, numbers that are those of other texts, an index of too few items.
        re.sub("(?m)^Moss Corp Annual Report .*", "Moss Corp Annual Report", report()),
        report().replace("Annual Report 1", "Annual Report 3"),
        report().replace("\tItem 9A", "\tPart 9A").replace("\tItem 1C", "\tPart 1C"),
        report() + "\n" + INDEX,
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    assert found(text) == {}
