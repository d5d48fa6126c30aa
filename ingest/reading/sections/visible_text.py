"""The visible text of a stretch of HTML, fast: each different tag is looked at once.

A stretch that is not ordinary, with a bracket outside tags or an endless text, is left to the
reader of tokens.
"""

import html
import re
from collections.abc import Mapping
from functools import lru_cache

from edgar_search.text.html_tags import NotOrdinaryError, texts_and_tags

# Entities as EDGAR writes them, with their end.
_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]{1,10};)[#A-Za-z0-9]{1,11};")
_NAME = re.compile(rb"/?([A-Za-z0-9:]*)")
# Both brackets become one, so that one split finds them; white space of the source is blanks.
_SPLITTABLE = bytes.maketrans(b">\0\1\2\t\n\r\x0b\x0c", b"<        ")
_BLANKS = re.compile(" {2,}")
_SEPARATORS = " \t\n"  # from the weakest to the strongest
_NOT_SURE = bytes(range(33)) + bytes(range(128, 256))  # blanks, and parts of characters
_LONGEST_ENTITY = 12  # bytes
_LONGEST_TAG = 4_000  # bytes
_LONGEST_TEXT = 16_000  # bytes without a tag; what is longer is not read as a whole
_BLOCK = 1_000  # bytes
_BYTES_PER_CHARACTER = 3  # with its markup, at first


class VisibleText:
    """The text of an HTML document from some place on; `gaps` are what tags put between words.

    It is read in blocks, which are kept: in a table of contents a heading's text has those of the
    next ones in it.
    """

    def __init__(self, raw: bytes, gaps: Mapping[bytes, str]) -> None:
        self._raw = raw
        self._tags = _Tags(gaps)
        self._blocks: dict[int, tuple[int, str]] = {}  # where each begins: its end, and its text

    def after(self, at: int, limit: int, stop: int) -> str:
        """The text from `at`: `limit` characters or a few more, none from `stop` on.

        Raises NotOrdinaryError.
        """
        text = ""
        while at < stop and len(text) < limit:
            at, more = self._block(at, stop)
            text = _joined(text, more)
        return text

    def between(self, at: int, stop: int, limit: int) -> str | None:
        """The text from `at` to `stop`; None if it surely has `limit` characters.

        Raises NotOrdinaryError.
        """
        stretches: list[list[bytes]] = []
        sure = 0
        while at < stop:
            end = self._raw.find(b"<", at + _BYTES_PER_CHARACTER * limit, stop)
            end = stop if end < 0 else end
            stretches.append(texts_and_tags(self._raw[at:end], _SPLITTABLE))
            sure += _sure_characters(stretches[-1])
            if sure >= limit:
                return None
            at = end
        return _text(b"".join([self._tags.replaced(stretch) for stretch in stretches]))

    def _block(self, at: int, stop: int) -> tuple[int, str]:
        """Return the end and the text of the block that begins at `at`.

        Blocks end at fixed places, so that two readers that began apart soon share them.
        """
        block = self._blocks.get(at)
        if block is None:
            border = (at // _BLOCK + 1) * _BLOCK
            end = self._raw.find(b"<", border, border + _LONGEST_TEXT)
            if end < 0:
                if len(self._raw) > border + _LONGEST_TEXT:
                    raise NotOrdinaryError
                end = len(self._raw)
            if end > stop:
                return stop, self._read(at, stop)
            block = self._blocks[at] = end, self._read(at, end)
        return block if block[0] <= stop else (stop, self._read(at, stop))

    def _read(self, at: int, end: int) -> str:
        return _text(self._tags.replaced(texts_and_tags(self._raw[at:end], _SPLITTABLE)))


def _text(joined: bytes) -> str:
    text = _with_blanks(joined).decode(errors="replace")
    if "&" in text:
        text = _ENTITY.sub(lambda entity: _character(entity[0]), text)
    return collapsed(text)


def _sure_characters(stretch: list[bytes]) -> int:
    """Return the least number of characters of a stretch, whatever its entities become."""
    texts = _with_blanks(b"".join(stretch[0::2]))
    return len(texts.translate(None, _NOT_SURE)) - _LONGEST_ENTITY * texts.count(b"&")


def _with_blanks(text: bytes) -> bytes:
    """The text with blanks for the entities that most are."""
    return text.replace(b"&nbsp;", b" ").replace(b"&#160;", b" ") if b"&" in text else text


class _Tags(dict[bytes, bytes]):
    """The replacement of each tag, by the text between its brackets."""

    def __init__(self, gaps: Mapping[bytes, str]) -> None:
        self._gaps = {name: gap.encode() for name, gap in gaps.items()}

    def replaced(self, stretch: list[bytes]) -> bytes:
        """Join texts and tags, which come in turn, with the tags replaced."""
        stretch[1::2] = map(self.__getitem__, stretch[1::2])
        return b"".join(stretch)

    def __missing__(self, tag: bytes) -> bytes:
        if not (tag[:1].isalpha() or tag[:1] in (b"/", b"!", b"?")) or len(tag) > _LONGEST_TAG:
            raise NotOrdinaryError
        name = _NAME.match(tag)
        self[tag] = gap = self._gaps.get(name[1].lower(), b"") if name else b""
        return gap


def collapsed(text: str) -> str:
    """Replace adjacent separators by the strongest of them.

    White space is blanks, a tab between cells, and "\n" between lines.
    """
    text = f".{text}."  # so that the edges are kept
    lines = [line for each in text.split("\n") if (line := each.strip(" \t"))]
    return "\n".join([_collapsed_line(line) for line in lines])[1:-1]


def _collapsed_line(line: str) -> str:
    if "\t" in line:
        line = "\t".join([cell for each in line.split("\t") if (cell := each.strip(" "))])
    return _BLANKS.sub(" ", line) if "  " in line else line


def _joined(text: str, more: str) -> str:
    """Join two texts, neither with adjacent separators, with at most one between them."""
    before, after = _SEPARATORS.find(text[-1:] or "."), _SEPARATORS.find(more[:1] or ".")
    if before < 0 or after < 0:
        return text + more
    return text + more[1:] if before >= after else text[:-1] + more


@lru_cache(1_000)
def _character(entity: str) -> str:
    character = html.unescape(entity)
    return " " if character.isspace() else character
