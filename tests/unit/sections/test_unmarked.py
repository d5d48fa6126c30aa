"""Headings that do not say "Item": a number and a title, a title alone, or the statements alone."""

import pytest

from tests.unit.sections.test_sections import PROSE, TITLES, WHOLE, found, report, shown

ALONE = "".join(f"<p>{title}</p>{PROSE}" for title in TITLES.values())


@pytest.mark.parametrize(
    "line",
    [
        "1A. Risk Factors",
        "1A Risk Factors",
        "1A) Risk Factors",
        "PART I, 1A. Risk Factors",
        "1A - RISK FACTORS",
    ],
)
def test_number_and_title_without_the_word_item(line: str) -> None:
    markup = f"<p>{line}</p>"
    assert found(report(item1A=markup)) == WHOLE | {"item1a": shown(markup + PROSE)}


def test_title_alone_of_an_item_that_is_missing_between_others() -> None:
    markup = "<p>MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION</p>"
    assert found(report(item7=markup)) == WHOLE | {"item7": shown(markup + PROSE)}


@pytest.mark.parametrize(
    "twice",
    [
        "<p>Legal Proceedings</p>" + PROSE + "<p>Legal Proceedings</p>",
        "<p>We report on legal proceedings here.</p>",
        "<p>Legal Proceedings (continued)</p>",
        "<p>Legal Proceedings of our insurers</p>",
    ],
)
def test_title_that_is_not_sure_is_no_heading(twice: str) -> None:
    assert "item3" not in found(report(item3=twice))


def test_risk_factors_of_a_report_before_the_form_had_them_are_a_caption() -> None:
    assert "item1a" not in found(report(item1A="<p>Risk Factors</p>"))


def test_report_in_which_no_heading_says_item() -> None:
    index = "".join(
        f"<tr><td>Item {number}.</td><td>{title}</td><td>{page} – {page + 9}, 80*</td></tr>"
        for page, (number, title) in enumerate(TITLES.items(), start=3)
    )
    titles = [*TITLES.values(), "Executive Compensation", "Principal Accountant Fees and Services"]
    order = [*titles[:-3], *titles[-2:], titles[-3]]
    body = "".join(f"<p>{title}</p>{PROSE}" for title in order)
    sections = found(f"<html><body><p>Annual report</p><table>{index}</table>{body}</body></html>")
    assert list(sections) == [*list(WHOLE)[:-1], "item11", "item14", "item15"]
    assert sections["item2"] == shown(f"<p>Properties</p>{PROSE}")


PLACES = (
    ["Pages 3-9", "Not applicable", "Proxy Statement", "(a)"],
    ["12, 14 and 20", "—", "N/A", "None"],
    ["3, Note 12", "MD&amp;A, pages 4-8", "Notes 4 and 5", "Inside back cover"],
)


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("at_the_end", [True, False])
def test_rows_of_an_index_of_items_are_no_sections(places: list[str], at_the_end: bool) -> None:
    numbers = [*TITLES, "5", "9", "10", "11", "12"]
    titles = {"5": "Market", "9": "Changes in", "10": "Directors", "11": "Compensation"}
    rows = [
        f"<tr><td>Item {number}.</td><td>{(TITLES | titles).get(number, 'Security ownership')}</td>"
        f"<td>{places[at % 4]}</td></tr>"
        for at, number in enumerate(sorted(numbers, key=lambda each: (int(each.rstrip("A")), each)))
    ]
    index = f"<table>{''.join(rows)}</table>"
    parts = [PROSE * 20, index] if at_the_end else [index, PROSE * 20]
    assert found(f"<html><body><p>Annual report</p>{''.join(parts)}</body></html>") == {}


def test_few_titles_alone_are_no_sections() -> None:
    assert found(f"<html><body><p>Annual report</p>{ALONE}</body></html>") == {}


def test_statements_of_a_quarterly_report_without_a_heading() -> None:
    rows = "".join(f"<tr><td>Total line {n}</td><td>{n},{n}00</td></tr>" for n in range(1, 9))
    contents = (
        "<p>Item 1. Financial Statements</p><table><tr><td>Balance Sheets</td><td>3</td></tr>"
        "<tr><td>Item 2. Management's Discussion</td><td>9</td></tr>"
        "<tr><td>Item 4. Controls and Procedures</td><td>12</td></tr>"
        "<tr><td>Item 1. Legal Proceedings</td><td>13</td></tr></table>"
    )
    statements = (
        "<p>MARBLE &amp; MOSS CORP<br>CONDENSED CONSOLIDATED BALANCE SHEETS</p>"
        f"<table>{rows}</table><p>CONDENSED CONSOLIDATED STATEMENTS OF CASH FLOWS</p>"
        f"<table>{rows}</table>"
    )
    rest = "".join(
        f"<p>{line}</p>{PROSE}"
        for line in (
            "Item 2. Management's Discussion and Analysis",
            "Item 4. Controls and Procedures",
            "Part II",
            "Item 1. Legal Proceedings",
        )
    )
    sections = found(f"<html><body>{contents}{statements}{rest}</body></html>", "10-Q")
    assert sections["part1item1"] == shown(statements)
