"""Made-up tables with known figures, in the forms in which filings write them."""

import random
from decimal import Decimal
from typing import NamedTuple

_WORDS = "Moss Fern Oak Elm Ash Birch Cedar Sales Rent Total Bulbs Seeds".split()
_PAPER = 14  # characters of a column on paper


class MadeTable(NamedTuple):
    """A source, the heads of its columns, and the figures of each row by column."""

    source: str
    heads: list[str]
    rows: list[list[Decimal | None]]


def made_html(seed: int) -> MadeTable:
    """Return a table of HTML: signs, decimals and marks are in cells of their own, or not."""
    chance = random.Random(seed)
    heads = _heads(chance)
    # Each column of figures has four of the markup: sign, digits, what closes, and space.
    lines = ["".join(["<td>", *(f"<td colspan=3>{head}<td>" for head in heads)])]
    figures: list[list[Decimal | None]] = []
    parted = [chance.random() < 0.1 for _ in heads]
    for _ in range(chance.randint(2, 9)):
        cells = [f"<td>{_label(chance)}"]
        row: list[Decimal | None] = []
        for is_parted in parted:
            value, written = _html_figure(chance, is_parted)
            row.append(value)
            cells.append(f"{written}<td>&nbsp;")
        lines.append("".join(cells))
        figures.append(row)
    rows = "".join(f"<tr>{line}" for line in lines)
    return MadeTable(f"<html><body><table>{rows}</table></body></html>", heads, figures)


def made_plain(seed: int) -> MadeTable:
    """A table of plain text: labels over lines, leaders, rulers, signs far from their digits."""
    chance = random.Random(seed)
    heads = _heads(chance)
    margin = 44
    lines = [" " * margin + "".join(f"{head:>{_PAPER}}" for head in heads)]
    if chance.random() < 0.5:
        lines.append("-" * chance.choice([70, 100, 130]))
    lines.append("<S>" + " " * (margin + 1) + " ".join(f"{'<C>':<{_PAPER - 1}}" for _ in heads))
    figures: list[list[Decimal | None]] = []
    for _ in range(chance.randint(2, 9)):
        row = []
        cells = []
        for _ in heads:
            value, written = _plain_figure(chance)
            row.append(value)
            cells.append(f"{written:>{_PAPER}}")
        for _ in range(chance.choice([0, 0, 0, 1, 2])):
            lines.append(f"{_label(chance)} of other {_label(chance).lower()} and")
        label = f"  {_label(chance)}"
        lines.append(f"{label:{chance.choice('. ')}<{margin}}{''.join(cells)}".rstrip())
        if chance.random() < 0.2:
            lines.append(" " * margin + "".join([f"{'-' * 9:>{_PAPER}}" for _ in heads]))
        figures.append(row)
    return MadeTable("\n".join(["<TABLE>", *lines, "</TABLE>", ""]), heads, figures)


def _heads(chance: random.Random) -> list[str]:
    years = range(2024, 2024 - chance.randint(2, 4), -1)
    return [f"May {year}" for year in years]


def _label(chance: random.Random) -> str:
    return " ".join(chance.sample(_WORDS, chance.randint(1, 3)))


def _number(chance: random.Random) -> Decimal:
    digits = chance.choice([1, 2, 3, 4, 6, 8])
    number = Decimal(chance.randint(1, 10**digits))
    return number if chance.random() < 0.6 else number + Decimal(chance.randint(1, 9)) / 10


def _html_figure(chance: random.Random, parted: bool) -> tuple[Decimal | None, str]:
    """Return a figure, and its cells in three columns of the markup."""
    value = _number(chance)
    digits = f"{value:,}"
    if parted:
        return value + Decimal("0.5") - value % 1, f"<td><td>{int(value):,}<td>.5%"
    sign = chance.choice(["", "", "$", "\u20ac"])
    mark = chance.choice(["", "", "", "<sup>1</sup>", "<sup>(2)</sup>", "*"])
    form = chance.choice(["plain", "cell", "split", "three", "rate", "loss", "nil", "empty"])
    match form:
        case "plain":
            return value, f"<td>{sign}<td>{digits}{mark}<td>"
        case "cell":
            return -value, f"<td colspan=2>{sign}({digits}){mark}<td>"
        case "split":
            return -value, f"<td>{sign}<td>({digits}<td>){mark}"
        case "three":
            return -value, f"<td>{sign}(<td>{digits}<td>){mark}"
        case "rate":
            return value, f"<td><td>{digits}<td>%{mark}"
        case "loss":
            return -value, f"<td><td>({digits}<td>)%{mark}"
        case "nil":
            return None, f"<td>{sign}<td>&#8212;<td>"
        case _:
            return None, "<td><td><td>"


def _plain_figure(chance: random.Random) -> tuple[Decimal | None, str]:
    value = min(_number(chance), Decimal(999_999))
    digits = f"{value:,}"
    sign = chance.choice(["", "", "$", "$ ", "$  "])
    form = chance.choice(["plain", "plain", "loss", "far", "rate", "nil", "mark"])
    match form:
        case "plain":
            return value, f"{sign}{digits} "
        case "loss":
            return -value, f"{sign}({digits})"
        case "far":
            return -value, f"( {digits})"
        case "rate":
            return value, f"{digits}%"
        case "mark":
            return value, f"{digits}(1)"
        case _:
            return None, "-- "
