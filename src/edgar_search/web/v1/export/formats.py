"""Exports as text: a line of JSON for each record, or comma-separated values.

Both have control records, which say how far the export is: one with a cursor after each thousand
rows, and a last one.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from edgar_search.web.media_types import JSON_LINES
from edgar_search.web.v1.export.answers import Column

_LIST_SEPARATOR = "; "
# With one of these a spreadsheet takes a text for a formula, which may fetch or send something.
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n")
_ENCODER = msgspec.json.Encoder()


class Progress(Struct, omit_defaults=True):
    """A control record: after so many records in all, here and before a cursor.

    `complete` is there at the end, false with the reason where not everything could be sent.
    """

    records: int
    complete: bool | None = None
    cursor: str = ""
    error: str = ""


class Writer(Protocol):
    """Writes records as bytes; `media_type` is what they are.

    `resumable` says that what came before a cut can be read.
    """

    media_type: str
    resumable: bool

    def begin(self) -> bytes:
        """What comes before the first record."""

    def write(self, records: Sequence[Any]) -> bytes:
        """Records; a writer may keep some back."""

    def note(self, progress: Progress) -> bytes:
        """A control record; after one that says `complete` nothing follows."""


class JsonLines:
    """A JSON object on each line."""

    media_type = JSON_LINES
    resumable = True

    def begin(self) -> bytes:
        return b""

    def write(self, records: Sequence[Any]) -> bytes:
        return _ENCODER.encode_lines(records)

    def note(self, progress: Progress) -> bytes:
        return _ENCODER.encode_lines([progress])


class CommaSeparated:
    """RFC 4180, all texts quoted, so that a line that begins with `#` is a control record.

    With `for_spreadsheet` an apostrophe stands before a text that would be taken for a formula.
    """

    media_type = "text/csv; charset=utf-8; header=present"
    resumable = True

    def __init__(self, columns: Sequence[Column], *, for_spreadsheet: bool = False) -> None:
        self._columns = columns
        self._for_spreadsheet = for_spreadsheet

    def begin(self) -> bytes:
        return _csv([[column.name for column in self._columns]])

    def write(self, records: Sequence[Any]) -> bytes:
        rows = [[_cell(getattr(each, c.name), c) for c in self._columns] for each in records]
        return _csv(
            [list(map(_no_formula, row)) for row in rows] if self._for_spreadsheet else rows
        )

    def note(self, progress: Progress) -> bytes:
        return b"#" + _ENCODER.encode(progress) + b"\r\n"


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return text.getvalue().encode()


def _no_formula(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_BEGINS) else cell


def _cell(value: Any, column: Column) -> Any:
    if column.kind == "texts":
        return _LIST_SEPARATOR.join(value)
    if column.kind == "flag":
        return "true" if value else "false"
    return "" if value is None else value
