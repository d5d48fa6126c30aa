"""How much of a text reads as sentences rather than as rows of figures; pure.

It is asked of several parts of each passage that a page shows, so it counts in bytes: a letter for
what each character is tells a word's beginning by what stands before it.
"""

import re

from edgar_search.search.folding import BREAK, CELL
from edgar_search.text.rules import CELL_SEPARATOR

_SEPARATOR_COST = -0.5
_SEPARATORS = BREAK.strip(), CELL.strip()
_BEGINS_WITH_A_LETTER = re.compile(r"(?<!\S)[^\W\d_]")
# One byte for each character, with the quotes, dashes and letters that filings have beyond ASCII.
_CODING = "cp1252"
_BLANK, _LETTER, _OTHER, _BREAK, _CELL = b" a.ec"


def _kind(byte: int) -> int:
    char = bytes([byte]).decode(_CODING, "replace")
    if char.isspace():
        return _BLANK
    if _BEGINS_WITH_A_LETTER.match(char):
        return _LETTER
    return {_SEPARATORS[0]: _BREAK, _SEPARATORS[1]: _CELL}.get(char, _OTHER)


_KINDS = bytes(map(_kind, range(256)))


def prose(text: str) -> float:
    """The share of words, less that of what only separates; 1 at most.

    Words are what blanks separate, and those with a letter at first count; `text` is folded
    (`folding.fold`) or a piece of a passage that is not.
    """
    # Where the text is not folded yet, what will separate.
    unfolded = text.count(CELL_SEPARATOR) + text.count("\n\n")
    letters, words, separators = _counted(text)
    separators += unfolded
    return (letters + _SEPARATOR_COST * separators) / max(1, words + unfolded)


def _counted(text: str) -> tuple[int, int, int]:
    """Words that begin with a letter, words, and those that are separators."""
    try:
        # Encoding ASCII costs nothing, and most texts are nothing else.
        coded = text.encode() if text.isascii() else text.encode(_CODING)
    except UnicodeEncodeError:
        each = text.split()
        letters = len(_BEGINS_WITH_A_LETTER.findall(text))
        return letters, len(each), each.count(_SEPARATORS[0]) + each.count(_SEPARATORS[1])
    kinds = b" " + coded.translate(_KINDS)
    letters = kinds.count(b" a")
    if b"e" not in kinds and b"c" not in kinds:
        return letters, letters + kinds.count(b" ."), 0
    words = kinds.split()
    return letters, len(words), words.count(b"e") + words.count(b"c")
