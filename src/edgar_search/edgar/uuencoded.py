"""Uuencoded bodies: graphics, PDF, ZIP and spreadsheets inside a submission."""

import binascii
import re
import sys
from collections.abc import Iterable, Iterator

from edgar_search.edgar.content import Content, pieces

_BEGIN = re.compile(rb"\s*begin [0-7]{3,4} [^\r\n]*(?:\r\n|\r|\n)?")
# More than any line needs: its length is one character, and says 63 bytes at most.
_LINE_CHARACTERS = 128
_LAST_LINES = (b"`", b" ", b"end")
# Every byte stands for 6 bits; the decoder of the library refuses those that are unusual.
_LEGAL = bytes((byte - 32 & 63) + 32 for byte in range(256))


def is_uuencoded(body: Content, start: int = 0, end: int = sys.maxsize) -> bool:
    """Tell whether body[start:end] is a uuencoded file: blanks, `begin <octal mode> <name>`."""
    return _BEGIN.match(body, start, end) is not None


def decode(body: bytes) -> bytes:
    """Return the file in `body`, which must be uuencoded.

    Bytes after a line's data, short lines and a missing `end` are taken as they come.
    """
    lines = _data_lines(_after_begin(body, 0, len(body)))
    return b"".join([_decoded_line(line) for some in lines for line in some])


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the file in a uuencoded body that comes in pieces, of which the first has its begin.

    What it yields is what `decode` returns, as long as no more than a line of it is kept.
    """
    for lines in _data_lines(_without_begin(chunks)):
        yield b"".join([_decoded_line(line) for line in lines])


def decoded_length(body: Content, start: int = 0, end: int | None = None) -> int:
    """Return how many bytes `decode` gives of body[start:end], without decoding."""
    lines = _data_lines(_after_begin(body, start, len(body) if end is None else end))
    return sum(sum([(line[0] - 32) & 63 for line in some]) for some in lines)


def _after_begin(body: Content, start: int, end: int) -> Iterator[bytes]:
    match = _BEGIN.match(body, start, end)
    return pieces(body, match.end(), end) if match else iter(())


def _without_begin(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest: bytes | None = b""
    for chunk in chunks:
        if rest is None:
            yield chunk
        elif match := _BEGIN.match(rest := rest + chunk):
            yield rest[match.end() :]
            rest = None


def _data_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines that hold data, those that end in one piece at once."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        for place, line in enumerate(lines):
            if line in _LAST_LINES:
                yield [line for line in lines[:place] if line]
                return
        yield [line for line in lines if line]
        rest = rest[:_LINE_CHARACTERS]
    if rest and rest not in _LAST_LINES:
        yield [rest]


def _decoded_line(line: bytes) -> bytes:
    """Decode as many characters as the line's length needs; what it lacks counts as zero bits."""
    characters = (((line[0] - 32) & 63) * 4 + 2) // 3
    return binascii.a2b_uu(line[:1].translate(_LEGAL) + line[1 : 1 + characters].translate(_LEGAL))
