"""Formats in which hits are printed: for people, as JSON lines, as CSV."""

import csv
import html
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

import msgspec
from tqdm import tqdm

from edgar_search.api.files.comma_separated import without_formula
from edgar_search.api.search import SearchItem, plain_snippet

TEXT = "text"
Item = Mapping[str, Any]

_MARK = re.compile(r"</?mark>")
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


class Output(Protocol):
    """A printer of items; `is_shown` is true if a person reads them as they appear."""

    is_shown: bool

    def item(self, item: Item) -> None: ...

    def end(self) -> None: ...


class TextOutput:
    """Prints some lines for each hit; marked words are bold in a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.is_shown = stream.isatty()
        self._stream = stream
        self._number = 0

    def item(self, item: Item) -> None:
        self._number += 1
        names = "; ".join(item["related_company_names"])
        head = f"{self._number}. {names}, {item['form_type']}, {item['filing_date']}"
        heading = f"{item['document_id']} {item['filename']}".rstrip()
        more = [
            f"{name}: {_cell(value)}"
            for name, value in item.items()
            if name not in _USUAL and name != "other_documents"
        ]
        others = [f"also {document['document_id']}" for document in item.get("other_documents", ())]
        lines = [self._bold(_printable(head)), *map(_printable, [heading, *more, *others])]
        print(*lines, self._highlight(item["snippet"]), "", sep="\n", file=self._stream)

    def end(self) -> None:
        self._stream.flush()

    def _bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_PLAIN}" if self.is_shown else text

    def _highlight(self, snippet: str) -> str:
        # Pieces outside and inside marks alternate.
        pieces = [_printable(html.unescape(piece)) for piece in _MARK.split(snippet)]
        return "".join(
            self._bold(piece) if index % 2 else piece for index, piece in enumerate(pieces)
        )


class JsonLines:
    """Prints an item of `/v1/search` on each line."""

    is_shown = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def item(self, item: Item) -> None:
        self._stream.write(msgspec.json.encode(item).decode() + "\n")

    def end(self) -> None:
        self._stream.flush()


class Csv:
    """Prints a row for each item, below a row of names.

    Snippets are text, lists are joined by `; `, and no text is a formula to a spreadsheet.
    """

    is_shown = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._writer = csv.writer(stream, lineterminator="\n")
        self._names: list[str] = []

    def item(self, item: Item) -> None:
        if not self._names:
            self._begin(item)
        shown = {**item, "snippet": plain_snippet(item["snippet"])}
        self._writer.writerow([without_formula(_cell(shown.get(name))) for name in self._names])

    def end(self) -> None:
        if not self._names:
            self._begin(dict.fromkeys(_USUAL))
        self._stream.flush()

    def _begin(self, item: Item) -> None:
        self._names = [name for name in item if name != "other_documents"]
        self._writer.writerow(self._names)


OUTPUTS: Mapping[str, Callable[[TextIO], Output]] = {
    TEXT: TextOutput,
    "jsonl": JsonLines,
    "csv": Csv,
}
# The fields that every item has.
_USUAL = tuple(field.name for field in msgspec.structs.fields(SearchItem) if field.required)


class Progress:
    """A progress bar on a terminal's standard error, if it is `wanted`."""

    def __init__(self, wanted: bool) -> None:
        self._bar: tqdm[Any] | None = None
        if wanted and sys.stderr.isatty():
            self._bar = tqdm(unit=" documents", file=sys.stderr, leave=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def total(self, number: int) -> None:
        """Set how many items there are in total."""
        if self._bar is not None:
            self._bar.total = number

    def done(self, number: int) -> None:
        """Count items as printed."""
        if self._bar is not None:
            self._bar.update(number)


def _cell(value: Any) -> str:
    """Format a value as text: a list by its items, an object as JSON."""
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _printable(text: str) -> str:
    """Replace control characters of a filer's text, which a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in text)


def print_table(rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    """Print rows of equal length as columns, the first aligned left, the others right."""
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = row
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        stream.write("  ".join(cells).rstrip() + "\n")
