"""The text of ordinary HTML, fast: without a tree of its elements.

Four fifths of EDGAR's HTML is markup. A report has some ten thousand tags, but only some hundred
different ones, so each different tag is looked at once: it becomes the white space that the text
has in its place, or nothing. Only of elements whose content is no text the tags stay, until what
is between them is cut out.
"""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat

from ingest.reading.text.hidden_elements import without_hidden
from ingest.reading.text.html_tags import MARK, Tags
from ingest.reading.text.inline_header import without_header
from ingest.reading.text.table_rows import with_rows
from ingest.reading.text.tag_brackets import NotOrdinaryError, texts_and_tags

# Both brackets become one, so that one split finds them; line breaks of the source are blanks.
_SPLITTABLE = bytes.maketrans(b">\r\n", b"<  ")
_CHUNK_BYTES = 100_000  # what the processor has at hand; larger ones took a sixth longer
_KEPT_TAG = re.compile(rb"<([/!])([^>]*)>")
_NO_BREAK_SPACES = (b"&nbsp;", b"&#160;")  # nine of ten entities
_ENTITY = re.compile(r"(&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{0,31});?)")
_LONGEST_ENTITY = 40  # Python refuses numbers of thousands of digits.


def ordinary_html_text(source: str) -> str | None:
    """Return the text of HTML without marks, None where it is not ordinary enough to be sure of it.

    Words, their order and their lines are those of resiliparse's `extract_plain_text`, but for
    breaks at the ends of blocks and table cells, which that puts only before some elements, for
    what stands in a table outside of its cells, which that puts before the table, and for odd white
    space in a style that hides, which that does not see. Lines may hold any white space; those of
    nothing but blanks are left out.
    """
    data = source.encode("utf-8", errors="replace")
    if b"\0" in data or MARK in data:  # MARK is white space for Python, not for a browser.
        return None
    try:
        text = _without_markup(without_header(data))
        if b"<" in text:
            text = _without_raw(text)
        laid_out = with_rows(_unescaped(text))
    except NotOrdinaryError:
        return None
    return "\n".join(filter(None, map(str.strip, laid_out.split("\n"), repeat(" "))))


def _without_markup(data: bytes) -> bytes:
    """Return `data` without tags and hidden elements, but with the tags of raw text."""
    tags = Tags()
    texts = _without_tags(data, tags)
    if not tags.hiding:
        return b"".join(texts.values())
    shown, rest = without_hidden(data, tags.hiding)
    # What is hidden stands at the beginning of most reports: the texts of all behind it may stay.
    behind = next((start for start in texts if start >= rest), len(data))
    again = _without_tags(shown + data[rest:behind], tags)
    return b"".join([*again.values(), *[texts[start] for start in texts if start >= behind]])


def _without_tags(data: bytes, tags: Tags) -> dict[int, bytes]:
    """Return the texts of the chunks of `data`, by where they start."""
    return {start: _chunk_without_tags(chunk, tags) for start, chunk in _chunks(data)}


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield `data` in pieces of which all but the first begin at a "<", and where each starts."""
    start = 0
    while start < len(data):
        end = data.find(b"<", start + _CHUNK_BYTES)
        end = len(data) if end < 0 else end
        yield start, data[start:end]
        start = end


def _chunk_without_tags(chunk: bytes, tags: Tags) -> bytes:
    pieces = texts_and_tags(chunk, _SPLITTABLE)
    pieces[1::2] = map(tags.__getitem__, pieces[1::2])
    return b"".join(pieces)


def _without_raw(text: bytes) -> bytes:
    """Cut out the elements whose tags were kept; raises NotOrdinaryError if one has no end."""
    pieces: list[bytes] = []
    start = 0
    inside: bytes | None = None
    for tag in _KEPT_TAG.finditer(text):
        mark, name = tag.groups()
        if inside is None:
            pieces.append(text[start : tag.start()])
            start = tag.end()
            inside = name if mark == b"!" else None
        elif name == inside:
            if mark == b"!":
                raise NotOrdinaryError  # In a script it may count.
            inside, start = None, tag.end()
    if inside is not None:
        raise NotOrdinaryError
    return b"".join([*pieces, text[start:]])


def _unescaped(text: bytes) -> str:
    for entity in _NO_BREAK_SPACES:
        # White space, but no blank; `replace` would look through the text twice.
        text = MARK.join(text.split(entity))
    decoded = text.decode("utf-8")
    if "&" not in decoded:
        return decoded
    pieces = _ENTITY.split(decoded)
    pieces[1::2] = map(_characters, pieces[1::2])
    return "".join(pieces)


@lru_cache(1_000)
def _characters(entity: str) -> str:
    if len(entity) > _LONGEST_ENTITY:
        raise NotOrdinaryError
    # What stands for a control character gives nothing, but it parts words.
    return html.unescape(entity) or " "
