"""Headings of a document: its title, its items, sections and notes; pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from edgar_search.edgar.submission import Document
from edgar_search.stored.filings import StoredSection
from edgar_search.text.words import CELL_SEPARATOR

# The longest text that is a heading, and the most that a document has.
MAX_HEADING, MAX_HEADINGS = 160, 200
# Lines searched for a title, which is below the filer's name and the exhibit's number.
_TITLE_LINES = 12
_NOTES = re.compile(
    r"^notes? to (?:the )?(?:[a-z]+ ){0,4}financial (?:statements|information)\b", re.IGNORECASE
)
# "Note 4. Leases", "NOTE 4 - LEASES"; and below the heading of the notes "4. Leases".
_NOTE = re.compile(r"^note +\d{1,2}[a-z]?\b[ .:)\u2013\u2014-]*(?=[A-Z])", re.IGNORECASE)
_NUMBERED = re.compile(r"^\(?\d{1,2}[.)] +(?=[A-Z])")
# The lines that one of these may match: most need no further look.
_MAY_BE_NOTE = re.compile(rf"\n([ \t]*+[Nn(0-9][^\n]{{0,{MAX_HEADING}}}+)(?=\n|\Z)")
# Beginnings of nearly every cover, which say nothing about the document.
_BOILERPLATE = re.compile(
    r"^(?:exhibit|ex-?)\s*[\d.]+\w*\W*$|^united states$|securities and exchange commission"
    r"|^washington,? d\.? ?c|^table of contents|^form [\w-]+(?:/a)?$|^\W*$|^page \d+|^quicklinks",
    re.IGNORECASE,
)
_MOST_WORDS = 20


def headings(
    document: Document, text: str, sections: Iterable[StoredSection], items: Iterable[str]
) -> list[str]:
    """Return the headings of a document with this text, without duplicates.

    They are its description and title, `items` of its filing, its sections, and its notes to
    financial statements.
    """
    of_sections = (f"{section.label} {section.description}" for section in sections)
    title = _title(text)
    texts = [document.description, *([title] if title else []), *items, *of_sections, *_notes(text)]
    distinct = dict.fromkeys(" ".join(heading.split())[:MAX_HEADING] for heading in texts)
    return list(islice(filter(None, distinct), MAX_HEADINGS))


def _title(text: str) -> str | None:
    """Return the first line near the beginning that reads like a title."""
    for line in _lines(text, _TITLE_LINES):
        if _is_heading(line) and len(line.split()) > 1 and not _BOILERPLATE.search(line):
            return line
    return None


def _lines(text: str, most: int) -> Iterator[str]:
    """Yield the first lines that are not blank."""
    start = number = 0
    while number < most and start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if line := text[start:end].strip():
            number += 1
            yield line
        start = end + 1


def _notes(text: str) -> Iterator[str]:
    """Yield the headings of notes to financial statements."""
    below = False
    for match in _MAY_BE_NOTE.finditer(f"\n{text}"):
        if len(match[1]) > MAX_HEADING:
            continue
        # In tables of contents a tab precedes the page.
        line = match[1].replace(CELL_SEPARATOR, " ").strip()
        if not below and _NOTES.match(line):
            below = True
        elif (_NOTE.match(line) or (below and _NUMBERED.match(line))) and _is_heading(line):
            yield line


def _is_heading(line: str) -> bool:
    """Return True if a line is short, contains words, and does not end like a sentence."""
    words: Sequence[str] = line.split()
    ends = line.endswith((".", ",", ";", ":")) and len(words) > 8
    return (
        len(line) <= MAX_HEADING
        and len(words) <= _MOST_WORDS
        and not ends
        and any(char.isalpha() for char in line)
    )
