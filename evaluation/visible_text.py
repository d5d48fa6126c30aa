"""The letters and digits that a document shows, each with its place in the bytes as filed.

It is made otherwise than the finder of sections reads documents, so that one can check the other:
every tag is read, none is jumped over. Only ASCII letters and digits count, so that neither the
encoding nor white space nor quotation marks matter.
"""

import html
import re
from bisect import bisect_left

_PIECE = re.compile(
    r"<!--.*?-->|<ix:header.*?</ix:header>|<(style|script|title)\b.*?</\1\s*>"
    r"|</?[a-z!?][^>]*>"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});)|(?P<text>[^<&]+|.)",
    re.IGNORECASE | re.DOTALL,
)
_LETTERS = re.compile(r"[a-z0-9]", re.IGNORECASE)


class VisibleText:
    """`bare` are the letters and digits in lower case, `offsets` their places in bytes."""

    def __init__(self, raw: bytes) -> None:
        bare: list[str] = []
        self.offsets: list[int] = []
        for match in _PIECE.finditer(raw.decode("latin-1")):
            if match["entity"]:
                letters = _LETTERS.findall(html.unescape(match["entity"]))
                bare += letters
                self.offsets += [match.start()] * len(letters)
            elif match["text"]:
                for letter in _LETTERS.finditer(match["text"]):
                    bare.append(letter[0])
                    self.offsets.append(match.start() + letter.start())
        self.bare = "".join(bare).lower()

    def place(self, offset: int) -> int:
        """The number of letters and digits that are shown before this byte."""
        return bisect_left(self.offsets, offset)

    def occurrence(self, words: str, number: int) -> int:
        """The place of the number-th occurrence of these words, from 1; raises ValueError."""
        bare = "".join(_LETTERS.findall(words)).lower()
        at = -1
        for _ in range(number):
            at = self.bare.index(bare, at + 1)
        return at
