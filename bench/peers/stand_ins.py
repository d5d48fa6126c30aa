"""Letters that stand for what libraries split words at and this service does not.

To Lucene's standard tokenizer a `.` between letters, a `,` between digits and every `_` belong to
a word; to the usual tokenizers of libraries they end it. In what a library indexes and is asked,
letters of a script that no filing has stand for them, and its snippets are turned back.
"""

import re

_INSIDE = re.compile(r"(?<=[^\W\d_])[.:'](?=[^\W\d_])|(?<=\d)[.,;'](?=\d)|_")
# Small letters of Deseret, which lower case leaves alone.
_LETTERS = {mark: chr(0x10428 + number) for number, mark in enumerate(".:',;_")}
_MARKS = str.maketrans({letter: mark for mark, letter in _LETTERS.items()})


def with_letters(text: str) -> str:
    """Return the text with letters for the marks inside of its words."""
    return _INSIDE.sub(lambda found: _LETTERS[found[0]], text)


def with_marks(text: str) -> str:
    """Return the text as it was."""
    return text.translate(_MARKS)
