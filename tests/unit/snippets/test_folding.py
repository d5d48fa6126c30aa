"""Passages as one line."""

import pytest

from edgar_search.search.snippets.folding import fold

LINE = "The Company and its subsidiaries sell many products to customers in the"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # A paragraph that was wrapped, and lines that are not one.
        (f"{LINE}\nUnited States.", f"{LINE} United States."),
        (f"{LINE}\nsame year.", f"{LINE} same year."),
        ("100 Main Street\nSan Diego", "100 Main Street … San Diego"),
        (f"GENERAL\n{LINE}", f"GENERAL … {LINE}"),
        # Also where every other line is empty; but a paragraph that ended is one.
        (f"{LINE}\n\nsame year", f"{LINE} same year"),
        (f"{LINE}:\n\nsame year", f"{LINE}: … same year"),
        (f"{LINE}\n\n(b) same year", f"{LINE} … (b) same year"),
        ("Sales in the\n\nsame year", "Sales in the … same year"),
        (f"{LINE} ____ same year", f"{LINE} … same year"),
        (f"{LINE}\n. same year\n:\nof", f"{LINE} … same year … of"),
        (f"{LINE}\n(b) other countries", f"{LINE} … (b) other countries"),
        (f"{LINE}\n• other countries", f"{LINE} … • other countries"),
        # Rows of plain text and of tables.
        ("Amortization of films 1,234 2,345\nother", "Amortization of films 1,234 2,345 … other"),
        ("year ended May 31, 2024\nand others", "year ended May 31, 2024 and others"),
        ("Net sales\t1\t2\nCost\t3", "Net sales | 1 | 2 … Cost | 3"),
        # Empty cells, and blanks between the cells of plain text.
        ("\t2020\t2019\nNet sales\t\t\t2", "2020 | 2019 … Net sales | 2"),
        ("      2020   2019\nNet sales     2", "2020 | 2019 … Net sales | 2"),
        # A row's label that was wrapped.
        ("Selling, general and\nadministrative\t5", "Selling, general and administrative | 5"),
        ("Expenses\nother\t5", "Expenses … other | 5"),
        # Values of a form, a line each, and what is none.
        (
            "Acme Inc\n03783\n12.50\nUSD\nLong\nN\n\nRoe Corp\n59491\n9.5\nUSD\nLong\nN",
            "Acme Inc | 03783 | 12.50 | USD | Long | N … Roe Corp | 59491 | 9.5 | USD | Long | N",
        ),
        (
            "Acme Inc\n1 Main Street\nSan Diego\nMay 5, 2020\nBy: J. Doe\nTitle: Director",
            "Acme Inc … 1 Main Street … San Diego … May 5, 2020 … By: J. Doe … Title: Director",
        ),
        # What only rules, leads or points.
        ("Cash ........ 5", "Cash … 5"),
        ("Cash . . . . . 5", "Cash … 5"),
        ("Title\n-----\nText", "Title … Text"),
        ("By: ______________ Date", "By: … Date"),
        ("Signature______ of", "Signature______ of"),
        ("a\n:\n:\nb", "a … b"),
        # A bullet or a label of a list stands with its text, never alone.
        ("•\n\nFirst\n\n•\n\nSecond", "• First … • Second"),
        ("•\t12 stores\no\tA loss\n-\n“Net” sales", "• 12 stores … o A loss … - “Net” sales"),
        ("•\tFirst\t•\tSecond", "• First | • Second"),
        ("(10)\nIncludes shares\n*\nBelow 1%", "(10) Includes shares … * Below 1%"),
        ("a.\tThe plan\n(iii)\n\nThe lease", "a. The plan … (iii) The lease"),
        ("Sales rose.\n. Costs fell\n.\tTaxes rose", "Sales rose. … Costs fell … Taxes rose"),
        # But not over what was left out between them.
        ("•\n•\n-----\nFirst\n•\n", "• … First"),
        ("14.\t___\tOBH Inc.\n15.\tPlaza", "14. … OBH Inc. … 15. Plaza"),
        ("18.\n\n- ---\nCompany\n(a)\n.\nText", "18. … Company … (a) … Text"),
        ("3\t.\tOther matters\nTitle\t:\tPresident", "3 . | Other matters … Title : | President"),
        # What is none: amounts, and marks in columns of figures.
        ("—\t5\n(10)\n12", "— | 5 … (10) … 12"),
        ("J. Doe\t100\t*\nR. Roe\t•\t•\t5", "J. Doe | 100 | * … R. Roe | • | • | 5"),
        ("-----\n- 5 -\n", "- 5 -"),
        ("a -- b - c", "a -- b - c"),
        ("", ""),
    ],
)
def test_folded(text: str, line: str) -> None:
    assert fold(text).text == line


def test_folding_twice_changes_nothing() -> None:
    once = fold("Net\t1\n\n----\nThe loss.\n").text
    assert fold(once).text == once


def test_many_rulers_in_one_gap_are_one() -> None:
    """Captured groups in a possessive repetition are an error of Python 3.11."""
    text = "a\n" + "-----\t=====\n. . . .\n____\n\u2022\n" * 50 + "b"
    assert fold(text).text == "a \u2026 \u2022 \u2026 b"


def test_places() -> None:
    text = "ab\n\ncd\t-----\nef"
    folded = fold(text)
    assert folded.text == "ab … cd … ef"
    places = [0, 1, 2, 4, 6, text.index("ef"), len(text)]
    assert list(folded.places(places)) == [0, 1, 2, 5, 7, 10, 12]


def test_places_go_back_to_where_they_were() -> None:
    text = "ab\tc\td | e\n\n-----\n\tf\t\t\tg\tk\n  l   m\n\u2022\n\nh\n(a)\ti\tj"
    folded = fold(text)
    assert folded.text == (
        "ab | c | d | e \u2026 f | g | k \u2026 l | m \u2026 \u2022 h \u2026 (a) i | j"
    )
    for place, char in enumerate(text):
        if char.isalpha():
            (there,) = folded.places([place])
            assert folded.original(there) == place
    # What separates was the separator.
    assert [folded.original(place) for place in range(5)] == [0, 1, 2, 2, 2]
