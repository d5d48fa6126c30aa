"""Rulers, leaders and bullets in the lines of a text, made short."""

import re

from edgar_search.text.columns import BULLETS

# Rulers and leaders, each with what is in all of them and with its replacement. None of these
# characters is a part of a word but a single full stop. The patterns begin with what is in all, as
# a search for that is many times as fast.
_RULERS = (
    ("----", re.compile("----++"), "---"),
    ("====", re.compile("====++"), "==="),
    ("....", re.compile(r"\.\.\.\.++"), "..."),
    (". . . .", re.compile(r"\. \. \. \.(?>(?: \.)*)"), "..."),
    ("- - - -", re.compile("- - - -(?>(?: -)*)"), "---"),
)
# A line of nothing but rulers, one for each column.
_RULED_LINE = re.compile(r"\n\t*(---|===)(?>(?:[ \t]++\1)+)(?=\n)")
# With a letter or digit beside it, and so perhaps with any character beyond ASCII, it is a word.
_LINE_TO_SIGN = re.compile(r"____++(?![0-9A-Za-z\x80-\U0010ffff])")
_MAY_BE_OF_WORD = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]")

# A bullet in a line or cell of its own.
_BULLET = re.compile(rf"\n([{BULLETS}])(?:\t|\n++)(?=[^\t\n])")


def readable(text: str) -> str:
    """Return normalised `text` with the same words, and less between them.

    Rulers and leaders are three characters, and a bullet in a line or cell of its own is put before
    its text. It begins and ends with a "\\n".
    """
    text = f"\n{text}\n"
    ruled = False
    for sign, ruler, short in _RULERS:
        if sign[0] in text and sign in text:
            text = ruler.sub(short, text)
            ruled = True
    if ruled:
        text = _RULED_LINE.sub(r"\n\1", text)
    if "_" in text and "____" in text:
        text = _LINE_TO_SIGN.sub(_shortened, text)
    if not text.isascii():
        text = _BULLET.sub(r"\n\1 ", text)
    return text


def _shortened(line: re.Match[str]) -> str:
    before = line.string[line.start() - 1]
    return line[0] if _MAY_BE_OF_WORD.match(before) else "___"
