"""The one set of text rules for what is indexed and for what is asked.

`tokens` makes of a text what the engine makes of it (Lucene's standard tokenizer and lowercase
filter), so that both sides agree on what a word is.
"""

import re
import unicodedata
from functools import lru_cache

from edgar_search.text.word_breaks import token_spans

__all__ = ["CELL_SEPARATOR", "INVISIBLE", "lower", "normalise", "token_spans", "tokens"]

# Between two cells of a row: white space to every rule, Lucene's and `str.isspace` among them, and
# in no other place of a text. Pasted into a spreadsheet it is a column's end.
CELL_SEPARATOR = "\t"

# Soft hyphen, zero-width characters and directions: what a regular expression's set holds of them.
# And the noncharacters that Unicode keeps for programs: two of them mark matches in a reply.
INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufdd0-\ufdef"
_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201b": "'",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
# What `str.isspace` says of, but for the blank, the separator of cells and the line end.
_ASCII_BLANKS = "\v\f\r\x1c\x1d\x1e\x1f"
_BLANKS_BEYOND = frozenset(
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# What Unicode's Stream-Safe Text Format allows on one letter (UAX #15, section 13).
_MOST_MARKS = 30
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_ASCII = bytes(range(128))


def normalise(text: str) -> str:
    """Return `text` in the form that is indexed; its lines end at "\\n" only.

    White space in a line is one blank, or one CELL_SEPARATOR where it holds one; a line begins and
    ends with neither. Doing it twice changes nothing.
    """
    if not text.isascii():
        text = _plain(text)
    for char in _ASCII_BLANKS:
        if char in text:
            text = text.replace(char, " ")
    # Most lines need no look at their words.
    return "\n".join(
        [
            _row(line)
            if CELL_SEPARATOR in line
            else " ".join(line.split())
            if "  " in line
            else line.strip(" ")
            for line in text.split("\n")
        ]
    )


def _row(line: str) -> str:
    line = line.strip(f" {CELL_SEPARATOR}")
    if not ("  " in line or " \t" in line or "\t " in line or "\t\t" in line):
        return line  # as nearly all rows of HTML
    cells = [" ".join(cell.split()) for cell in line.split(CELL_SEPARATOR)]
    return CELL_SEPARATOR.join([cell for cell in cells if cell])


def _plain(text: str) -> str:
    # Of a text's characters few are beyond ASCII, and of those fewer are different: to know them
    # is cheaper than to look through the text for each that could be there.
    beyond = set(
        text.encode("utf-8", "surrogatepass")
        .translate(None, _ASCII)
        .decode("utf-8", "surrogatepass")
    )
    # Before NFC: what is removed may have stood between a letter and its accent.
    for char in _INVISIBLE.findall("".join(beyond)):
        text = text.replace(char, "")
    for char in beyond & _BLANKS_BEYOND:
        text = text.replace(char, " ")
    for char in beyond & _PLAIN.keys():
        text = text.replace(char, _PLAIN[char])
    if all(map(_stands_by_itself, beyond)):
        return text
    marks = "".join(sorted(filter(_is_mark, beyond)))
    return _composed(text, marks) if marks else unicodedata.normalize("NFC", text)


def _composed(text: str, marks: str) -> str:
    """Return `text` in NFC, but for letters with more marks than any language has.

    To sort marks takes the square of their number, so these stay as they are, which doing it twice
    does not change; `marks` are all that `text` has.
    """
    pieces: list[str] = []
    last = 0
    one, none = f"[{re.escape(marks)}]", f"[^{re.escape(marks)}]"
    for run in re.finditer(f"{none}?{one}{{{_MOST_MARKS + 1},}}+", text):
        pieces += unicodedata.normalize("NFC", text[last : run.start()]), run[0]
        last = run.end()
    return "".join([*pieces, unicodedata.normalize("NFC", text[last:])])


@lru_cache(10_000)
def _is_mark(char: str) -> bool:
    """Return whether a character is sorted among those that stand on the letter before it."""
    return unicodedata.combining(unicodedata.normalize("NFD", char)[0]) > 0


@lru_cache(10_000)
def _stands_by_itself(char: str) -> bool:
    """Return whether NFC leaves a character as it is, whatever stands beside it."""
    # Accents and the parts of syllables begin at U+0300, those of symbols at U+20D0.
    return (char < "\u0300" or "\u2000" <= char < "\u20d0") and unicodedata.is_normalized(
        "NFC", char
    )


def tokens(text: str) -> list[str]:
    """Return the engine's terms of `text`, in order."""
    return [lower(text[start:end]) for start, end in token_spans(text)]


def lower(text: str) -> str:
    """Return `text` as Lucene's lowercase filter leaves it: each code point by itself."""
    # `str.lower` of a whole text knows a final sigma, and makes two code points of U+0130.
    if "\u03a3" not in text and "\u0130" not in text:
        return text.lower()
    return "".join(["i" if char == "\u0130" else char.lower() for char in text])
