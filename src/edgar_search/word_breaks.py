"""Where the engine's tokens begin and end: Lucene's StandardTokenizer, rule by rule.

Its grammar is StandardTokenizerImpl.jflex: Unicode's word breaks (UAX #29) with rules for emoji and
for scripts without spaces. At each character the longest match of any rule is the token; where no
rule matches, the character is skipped. Here the rules work on a string that has, for each
character, the letter of its class in `word_classes`; in each, greedy is longest.
"""

import re
from collections.abc import Iterator
from functools import cache

from edgar_search.word_classes import CLASSES

# Lucene's default. It counts UTF-16 units, and its scanner does not look further.
MAX_TOKEN_UNITS = 255

_X = "[XMTVZCGgs]*+"  # what extends any character
_PICTURE_X = "[XMZCGgs]*+"  # the same in an emoji, without the presentation selectors


def _extended(one_of: str) -> str:
    return f"[{one_of}]{_X}"


_JOIN, _KATAKANA, _HEBREW = _extended("J"), _extended("K"), _extended("H")
_PART = (
    f"(?:(?:{_KATAKANA})++|(?:"
    f"{_HEBREW}(?:{_extended('d')}{_HEBREW}|{_extended('q')})"
    f"|{_extended('AIH')}(?:{_extended('lbq')}{_extended('AIH')})*+"
    f"|{_extended('N')}(?:{_extended('nbq')}{_extended('N')})*+"
    ")++)"
)
_WORD = f"(?:{_JOIN})*+{_PART}(?:(?:{_JOIN})++{_PART})*+(?:{_JOIN})*+"
_PICTURE = f"[EI]{_PICTURE_X}V?+"
_MODIFIER = f"M{_PICTURE_X}"
_EMOJI = (
    f"(?:Z*+{_PICTURE}|{_MODIFIER})"
    # The joiner between two pictures may already be taken as an extension of the first.
    f"(?:(?<=V)G++g|(?:(?<=V)(?:Z++{_PICTURE}|Z{_MODIFIER})|(?<=Z){_PICTURE})*+)"
    f"|P[XMZCGgs]*V?C{_PICTURE_X}"
    f"|{_extended('R')}{_extended('R')}"
)
_UNSPACED = f"(?:{_extended('Ss')})++|{_extended('W')}|{_extended('Y')}"
_RULES = tuple(re.compile(rule) for rule in (_WORD, _EMOJI, _UNSPACED))
_START = re.compile("[AIHNKJZMEPRSsWY]")
# What a long token may begin with before the first character that makes it one.
_LEAD = re.compile(f"(?:{_JOIN})++|Z++")

# A piece is what can be told from ASCII alone: a token, or a run of "_" that is none. Else it is
# all that a token could reach from there: the run up to the next character that ends any token.
_IN_RUN = r"0-9A-Za-z_:.',;\"#*\x80-\U0010ffff"
_PIECE = re.compile(
    r"(?P<blank>_++(?![0-9A-Za-z\x80-\U0010ffff]))"
    rf"|(?P<token>(?![{_IN_RUN}]{{{MAX_TOKEN_UNITS + 1}}})_*+[0-9A-Za-z]"
    r"(?:[0-9A-Za-z_]|(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[,;.'](?=[0-9]))*+"
    r"(?![:.',;]?[\x80-\U0010ffff]))"
    rf"|(?:[0-9A-Za-z_\x80-\U0010ffff]|[#*](?=[\x80-\U0010ffff]))[{_IN_RUN}]*+"
)


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the engine's tokens of `text` start and end, in order, in code points."""
    for piece in _PIECE.finditer(text):
        if piece["token"]:
            yield piece.span()
        elif not piece["blank"]:
            for start, end in _run_spans(piece[0]):
                yield piece.start() + start, piece.start() + end


def _run_spans(run: str) -> Iterator[tuple[int, int]]:
    classes = run.translate(_table())
    start = 0
    while (first := _START.search(classes, start)) is not None:
        start = first.start()
        lead = _LEAD.match(classes, start)
        if lead is not None:
            start = max(start, lead.end() - MAX_TOKEN_UNITS + 1)
        window = _window(run, start)
        ends = [match.end() for rule in _RULES if (match := rule.match(classes, start, window))]
        if ends:
            yield start, max(ends)
        start = max(ends, default=start + 1)


def _window(run: str, start: int) -> int:
    """Where the scanner's view of `run` from `start` ends."""
    window = run[start : start + MAX_TOKEN_UNITS]
    if not window.isascii():
        units = window.encode("utf-16-le", "replace")[: 2 * MAX_TOKEN_UNITS]
        # Half a pair at the end is out of view.
        return start + len(units.decode("utf-16-le", "ignore"))
    return start + len(window)


@cache
def _table() -> str:
    """The class of each code point, a space for those that have none."""
    table = bytearray(b" " * 0x110000)
    for name, ranges in CLASSES.items():
        for span in ranges.split():
            first, _, last = span.partition("-")
            low, high = int(first, 16), int(last or first, 16)
            table[low : high + 1] = name.encode() * (high - low + 1)
    return table.decode()
