"""Figures of rows, both ways: those that a filing has against those that `/v1/tables` gives.

The second reader takes a row as its line of print: the words of lxml's cells one after the other,
without what is raised, read from left to right. It joins no cells and knows no columns.
"""

import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

from lxml import etree
from msgspec import Struct

from edgar_search.document.tables import table_cells, table_places, text_lines
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.versions import DocumentKind
from tests.fidelity.columns import letters, shown
from tests.fidelity.levels import DOWN, END, UP
from tests.fidelity.words import decoded, is_unseen, searched_documents

_RAISED = re.compile(f"[{UP}{DOWN}](?=[^{END}]*[0-9A-Za-z*])[^{UP}{DOWN}{END}]*{END}")
_LEVELS = re.compile(f"[{UP}{DOWN}{END}]")
_MONEY = r"(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5][\s|]*)?"
_NUMBER = re.compile(
    rf"(?P<minus>[-\u2212\u2013]\s*)?{_MONEY}(?P<opened>\([\s|]*)?{_MONEY}"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\|?\.[0-9]+)?|\.[0-9]+)"
    r"(?P<closed>[\s|]*(?:%|pp?|p?pts|bps)?[\s|]*\))?"
)
# A cell of nothing but figures.
_OF_FIGURES = re.compile(r"[$\u20ac\u00a3\u00a5()%0-9.,\s]+")
# What may be a mark, a name or a part of a date.
_UNSURE = re.compile(r"[0-9]{1,2}|0[0-9]+|[0-9]{9}")
_FRACTION = re.compile("[0-9]\\s*[/\u2044]\\s*[0-9]|[\u00bc-\u00be\u2150-\u215e]")
_LONGEST = 40  # characters of a cell that has a figure
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\ufeff]")


class Figures(Struct):
    """Counts over rows that are in both readings; `lost` and `added` name document and figure."""

    rows: int = 0
    filed: int = 0
    given: int = 0
    lost: list[str] = []
    added: list[str] = []


def compare(corpus: Path, every: int = 1) -> Figures:
    """Compare the rows of each n-th HTML document, but those that it has several times."""
    found = Figures()
    for name, document in list(searched_documents(corpus))[::every]:
        if searched_kind(document) is DocumentKind.HTML:
            given = _given(searchable_text(document) or "")
            for key, (sure, possible) in _filed(decoded(document.body)).items():
                if key not in given:
                    continue
                amounts = given[key]
                found.rows += 1
                found.filed += sure.total()
                found.given += amounts.total()
                found.lost += [f"{name}: {value} of {key}" for value in sure - amounts]
                found.added += [f"{name}: {value} of {key}" for value in amounts - possible]
    return found


def _given(text: str) -> dict[str, Counter[Decimal]]:
    """Return the amounts of each row that the tables of a text have once, by the row's letters."""
    rows: dict[str, Counter[Decimal]] = {}
    several: set[str] = set()
    for cells in map(table_cells, table_places(text_lines(text))):
        for row, amounts in zip(cells.rows, cells.amounts, strict=True):
            key = letters("".join(row))
            several |= {key} & rows.keys()
            rows[key] = Counter([amount.value for amount in amounts if amount is not None])
    return {key: amounts for key, amounts in rows.items() if key not in several}


def _filed(html: str) -> dict[str, tuple[Counter[Decimal], Counter[Decimal]]]:
    """Return the figures of each row: those that are sure, and all that may be figures."""
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True)
    root = etree.fromstring(html.encode("utf-8", "surrogatepass"), parser)
    rows: dict[str, tuple[Counter[Decimal], Counter[Decimal]]] = {}
    several: set[str] = set()
    for row in root.iter("tr"):
        if next(row.iterdescendants("table"), None) is not None:
            continue
        cells = [each for each in row.iterchildren("td", "th") if not is_unseen(each)]
        signed = [_INVISIBLE.sub("", shown(cell)) for cell in cells]
        texts = [" ".join(_LEVELS.sub("", _RAISED.sub(" ", each)).split()) for each in signed]
        line = "|".join(filter(None, texts))
        key = letters(_LEVELS.sub("", "".join(signed)))
        several |= {key} & rows.keys()
        rows[key] = _figures(line)
        if _FRACTION.search(line):
            several.add(key)
    return {key: figures for key, figures in rows.items() if key not in several}


def _figures(line: str) -> tuple[Counter[Decimal], Counter[Decimal]]:
    sure: Counter[Decimal] = Counter()
    possible: Counter[Decimal] = Counter()
    for number in _NUMBER.finditer(line):
        digits = number["digits"].replace(",", "").replace("|", "")
        is_negative = number["minus"] or (number["opened"] and number["closed"])
        value = -Decimal(digits) if is_negative else Decimal(digits)
        possible[value] += 1
        if "|" in number["digits"]:  # It may be two figures.
            possible.update(map(Decimal, number["digits"].replace(",", "").split("|")))
        begin = line.rfind("|", 0, number.start("digits")) + 1
        end = line.find("|", number.end("digits"))
        cell = line[begin : end if end >= 0 else len(line)]
        is_whole = bool(number["opened"]) == bool(number["closed"]) and not number["minus"]
        is_label = begin == 0 or len(cell) >= _LONGEST
        if is_whole and not is_label and _is_figure(cell, digits):
            sure[value] += 1
    return sure, possible


def _is_figure(cell: str, digits: str) -> bool:
    is_one = len(_NUMBER.findall(cell)) == 1 and not cell.endswith(".")
    return is_one and bool(_OF_FIGURES.fullmatch(cell)) and not _UNSURE.fullmatch(digits)
