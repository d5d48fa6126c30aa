"""What makes lines readable without a change to their words: rulers, amounts and bullets.

All of it takes normalised text and leaves it normalised.
"""

import re

from edgar_search.text.rules import CELL_SEPARATOR

# Rulers and leaders, each with what is in all of them and with what stands for them. None of these
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
_RULED_LINE = re.compile(r"\n(---|===)(?>(?:[ \t]\1)+)(?=\n)")
# With a letter or digit beside it, and so perhaps with any character beyond ASCII, it is a word.
_LINE_TO_SIGN = re.compile(r"____++(?![0-9A-Za-z\x80-\U0010ffff])")
_MAY_BE_OF_WORD = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]")

# Cells with a part of an amount only: what comes before a number, and what comes behind one.
_SIGN = "$\u20ac\u00a3\u00a5"
_IN_AMOUNT = re.compile(
    rf"\t(?:(?<=[{_SIGN}(]\t)(?=[0-9(.\-\u2013\u2014])"
    rf"(?:(?<=[\t\n][{_SIGN}(]\t)|(?<=[\t\n][{_SIGN}]\(\t)|(?<=[\t\n][{_SIGN}] \(\t)"
    r"|(?<=[\t\n][A-Z]\$\t)|(?<=[\t\n][A-Z]{2}\$\t))"
    r"|(?=[)%\u00a2])(?<=[0-9)\-\u2013\u2014]\t)(?=(?:[)%\u00a2]|\) ?%|% ?\))[\t\n]))"
)
# Bullets in a line or cell of their own; some are so only before a text in the same row.
_BULLETS = (
    "\u2022\u00b7\u25cf\u25cb\u25e6\u25aa\u25a0\u25ab\u25a1\u2023\u2043\u2219\u25ba\u27a2\u2756\u2713\u25c6"
    "\uf0b7\uf0a7"
)
_BULLET = re.compile(rf"\n([{_BULLETS}])(?:\t|\n++)(?=[^\t\n])")
# Found by the tab, as there are fewer tabs than lines.
_BEHIND_SIGN = re.compile(
    r"\t(?<=\n[-\u2013\u2014*o\u00a7\u00a8\u00a1\u00d8\u00fc]\t)(?=[A-Za-z\"\u201c(])"
)


def readable(text: str) -> str:
    """Return normalised `text` with the same words, and less between them.

    Rulers and leaders are three characters, the parts of an amount are one cell, and a bullet in a
    line or cell of its own stands before its text. It begins and ends with a "\\n".
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
    if CELL_SEPARATOR in text:
        text = _BEHIND_SIGN.sub(" ", _IN_AMOUNT.sub("", text))
    return text


def _shortened(line: re.Match[str]) -> str:
    before = line.string[line.start() - 1]
    return line[0] if _MAY_BE_OF_WORD.match(before) else "___"
