"""Builds the text of a form line by line, with the positions of its values in the XML."""

import re
from collections.abc import Iterator

from msgspec import Struct

from edgar_search.text.forms.elements import Run
from edgar_search.text.words import CELL_SEPARATOR

# In a value: white space, possibly written as an entity; an entity; anything else.
_PARTS = re.compile(r"((?:\s|&#(?:9|10|13|x0*[9aAdD]);)+)|(&[^;\s]*;)|((?:(?! \s)[^&\t\n\r\f\v])+)")
_LINE_END = re.compile(r"\n|&#(?:10|x0*[aA]);")
_LONG_NUMBER = re.compile(r"-?([1-9][0-9]{3,})(?:\.[0-9]*)?")


class FormText(Struct, frozen=True):
    """The text of a form, and the positions of its values."""

    text: str
    pieces: list[tuple[str, int, int]]  # a piece and its position in the XML, or (-1, -1)

    def spans(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield start and end of each filed span, in the text and in the XML, in text order.

        Both sides of a span have the same characters, or the text has one character for several.
        """
        at = 0
        for piece, start, end in self.pieces:
            if start >= 0:
                yield at, at + len(piece), start, end
            at += len(piece)


class FormLines:
    """The lines of a form; separators between values were not filed, so they have no position."""

    def __init__(self) -> None:
        self._pieces: list[tuple[str, int, int]] = []
        self._ending = ""  # inserted before the next piece
        self._is_line_empty = True

    def add(self, words: str) -> None:
        """Add words that were not filed to the line."""
        if words:
            self._put(words, -1, -1)

    def add_value(self, run: Run) -> None:
        """Add a value as filed; runs of blanks become one, and empty lines stay."""
        raw = run.raw
        if "&" not in raw and "\n" not in raw and "\t" not in raw and "  " not in raw:
            self._put(raw, run.start, run.end)
            return
        for part in _PARTS.finditer(raw):
            start, end = run.start + part.start(), run.start + part.end()
            if part[1]:
                lines = len(_LINE_END.findall(part[1]))
                self._put("\n\n" if lines > 1 else " ", -1, -1)
            elif part[2] and not run.is_literal:
                character = Run(part[2], start).text
                if len(character) == 1 and not character.isspace():
                    self._put(character, start, end)
                else:
                    self._put(" " if character.isspace() else character, -1, -1)
            else:
                self._put(part[0], start, end)

    def add_number(self, run: Run) -> None:
        """Add a value, with thousands separators if it is a number."""
        match = _LONG_NUMBER.fullmatch(run.raw)
        if match is None:
            self.add_value(run)
            return
        start, end = match.span(1)
        if start:
            self._put(run.raw[:start], run.start, run.start + start)
        first = start + ((end - start) % 3 or 3)
        self._put(run.raw[start:first], run.start + start, run.start + first)
        for at in range(first, end, 3):
            self._put(",", -1, -1)
            self._put(run.raw[at : at + 3], run.start + at, run.start + at + 3)
        if end < len(run.raw):
            self._put(run.raw[end:], run.start + end, run.end)

    def end_cell(self) -> None:
        """End a cell of a row, even if it is empty."""
        self._put(CELL_SEPARATOR, -1, -1)

    def end_line(self) -> None:
        """End the line, unless it is empty."""
        if not self._is_line_empty:
            self._ending = "\n"
            self._is_line_empty = True

    def end_paragraph(self) -> None:
        """End the line, and put an empty one before the next."""
        self.end_line()
        if self._ending:
            self._ending = "\n\n"

    def form_text(self) -> FormText:
        """Return the text of all added lines."""
        return FormText("".join([piece for piece, _, _ in self._pieces]), self._pieces)

    def _put(self, piece: str, start: int, end: int) -> None:
        if self._ending:
            self._pieces.append((self._ending, -1, -1))
            self._ending = ""
        self._pieces.append((piece, start, end))
        self._is_line_empty = False
