"""Uuencoded bodies: graphics, PDF, ZIP and spreadsheets inside a submission."""

import binascii
import re
from collections.abc import Iterable, Iterator

_BEGIN = re.compile(rb"\s*begin [0-7]{3,4} [^\r\n]*(?:\r\n|\r|\n)?")
# More than any line needs: its length is one character, and says 63 bytes at most.
_LINE_CHARACTERS = 128
_LAST_LINES = (b"`", b" ", b"end")
# Every byte stands for 6 bits; the decoder of the library refuses those that are unusual.
_LEGAL = bytes((byte - 32 & 63) + 32 for byte in range(256))


def is_uuencoded(body: bytes) -> bool:
    """Tell whether `body` is a uuencoded file: white space, then `begin <octal mode> <name>`."""
    return _BEGIN.match(body) is not None


def decode(body: bytes) -> bytes:
    """Return the file in `body`, which must be uuencoded.

    Bytes after a line's data, short lines and a missing `end` are taken as they come.
    """
    return b"".join([_decoded_line(line) for line in _data_lines(body)])


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the file in a uuencoded body that comes in pieces, of which the first has its begin.

    What it yields is what `decode` returns, as long as no more than a line of it is kept.
    """
    rest = b""
    begun = False
    for chunk in chunks:
        rest += chunk
        if not begun and (match := _BEGIN.match(rest)):
            rest, begun = rest[match.end() :], True
        *lines, rest = rest.replace(b"\r", b"\n").split(b"\n")
        for place, line in enumerate(lines):
            if line in _LAST_LINES:
                yield b"".join([_decoded_line(line) for line in lines[:place] if line])
                return
        yield b"".join([_decoded_line(line) for line in lines if line])
        rest = rest[:_LINE_CHARACTERS]
    if rest and rest not in _LAST_LINES:
        yield _decoded_line(rest)


def decoded_length(body: bytes) -> int:
    """Return how many bytes `decode` gives, without decoding."""
    return sum([_line_length(line) for line in _data_lines(body)])


def _data_lines(body: bytes) -> Iterator[bytes]:
    match = _BEGIN.match(body)
    if match is None:
        return
    for line in body[match.end() :].replace(b"\r", b"\n").split(b"\n"):
        if line in _LAST_LINES:
            return
        if line:
            yield line


def _line_length(line: bytes) -> int:
    return (line[0] - 32) & 63


def _decoded_line(line: bytes) -> bytes:
    """Decode as many characters as the line's length needs; what it lacks counts as zero bits."""
    characters = (_line_length(line) * 4 + 2) // 3
    return binascii.a2b_uu(line[:1].translate(_LEGAL) + line[1 : 1 + characters].translate(_LEGAL))
