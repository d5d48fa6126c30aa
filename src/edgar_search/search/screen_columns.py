"""Columns of a screen: their notation, and the stored fields they are made of; pure.

column = header field | figure | figure "/" divisor | kind ":" name | kind ":" '"' words '"' kind
= "table" | "match" | "section"
"""

import difflib
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from edgar_search.errors import BadRequest
from edgar_search.search.figures import RATIOS, field_of, nearest_figures
from edgar_search.stored.figures import (
    CHANGES,
    DIVISORS,
    FIGURES,
    QUOTIENTS,
    SUMS,
    previous_of,
    quotient_of,
)

MAX_COLUMNS, LONGEST_NAME = 40, 200
ColumnKind: TypeAlias = Literal["text", "day", "amount", "ratio", "count"]
# Fields of a document and its filing, with the kind of each value.
HEADER: Mapping[str, ColumnKind] = {
    "company": "text",
    "cik": "text",
    "accnum": "text",
    "document_id": "text",
    "form_type": "text",
    "filing_date": "day",
    "period": "day",
    "accepted_at": "text",
    "currency": "text",
    "sic": "text",
    "state": "text",
    "size": "count",
}
Origin: TypeAlias = Literal["header", "figure", "table", "match", "section"]
_IN_TEXT: tuple[Literal["table", "match", "section"], ...] = ("table", "match", "section")
_COLUMN = re.compile(r'((?:[^,"]|"[^"]*")*)(?:,|\Z)')
_SHOWN = 40


class ScreenColumn(Struct, frozen=True):
    """A column: its name as written, the source of its values, and their kind.

    `field` is the stored field of a figure, and `parts` the figures that decide its value. `words`
    are the words of a row or of a match, or the name of a section.
    """

    name: str
    origin: Origin
    kind: ColumnKind
    field: str = ""
    parts: tuple[str, ...] = ()
    words: str = ""


def read_columns(text: str) -> list[ScreenColumn]:
    """Parse columns, without duplicates; raises BadRequest with the column that is wrong."""
    columns: dict[str, ScreenColumn] = {}
    place = 0
    while place < len(text):
        match = _COLUMN.match(text, place)
        if match is None:
            near = text[place : place + _SHOWN]
            raise BadRequest(f"`columns`: a name or a closing quote is missing at `{near}`")
        place = match.end()
        if match[1].strip():
            column = read_column(match[1].strip())
            columns[column.name] = column
    if len(columns) > MAX_COLUMNS:
        raise BadRequest(f"`columns` may have at most {MAX_COLUMNS} items, not {len(columns)}")
    return list(columns.values())


def read_column(text: str) -> ScreenColumn:
    """Parse a column; raises BadRequest with the nearest names for an unknown one."""
    kind, colon, rest = text.partition(":")
    for origin in _IN_TEXT:
        if colon and kind.strip().lower() == origin:
            words = rest.strip().strip('"').strip()
            if not words or len(words) > LONGEST_NAME:
                raise BadRequest(
                    f"`columns`: `{origin}` needs 1 to {LONGEST_NAME} characters of words, such as"
                    f' `{origin}:"{_EXAMPLES[origin]}"`'
                )
            name = f'{origin}:"{words}"'
            return ScreenColumn(
                name, origin, "amount" if origin == "table" else "count", words=words
            )
    name = text.lower()
    if name in HEADER:
        return ScreenColumn(name, "header", HEADER[name])
    above, slash, below = (part.strip() for part in name.partition("/"))
    if slash:
        if quotient_of(above, below) not in QUOTIENTS:
            divisors = ", ".join(f"`{divisor}`" for divisor in DIVISORS)
            raise BadRequest(
                f"`columns`: `{text[:_SHOWN]}` is not known; amounts are divided by {divisors} only"
            )
        field = f"quotients.{quotient_of(above, below)}"
        return ScreenColumn(f"{above}/{below}", "figure", "ratio", field, (above, below))
    stored = field_of(name)
    if stored is None:
        nearest = [*difflib.get_close_matches(name[:_SHOWN], HEADER), *nearest_figures(name)][:3]
        offered = f"; the nearest are {', '.join(f'`{divisor}`' for divisor in nearest)}"
        raise BadRequest(f"`columns`: no column is `{text[:_SHOWN]}`{offered if nearest else ''}")
    ratio = name in RATIOS or name in CHANGES
    return ScreenColumn(name, "figure", "ratio" if ratio else "amount", stored, _parts(name))


_EXAMPLES: Mapping[str, str] = {
    "table": "Long-term debt",
    "match": "going concern",
    "section": "item7",
}


def _parts(name: str) -> tuple[str, ...]:
    """Return the figures that decide the value of a figure, a change or a ratio."""
    if name in FIGURES:
        return (name,)
    if name in CHANGES:
        return (CHANGES[name], previous_of(CHANGES[name]))
    quotient = RATIOS[name]
    if quotient in QUOTIENTS:
        return QUOTIENTS[quotient]
    added, subtracted, below = SUMS[quotient]
    return (*added, *subtracted, below)
