"""Amounts in a question, in all their usual spellings; pure."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

_AMOUNT = re.compile(
    r"(?<!\S)\$?(?:(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<point>\.\d+)?"
    r" ?(?P<unit>billion|bn|million|mn|mm|thousand)"
    # A count, but not a year, nor a company's number with its zeros.
    r"|(?P<number>[1-9]\d{0,2}(?:,\d{3}){1,2}|(?!(?:19|20)\d\d(?!\d))[1-9]\d{3,8}))(?!\S)"
)
_UNITS = {
    "billion": 9,
    "bn": 9,
    "million": 6,
    "mn": 6,
    "mm": 6,
    "thousand": 3,
}
_WORDS = {9: "billion", 6: "million", 3: "thousand"}
# How many digits make a number in a table of thousands or millions distinctive.
_TELLING = 4


class ReadAmount(NamedTuple):
    """An amount and its position in a text.

    `spellings` are the words and phrases filings use for it.
    """

    start: int
    end: int
    spellings: tuple[str, ...]


def find_amounts(text: str) -> Iterator[ReadAmount]:
    """Yield the amounts in lower-case words that are one space apart."""
    for match in _AMOUNT.finditer(text):
        if number := match["number"]:
            plain = number.replace(",", "")
            yield ReadAmount(*match.span(), (f"{int(plain):,}", plain))
            continue
        digits = Decimal(match["digits"].replace(",", "") + (match["point"] or ""))
        yield ReadAmount(*match.span(), _spellings(digits * 10 ** _UNITS[match["unit"]]))


def _spellings(amount: Decimal) -> tuple[str, ...]:
    spellings: dict[str, None] = {}
    for power, word in _WORDS.items():
        scaled = amount / 10**power
        if not Decimal("0.1") <= scaled < 1_000_000:
            continue
        plain = f"{scaled.normalize():,f}"
        forms = [plain, plain.replace(",", "")]
        if power == 9 and "." not in plain:
            forms.append(f"{plain}.0")
        spellings |= dict.fromkeys(f"{form} {word}" for form in forms)
        # Table rows show the bare number, in thousands or millions.
        if power < 9 and "." not in plain and len(plain.replace(",", "").rstrip("0")) >= _TELLING:
            spellings |= {plain: None}
    if amount == amount.to_integral_value():
        spellings |= {f"{int(amount):,}": None}
    return tuple(spellings)
