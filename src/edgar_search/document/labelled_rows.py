"""Amounts of table rows found by label, with the scale of their table; pure."""

import re
from collections.abc import Sequence
from decimal import Decimal

from msgspec import Struct

from edgar_search.document.tables import (
    Amount,
    Naming,
    amount_of,
    line_cells,
    table_naming,
    table_places,
    text_lines,
)
from edgar_search.text.columns import POINTS

_BETWEEN_WORDS = re.compile(r"\W+")
# A scale applies to money and, unless the table says otherwise, to numbers of shares.
_OF_ONE = re.compile(r"\bper\b.{0,40}\b(?:share|unit|ads|adr)\b", re.IGNORECASE)
_SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)
_SHARES_EXCEPTED = re.compile(r"\bexcept\b.*(?<!\bper )\bshares?\b", re.IGNORECASE)
_PERCENT = re.compile(rf"%|\u00a2|{POINTS}")


class LabelledAmount(Struct, frozen=True):
    """The first amount of a row: its `text` and number as filed, and its position in the text.

    `value` is the number times the table's scale, which `unit` gives in words; None if the table
    states no scale, or one that does not apply to this row.
    """

    text: str
    filed: Decimal
    value: Decimal
    unit: str | None
    start: int
    end: int


def labelled_amounts(text: str, labels: Sequence[str]) -> list[LabelledAmount | None]:
    """Return the first amount of the first table row that begins with each label.

    Labels are compared by words, ignoring case and punctuation. Rows without an amount are skipped.
    The time is linear in the text's length times the number of labels.
    """
    labels_words = [_words(label) for label in labels]
    amounts: dict[int, LabelledAmount] = {}
    for table in table_places(text_lines(text)):
        if len(amounts) == len(labels_words):
            break
        naming: Naming | None = None
        for start, cells in line_cells(table):
            label = _words(cells[0][2]) if cells else ""
            for number, words in enumerate(labels_words):
                if number in amounts or not label.startswith(words):
                    continue
                for at, end, cell in cells[1:]:
                    if (amount := amount_of(cell)) is not None:
                        naming = naming or table_naming(table)
                        scale, unit = _scale(naming, cells[0][2], amount)
                        amounts[number] = LabelledAmount(
                            cell, amount.value, amount.value * scale, unit, start + at, start + end
                        )
                        break
    return [amounts.get(number) for number in range(len(labels_words))]


def _words(text: str) -> str:
    """Return the words of a label, each followed by a blank."""
    return _BETWEEN_WORDS.sub(" ", f"{text} ").casefold().lstrip()


def _scale(naming: Naming, label: str, amount: Amount) -> tuple[int, str | None]:
    """Return the factor of an amount, and the words of the table that state it."""
    if naming.scale is None or naming.unit is None:
        return 1, None
    excepted = _SHARES.search(label) and _SHARES_EXCEPTED.search(naming.unit)
    is_percent = amount.unit is not None and _PERCENT.fullmatch(amount.unit)
    if is_percent or _OF_ONE.search(label) or excepted:
        return 1, None
    return naming.scale, naming.unit
