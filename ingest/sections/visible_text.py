"""The visible text of a stretch of HTML, fast: each different tag is looked at once.

A stretch that is not ordinary, with a bracket that is no tag's, is left to the reader of tokens.
"""

import html
import re
from collections.abc import Mapping
from functools import lru_cache

# Entities as EDGAR writes them, with their end.
_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]{1,10};)[#A-Za-z0-9]{1,11};")
_NAME = re.compile(rb"/?([A-Za-z0-9:]*)")
_NO_BRACKETS = bytes(set(range(256)) - set(b"<>"))
# Both brackets become one, so that one split finds them; white space of the source is blanks.
_SPLITTABLE = bytes.maketrans(b">\0\1\2", b"<   ")
# What tags put between words goes by other names while the source's white space is made one.
_TO_MARKS = bytes.maketrans(b"\t\n", b"\1\2")
_FROM_MARKS = bytes.maketrans(b"\1\2", b"\t\n")
_NO_BREAK_SPACE = re.compile(rb"&(?:nbsp|#160);")
_NOT_SURE = bytes(range(33)) + bytes(range(128, 256))  # blanks, and parts of characters
_LONGEST_ENTITY = 12  # bytes
_LONGEST = 4_000  # bytes of a tag
# With four fifths of markup, so many bytes have the characters that are asked for.
_FIRST_BYTES, _BYTES_PER_CHARACTER = 500, 3


class NotOrdinaryError(Exception):
    """The stretch has a bracket that may be no tag's."""


class VisibleText:
    """The text of an HTML document from some place on; `gaps` are what tags put between words."""

    def __init__(self, raw: bytes, gaps: Mapping[bytes, str]) -> None:
        self._raw = raw
        self._tags = _Tags(gaps)

    def after(self, at: int, limit: int, stop: int) -> str:
        """The text from `at`: `limit` characters or a few more, none from `stop` on.

        Raises NotOrdinaryError.
        """
        size = _FIRST_BYTES + _BYTES_PER_CHARACTER * limit
        text = ""
        while at < stop and len(text) < limit:
            end = self._raw.find(b"<", at + size, stop)
            end = stop if end < 0 else end
            text = collapsed(text + self._piece(self._raw[at:end]))
            at = end
        return text

    def is_longer(self, at: int, limit: int, stop: int) -> bool:
        """Whether the text from `at` to `stop` surely has `limit` characters; a quick look."""
        sure = 0
        size = _FIRST_BYTES + _BYTES_PER_CHARACTER * limit
        while at < stop and sure < limit:
            end = self._raw.find(b"<", at + size, stop)
            end = stop if end < 0 else end
            texts = b"".join(_split(self._raw[at:end])[0::2])
            sure += len(texts.translate(None, _NOT_SURE)) - _LONGEST_ENTITY * texts.count(b"&")
            at = end
        return sure >= limit

    def _piece(self, markup: bytes) -> str:
        pieces = _split(markup)
        pieces[1::2] = map(self._tags.__getitem__, pieces[1::2])
        joined = _NO_BREAK_SPACE.sub(b" ", b"".join(pieces))
        joined = b"." + joined + b"."  # what stands at the edges counts with the next stretch
        text = b" ".join(joined.split())[1:-1].translate(_FROM_MARKS).decode(errors="replace")
        return _ENTITY.sub(lambda entity: _character(entity[0]), text) if "&" in text else text


def _split(markup: bytes) -> list[bytes]:
    """Text and tags in turn."""
    brackets = markup.translate(None, _NO_BRACKETS)
    if brackets != b"<>" * (len(brackets) // 2):
        raise NotOrdinaryError
    return markup.translate(_SPLITTABLE).split(b"<")


class _Tags(dict[bytes, bytes]):
    """What stands for each tag, by what is between its brackets."""

    def __init__(self, gaps: Mapping[bytes, str]) -> None:
        self._gaps = gaps

    def __missing__(self, tag: bytes) -> bytes:
        if not (tag[:1].isalpha() or tag[:1] in (b"/", b"!", b"?")) or len(tag) > _LONGEST:
            raise NotOrdinaryError
        name = _NAME.match(tag)
        gap = self._gaps.get(name[1].lower(), "") if name else ""
        self[tag] = mark = gap.encode().translate(_TO_MARKS)
        return mark


def collapsed(text: str) -> str:
    """Of what separates words the strongest stands for all that stand together."""
    for gap, weaker in (" ", ""), ("\t", " "), ("\n", " \t"):
        if gap in text:
            for other in weaker:
                text = text.replace(other + gap, gap).replace(gap + other, gap)
            while gap + gap in text:
                text = text.replace(gap + gap, gap)
    return text


@lru_cache(1_000)
def _character(entity: str) -> str:
    character = html.unescape(entity)
    return " " if character.isspace() else character
