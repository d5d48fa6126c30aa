"""Uuencoded bodies: graphics, PDF, ZIP and spreadsheets inside a submission."""

import binascii
import re
from collections.abc import Iterator

_BEGIN = re.compile(rb"\s*begin [0-7]{3,4} [^\r\n]*(?:\r\n|\r|\n)?")
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


def decoded_length(body: bytes) -> int:
    """Return how many bytes `decode` gives, without decoding."""
    return sum([_line_length(line) for line in _data_lines(body)])


def _data_lines(body: bytes) -> Iterator[bytes]:
    match = _BEGIN.match(body)
    if match is None:
        return
    for line in body[match.end() :].replace(b"\r", b"\n").split(b"\n"):
        if line in (b"`", b" ", b"end"):
            return
        if line:
            yield line


def _line_length(line: bytes) -> int:
    return (line[0] - 32) & 63


def _decoded_line(line: bytes) -> bytes:
    """Decode as many characters as the line's length needs; what it lacks counts as zero bits."""
    characters = (_line_length(line) * 4 + 2) // 3
    return binascii.a2b_uu(line[:1].translate(_LEGAL) + line[1 : 1 + characters].translate(_LEGAL))
