"""Tables of a text: found, named, and read as numbers; hostile ones in bounded time."""

import time

import pytest

from edgar_search.document.tables import (
    TablePlace,
    amount_of,
    table_cells,
    table_naming,
    table_places,
    table_size,
    text_lines,
)
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from tests.support.hostile_html import HOSTILE_HTML

TEXT = """The results follow.

BALANCE SHEETS

(In millions, except per share)

\t2024\t2023
Cash\t$1,234\t$(56)
Margin\t12.5%\t

Other text."""
PLAIN = """
BALANCE SHEET
                               1995       1994
(In thousands)
Cash .................... $   1,234  $     987
Loss                          (56)        (7)
"""


def only(text: str) -> TablePlace:
    (place,) = table_places(text_lines(text))
    return place


def test_table_has_its_place_heading_unit_and_amounts() -> None:
    place = only(TEXT)
    assert TEXT[place.start : place.end].startswith("\t2024")
    assert table_naming(place) == ("BALANCE SHEETS", "In millions, except per share", 1_000_000)
    rows, amounts = table_cells(place)
    assert rows[1:] == [["Cash", "$1,234", "$(56)"], ["Margin", "12.5%", ""]]
    assert [str(amount and amount.value) for amount in amounts[1]] == ["None", "1234", "-56"]


@pytest.mark.parametrize(
    ("above", "heading", "unit"),
    [
        ("BALANCE SHEETS\n(In thousands)\n(Unaudited)", "BALANCE SHEETS", "In thousands"),
        ("CASH FLOWS\nDollars in millions\n(UNAUDITED)", "CASH FLOWS", "Dollars in millions"),
        (
            "BALANCE SHEETS\nAs of May 31, 2024\n(in millions)\n(Unaudited)\nASSETS",
            "BALANCE SHEETS",
            "in millions",
        ),
        (
            "INCOME\n(In millions, except amounts in thousands,\nand par value)\n(unaudited)",
            "INCOME",
            "In millions, except amounts in thousands, and par value",
        ),
        ("(In millions)\nSales by Segment", "Sales by Segment", "In millions"),
        ("The tables show figures (in millions):\nOther Assets", "Other Assets", "in millions"),
        ("Moss grows (in millions).\nOther Assets", "Other Assets", None),
        ("As of May 31, 2024\n(in millions)", "As of May 31, 2024", "in millions"),
        ("SALES\nYears ended May 31 (in millions)\n(Unaudited)", "SALES", "in millions"),
        ("SALES\nDollars in thousands (unaudited)", "SALES", "Dollars in thousands (unaudited)"),
        ("SALES\n$'000", "SALES", "$'000"),
        ("SALES\nRMB'000", "SALES", "RMB'000"),
        ("Moss, net of $1.2 million of tax:", "Moss, net of $1.2 million of tax:", None),
        ("Moss (including $3 million of ferns)", "Moss (including $3 million of ferns)", None),
        ("(in ten thousands)", "(in ten thousands)", None),
    ],
)
def test_title_and_unit_are_found_behind_remarks_and_days(
    above: str, heading: str, unit: str | None
) -> None:
    place = only(f"Other text.\n\n{above}\n\n\t2024\t2023\nCash\t1,234\t56\n")
    assert table_naming(place)[:2] == (heading, unit)


def test_assets_name_no_table() -> None:
    place = only("BALANCE SHEETS\n(In thousands)\n\nASSETS\n\t2024\t2023\nCash\t1,234\t56\n")
    assert table_naming(place)[:2] == ("BALANCE SHEETS", "In thousands")
    place = only("BALANCE SHEETS\n(In thousands)\n\nASSETS\t\nDay\t2024\t2023\nCash\t1,234\t56\n")
    assert table_naming(place)[:2] == ("BALANCE SHEETS", "In thousands")


def test_figures_of_plain_text_are_below_their_heads() -> None:
    rows, _ = table_cells(only(PLAIN))
    assert ["", "1995", "1994"] in rows
    assert ["Cash", "$1,234", "$987"] in [[c.replace(" ", "") for c in row] for row in rows]
    assert ["Loss", "(56)", "(7)"] in rows


RULER = "- " + "-" * 108
HEAD_OF_RENT = (
    "                              1999       1998\nRent                            12         13\n"
)
WHOLE = {
    "rulers as wide as the page": (
        f"{RULER}\n                              1999       1998\n{RULER}\n"
        f"Rent                            12         13\n{RULER}\n"
        f"  Total                      1,234      1,345\n{RULER}\n{'=' * 120}\n"
        "Net income                       7          8\n",
        [["", "1999", "1998"], ["Rent", "12", "13"], ["Total", "1,234", "1,345"]],
    ),
    "label of five lines": (
        f"{HEAD_OF_RENT}"
        "Common shares\n used in the\n calculations of\n loss per share\n"
        " (in thousands)            125,609    123,659\n",
        [["", "1999", "1998"], ["Rent", "12", "13"], ["Common shares"], ["used in the"]],
    ),
    "label with a full stop": (
        f"{HEAD_OF_RENT}Common stock of Moss Inc.\n no par value             1,234      1,235\n",
        [["", "1999", "1998"], ["Rent", "12", "13"], ["Common stock of Moss Inc."]],
    ),
}


@pytest.mark.parametrize(("text", "rows"), WHOLE.values(), ids=WHOLE)
def test_table_of_plain_text_is_whole(text: str, rows: list[list[str]]) -> None:
    place = only(text)
    cells = [[cell for cell in row if cell] for row in table_cells(place).rows]
    wanted = [[cell for cell in row if cell] for row in rows]
    assert cells[: len(wanted)] == wanted
    last = next(line for line in reversed(text.split("\n")) if line.strip())
    assert cells[-1] == [each.strip() for each in last.split("  ") if each.strip()]


def test_text_behind_a_table_of_plain_text_is_no_part_of_it() -> None:
    table = "                    1999       1998\nRent                  12         13\n"
    text = (
        f"{table}\nThe rent of the land is due in advance, and it is for the whole of the year,\n"
        "which is why it is an asset of the company, as the rent for the machines\n"
        "is not.  It is due in arrears, to the owners of them, and to no one else,\n"
        "nor in another year.\n"
    )
    assert only(text).end <= len(table)


@pytest.mark.parametrize("sentence", ["They like it.  The end is near.", f"It ends.  {'So ' * 40}"])
def test_sentences_of_plain_text_with_two_blanks_between_them_are_no_table(sentence: str) -> None:
    assert table_places(text_lines(sentence)) == []
    (place,) = table_places(text_lines(sentence + PLAIN))
    assert table_cells(place).rows[0] == ["", "1995", "1994"]


def test_sign_of_dollars_behind_a_label_is_of_its_amount() -> None:
    rows, amounts = table_cells(
        only(
            "                                     1999         1998\n"
            "Rent                                1,000        2,000\n"
            "Total interest-bearing liabilities $  950      $   830\n"
        )
    )
    assert rows[2] == ["Total interest-bearing liabilities", "$950", "$830"]
    assert [str(amount and amount.value) for amount in amounts[2]] == ["None", "950", "830"]
    rows, _ = table_cells(
        only("                     1999      1998\nBalance in May $96,047    19,930\n")
    )
    assert [cell for cell in rows[1] if cell] == ["Balance in May", "$96,047", "19,930"]


@pytest.mark.parametrize(
    ("label", "first", "second", "cells"),
    [
        ("Balance of the parent$", "1,000", "2,000", ["Balance of the parent", "$1,000", "2,000"]),
        ("Loss", "(950)", "$    (830)", ["Loss", "(950)", "$(830)"]),
        ("Loss", "950(1)", "$    (830)", ["Loss", "950(1)", "$(830)"]),
        ("Loss", "(950)", " (    830)", ["Loss", "(950)", "(830)"]),
    ],
)
def test_figures_of_plain_text_that_touch_are_apart(
    label: str, first: str, second: str, cells: list[str]
) -> None:
    lines = [("", "1999", "1998"), ("Rent", "1,000", "2,000"), (label, first, second)]
    rows, _ = table_cells(only("\n".join([f"{a:22}{b:>8}{c:>10}" for a, b, c in lines])))
    assert rows[2] == cells


def test_an_amount_in_millions_of_a_row_is_no_unit() -> None:
    assert table_naming(only("\t2024\nMoss\t$1.2 million\nFern\t5\n")).unit is None


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("(1,234)", "-1234", None),
        ("$ (1.50)", "-1.50", "$"),
        ("12.5%", "12.5", "%"),
        ("(6)%", "-6", "%"),
        ("\u20ac7", "7", "\u20ac"),
        ("\u22123", "-3", None),
        ("(1%)", "-1", "%"),
        ("(1.3)pp", "-1.3", "pp"),
        ("1,234,567 (1)", "1234567", None),
        ("(45,002)(2)", "-45002", None),
        ("$4.36\u2076", "4.36", "$"),
        ("45%\u00b9,\u00b2", "45", "%"),
        ("(0.12)\u207d\u2077\u207e", "-0.12", None),
        ("3 a", "3", None),
        ("12*", "12", None),
        ("1,234 (1), (2)", "1234", None),
        ("12% (a,b)", "12", "%"),
        ("7 [3]", "7", None),
        ("16 iv", "16", None),
        ("+5%", "5", "%"),
        ("25 bp", "25", "bp"),
        ("12 3/8", "12.375", None),
        ("6-1/2%", "6.5", "%"),
        ("$3/4", "0.75", "$"),
        ("(1 1/2)%", "-1.5", "%"),
        ("7\u00bd%", "7.5", "%"),
        ("1,234-", "-1234", None),
        ("$.45-", "-0.45", "$"),
        ("-0-", "0", None),
        ("RMB 1,234", "1234", "RMB"),
        ("(CHF 12)", "-12", "CHF"),
        ("Rs. 1,234", "1234", "Rs."),
        ("\u20b912", "12", "\u20b9"),
        ("\uff08\uff15\uff16\uff0c\uff17\uff18\uff19\uff09", "-56789", None),
    ],
)
def test_amounts_keep_sign_and_unit_apart(text: str, value: str, unit: str | None) -> None:
    found = amount_of(text)
    assert found is not None
    assert (str(found.value), found.unit) == (value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "\u2014",
        "\u207d\u00b9\u207e",
        "12 m",
        "*",
        "025816109",
        "4,5",
        "(1",
        "3.1.2",
        "=1+1",
        "1/2",
        "1996-",
        "28-",
        "(1,234)-",
        "12/31/24",
        "5 2/4",
        "5 1/3",
        "12 m\u00bd",
        "1" * 41,
    ],
)
def test_no_number_is_guessed(text: str) -> None:
    assert amount_of(text) is None


def test_small_number_with_its_minus_behind_it_goes_by_its_column() -> None:
    (place,) = table_places(text_lines("a\t1,234-\t28-\nb\t345-\t16-\n"))
    amounts = table_cells(place).amounts
    assert [row[1] and row[1].value for row in amounts] == [-1234, -345]
    assert [row[2] for row in amounts] == [None, None]


def test_names_with_leading_zeros_are_texts_in_the_whole_column() -> None:
    _, amounts = table_cells(only("A\t025816109\nB\t167250109\nC\t5\n"))
    assert [row[1] is None for row in amounts] == [True, True, False]


HOSTILE = [
    ("-" * 1_000 + "  " + "-" * 1_000 + "\n") * 500 + "moss",
    "  moss\n" * 30_000,
    "moss  1\n" + "  moss\n" * 30_000,
    "moss  " * 20_000 + "\n" + "1  " * 20_000,
    "            2024    2023\n\nmoss   1    2\n" * 3_000,
    "moss" + " ." * 200_000 + " 1\nmoss ... 2\n",
    "(" * 100_000 + "  1\n" + "moss  1\n" * 3,
    "(000 " * 20_000 + "\tmoss\n" + "(" * 20_000 + "\t1\n",
    "moss" + "\t" * 200_000 + "1\n" + "moss\t1\n" * 10_000,
    "\n".join(" " * (n % 3_000) + f"moss  {n}" for n in range(3_000)),
]


def check_bounds(text: str) -> None:
    began = time.process_time()
    places = table_places(text_lines(text))
    for place in places[:500]:
        table_naming(place)
        rows, columns = table_size(place)
        if rows * columns <= 200_000:
            cells = "".join(cell for row in table_cells(place).rows for cell in row)
            assert cells.count("moss") == text[place.start : place.end].count("moss")
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:20])
def test_time_of_hostile_tables_is_bounded_and_their_words_are_there(text: str) -> None:
    check_bounds(text)


@pytest.mark.parametrize("body", HOSTILE_HTML, ids=lambda body: body[:20])
def test_time_of_tables_of_hostile_html_is_bounded(body: str) -> None:
    check_bounds(text_of(DocumentKind.HTML, body))


def test_table_within_tables_is_read_once_and_those_around_it_keep_their_words() -> None:
    inner = "<table><tr><td>fern<td>17<tr><td>moss<td>18</table>"
    middle = f"<table><tr><td>oak<td>7<tr><td>elm<td>{inner}<tr><td>ash<td>8</table>"
    body = f"<table><tr><td>a<td>1<tr><td>b<td>{middle}<tr><td>c<td>2</table>"
    text = text_of(DocumentKind.HTML, body)
    rows = [row for place in table_places(text_lines(text)) for row in table_cells(place).rows]
    found = [list(filter(None, row)) for row in rows]
    assert found == [["fern", "17"], ["moss", "18"]]
    assert sorted(text.split()) == sorted("a 1 b oak 7 elm fern 17 moss 18 ash 8 c 2".split())
