"""Tables of HTML: a row is a line, however the HTML is read."""

import time
from collections.abc import Callable

import pytest

from edgar_search.text.document_text import finished_text
from edgar_search.text.html import html_text, ordinary_html_text, tree_text
from edgar_search.text.unclosed_html import stripped_text

PROSE = "Moss grows on stones, and so do ferns. " * 6


def row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


TABLES = {
    "cells": (row("Moss", "17", "x") + row("Fern", "2", "y"), "Moss\t17\tx\nFern\t2\ty"),
    "empty cells": (row("", "Moss", "&nbsp;", " <b></b> ", "17", ""), "Moss\t17"),
    "empty rows": (row("Moss", "1") + row("", "&nbsp;") + row("Fern", "2"), "Moss\t1\nFern\t2"),
    "head": (
        "<thead><tr><th>Year<th>2020</tr></thead><tbody>" + row("Moss", "1"),
        "Year\t2020\nMoss\t1",
    ),
    "no rows": ("<td>Moss<td>17", "Moss\t17"),
    "no ends": ("<tr><td>Moss<td>17<tr><td>Fern<td>2", "Moss\t17\nFern\t2"),
    "blocks": (row("<div>Moss</div>", "<p>17</p>", "<div><div>2</div></div>"), "Moss\t17\t2"),
    "lines": (row("Year<br>ended", "May<br>31,<br>2020"), "Year ended\tMay 31, 2020"),
    "dollars": (row("Moss", "$", "17", "$", "(2", ")"), "Moss\t$17\t$(2)"),
    "other money": (
        row("Moss", "US$", "17", "\u20ac", "2", "$", "\u2014"),
        "Moss\tUS$17\t\u20ac2\t$\u2014",
    ),
    "brackets": (row("Moss", "(", "17", ")", "$ (", "2", ")%"), "Moss\t(17)\t$ (2)%"),
    "percent": (row("Moss", "17", "%", "(2", ")%", "3", "% )"), "Moss\t17%\t(2)%\t3% )"),
    "signs that head a column": (row("2020", "Change $", "%"), "2020\tChange $\t%"),
    "numbers": (row("Moss", "17", "2.5", "x"), "Moss\t17\t2.5\tx"),
    "amounts in parts": (
        row("Moss", "(1%", ")", "(45,002", ")(2)", "(1.3", ")pp"),
        "Moss\t(1%)\t(45,002)(2)\t(1.3)pp",
    ),
    "dollars in parts": (
        row("Fern", "($", "344", ")", "(", "$", "5)", "$ (", "0.00", ")"),
        "Fern\t($344)\t($5)\t$ (0.00)",
    ),
    "decimals under the head of their figure": (
        "<tr><th>Year<th colspan=2>2020<th colspan=2>2019" + row("Moss", "21", ".9%", "7", ".5"),
        "Year\t2020\t2019\nMoss\t21.9%\t7.5",
    ),
    "decimals under a head of their own": (
        "<tr><th>Year<th>2020<th>2019" + row("Moss", "21", ".9"),
        "Year\t2020\t2019\nMoss\t21\t.9",
    ),
    "marks under the head of their figure": (
        "<tr><th>Name<th colspan=2>Shares<th colspan=2>Percent"
        + row("Moss", "1,234,567", "(1)", "5.2", "% (4)")
        + row("Fern", "12", "&sup2;", "7", "%"),
        "Name\tShares\tPercent\nMoss\t1,234,567 (1)\t5.2% (4)\nFern\t12\u00b2\t7%",
    ),
    "negative numbers under a head of their own": (
        "<tr><th>Name<th>2020<th colspan=2>2019" + row("Moss", "1,234,567", "", "(1)"),
        "Name\t2020\t2019\nMoss\t1,234,567\t(1)",
    ),
    "negative numbers without heads": (row("Moss", "10", "(1)"), "Moss\t10\t(1)"),
    "marks in brackets": (
        row("Name", "Shares", "", "Percent") + row("Moss", "1,234", "[1]", "5%"),
        "Name\tShares\tPercent\nMoss\t1,234 [1]\t5%",
    ),
    "units and decimals behind figures": (
        "<tr><td><td colspan=2>2020<td colspan=2>2019"
        + row("Moss", "1.5", "pp", "2.5", "pp")
        + row("Fern", "21", ".9%", "3", ".0%"),
        "\t2020\t2019\nMoss\t1.5 pp\t2.5 pp\nFern\t21.9%\t3.0%",
    ),
    "percents under heads of their own": (
        "<tr><td><td colspan=2>4Q 2021<td colspan=2>% (a)<td colspan=2>2020<td colspan=2>%"
        "<tr><td>Moss<td>$<td>17<td colspan=2>.02<td>$<td>13<td colspan=2>.05",
        "\t4Q 2021\t% (a)\t2020\t%\nMoss\t$17\t.02\t$13\t.05",
    ),
    "bullet": (row("", "\u2022", "Moss grows."), "\u2022 Moss grows."),
    "dash as a bullet": (row("-", "Moss grows."), "- Moss grows."),
    "dash as a number": (row("Moss", "-", "17"), "Moss\t-\t17"),
    "one cell": (row("Moss<br>grows", ""), "Moss\ngrows"),
    "prose": (row("1.", f"{PROSE}<br>{PROSE}"), f"1.\n{PROSE.strip()}\n{PROSE.strip()}"),
    "long line": (row("1.", PROSE), f"1.\t{PROSE.strip()}"),
    "table in a cell": (
        row("Moss", f"<table>{row('1', '2')}{row('3', '4')}</table>", "Fern", "5"),
        "Moss\n\n1\t2\n3\t4\n\nFern\n5",
    ),
    "years": (
        row("", "", "2020", "", "2019") + row("Moss", "$", "17", "$", "2"),
        "\t2020\t2019\nMoss\t$17\t$2",
    ),
    "an empty cell that holds a place": (
        row("Moss", "1", "2") + row("Fern", "", "3") + row("", "4"),
        "Moss\t1\t2\nFern\t\t3\n\t4",
    ),
    "heads over several columns": (
        "<tr><td><td colspan=5>Three months<td colspan=2>Nine"
        "<tr><td rowspan=2>Plant<td colspan=2>2020<td><td colspan=2>2019<td colspan=2>2018"
        "<tr><td colspan=2>cells<td><td colspan=2>bulbs<td colspan=2>cells"
        "<tr><td>Moss<td>$<td>17<td><td>(2<td>)<td>5<td>%",
        "\tThree months\t\tNine\nPlant\t2020\t2019\t2018\n\tcells\tbulbs\tcells\n"
        "Moss\t$17\t(2)\t5%",
    ),
    "cells that are not shown": (
        '<tr><td>Moss<td style="display:none"></td><td>17<tr><td>Fern<td hidden></td><td>2',
        "Moss\t17\nFern\t2",
    ),
    "spans beyond all bounds": (
        "<tr><td colspan=65534 rowspan=65534>Moss<td colspan=999999999999>17<tr><td>Fern",
        "Moss\t17\n\tFern",
    ),
    "debit or credit": (
        row("", "Debit", "Credit") + row("Moss", "1", "") + row("Fern", "", "2"),
        "\tDebit\tCredit\nMoss\t1\nFern\t\t2",
    ),
    "rows around a table in a cell": (
        row("Moss", "1") + row(f"<table>{row('2', '3')}</table>") + row("Fern", "4"),
        "Moss\t1\n\n2\t3\n\nFern\t4",
    ),
}


@pytest.mark.parametrize(
    "way", [ordinary_html_text, tree_text, stripped_text], ids=lambda way: way.__name__
)
@pytest.mark.parametrize("kind", TABLES)
def test_table_is(kind: str, way: Callable[[str], str]) -> None:
    rows, text = TABLES[kind]
    found = finished_text(
        way(f"<html><body><p>Before</p><table>{rows}</table><p>Behind</p></body></html>")
    )
    assert found == f"Before\n\n{text}\n\nBehind"


def test_time_of_a_wide_or_crowded_table_is_bounded() -> None:
    wide = "<tr>" + "<td colspan=1000 rowspan=65534>moss" * 10_000
    rows = "".join(f"<tr><td colspan={n % 7 + 1}>{n}<td>fern" for n in range(10_000))
    began = time.process_time()
    text = finished_text(html_text(f"<table>{wide}{rows}</table>"))
    assert time.process_time() - began < 5
    assert text.count("moss") == text.count("fern") == 10_000


@pytest.mark.parametrize("html", ["<p>moss\t17</p>", "<p>moss&#9;17</p>", "<p>moss&Tab;17</p>"])
@pytest.mark.parametrize("unusual", ["", "<pre></pre>"])
def test_no_white_space_of_the_source_parts_cells(html: str, unusual: str) -> None:
    assert finished_text(html_text(html + unusual)) == "moss 17"


@pytest.mark.parametrize("mark", ["\x1c", "\x1d", "\x1e", "\x1f"])
@pytest.mark.parametrize("unusual", ["", "<pre></pre>"])
def test_no_character_of_the_source_is_a_mark(mark: str, unusual: str) -> None:
    table = f"<table><tr><td>moss{mark}grows<td>17</table>{unusual}"
    assert finished_text(html_text(table)) == "moss grows\t17"
