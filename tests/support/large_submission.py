"""Submissions of any size, written piece by piece: text, markup, uuencoded files, one huge text."""

import random
from collections.abc import Iterator
from pathlib import Path

from tests.support.submissions import MadeUp, MadeUpEntity, txt

_WORDS = "moss quarry marble lease revenue slate net of the and income granite total share".split()
_ROW = "<tr style='height:12pt'><td style='padding:0in'><p>{}</p></td><td><p>{}</p></td></tr>\n"
_UU_LINE = b"M" + bytes(range(33, 93)) + b"\n"
# Paragraphs that are repeated: as good as others, and made in a moment.
_PARAGRAPHS = 2_000


def write_large(
    path: Path,
    number: str,
    size: int,
    *,
    huge: int,
    texts: int = 4,
    text_bytes: int = 2_000_000,
    file_bytes: int = 50_000_000,
) -> None:
    """Write a submission of about `size` bytes: texts, one of `huge` bytes, else uuencoded files.

    Of the texts every other is HTML; the huge one is HTML too. The files have about `file_bytes`.
    """
    documents = texts + 1 + max(1, (size - huge - texts * text_bytes) // file_bytes)
    entity = MadeUpEntity("0009990050", f"LARGE QUARRIES {number} CORP")
    whole = txt(MadeUp(number, (entity,), ()))
    header, _, end = whole.partition(b"</SEC-HEADER>\n")
    header = header.replace(b"DOCUMENT COUNT:\t\t0", b"DOCUMENT COUNT:\t\t%d" % documents)
    chosen = random.Random(number)
    with path.open("wb") as file:
        file.write(header + b"</SEC-HEADER>\n")
        for place in range(texts):
            text = (_html if place % 2 else _plain)(chosen, text_bytes)
            file.writelines(_document(place + 1, "10-K", "", text))
        file.writelines(_document(texts + 1, "EX-99", "huge.htm", _html(chosen, huge)))
        for place in range(texts + 1, documents):
            left = size - file.tell()
            body = _uuencode(max(1_000, left // (documents - place)))
            # Its type says nothing of what is in it.
            file.writelines(_document(place + 1, "EX-10", "", body))
        file.write(end)


def _document(number: int, form_type: str, name: str, body: Iterator[bytes]) -> Iterator[bytes]:
    yield b"<DOCUMENT>\n<TYPE>%b\n<SEQUENCE>%d\n" % (form_type.encode(), number)
    if name:
        yield b"<FILENAME>%b\n" % name.encode()
    yield b"<TEXT>\n"
    yield from body
    yield b"</TEXT>\n</DOCUMENT>\n"


def _sentences(chosen: random.Random) -> list[str]:
    return [" ".join(chosen.choices(_WORDS, k=chosen.randint(5, 60))) for _ in range(_PARAGRAPHS)]


def _plain(chosen: random.Random, size: int) -> Iterator[bytes]:
    return _repeat([f"{sentence}.\n\n".encode() for sentence in _sentences(chosen)], size)


def _html(chosen: random.Random, size: int) -> Iterator[bytes]:
    sentences = _sentences(chosen)
    rows = [_ROW.format(sentence, sentence[:40]).encode() for sentence in sentences]
    yield b"<html><body><table>\n"
    yield from _repeat(rows, size - 60)
    yield b"</table></body></html>\n"


def _repeat(lines: list[bytes], size: int) -> Iterator[bytes]:
    whole = b"".join(lines)
    while size > len(whole):
        yield whole
        size -= len(whole)
    for line in lines:
        if size < len(line):
            return
        yield line
        size -= len(line)


def _uuencode(size: int) -> Iterator[bytes]:
    yield b"begin 644 quarry.pdf\n"
    yield from _repeat([_UU_LINE] * 10_000, size)
    yield b"`\nend\n"
