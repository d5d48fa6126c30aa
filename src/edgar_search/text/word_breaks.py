"""Where the engine's tokens begin and end: Lucene's StandardTokenizer, rule by rule.

Its grammar is StandardTokenizerImpl.jflex: Unicode's word breaks (UAX #29) with rules for emoji and
for scripts without spaces. At each character the longest match of any rule is the token; where no
rule matches, the character is skipped. Here the rules work on a string that has, for each
character, the letter of its class in `word_classes`; in each, greedy is longest.
Groups are atomic and not possessive, in which Python errs before 3.11.5.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from edgar_search.text.word_classes import CLASSES

# Lucene's default. It counts UTF-16 units, and its scanner does not look further.
MAX_TOKEN_UNITS = 255

_X = "[XMTVZCGgs]*+"  # what extends any character
_PICTURE_X = "[XMZCGgs]*+"  # the same in an emoji, without the presentation selectors


def _extended(one_of: str) -> str:
    return f"[{one_of}]{_X}"


_JOIN, _KATAKANA, _HEBREW = _extended("J"), _extended("K"), _extended("H")
_PART = (
    f"(?:(?>(?:{_KATAKANA})+)|(?>(?:"
    f"{_HEBREW}(?:{_extended('d')}{_HEBREW}|{_extended('q')})"
    f"|{_extended('AIH')}(?>(?:{_extended('lbq')}{_extended('AIH')})*)"
    f"|{_extended('N')}(?>(?:{_extended('nbq')}{_extended('N')})*)"
    ")+))"
)
_JOINS = f"(?>(?:{_JOIN})*)"
_WORD = f"{_JOINS}{_PART}(?>(?:(?>(?:{_JOIN})+){_PART})*){_JOINS}"
_PICTURE = f"[EI]{_PICTURE_X}V?+"
_MODIFIER = f"M{_PICTURE_X}"
_EMOJI = (
    f"(?:Z*+{_PICTURE}|{_MODIFIER})"
    # The joiner between two pictures may already be taken as an extension of the first.
    f"(?:(?<=V)G++g|(?>(?:(?<=V)(?:Z++{_PICTURE}|Z{_MODIFIER})|(?<=Z){_PICTURE})*))"
    f"|P[XMZCGgs]*V?C{_PICTURE_X}"
    f"|{_extended('R')}{_extended('R')}"
)
_UNSPACED = f"(?>(?:{_extended('Ss')})+)|{_extended('W')}|{_extended('Y')}"
# The rules for each first character; those of no other class begin a token.
_RULES = {
    **dict.fromkeys("AHNKJ", (re.compile(_WORD),)),
    **dict.fromkeys("ZMEPR", (re.compile(_EMOJI),)),
    **dict.fromkeys("SsWY", (re.compile(_UNSPACED),)),
    "I": (re.compile(_WORD), re.compile(_EMOJI)),
}
_START = re.compile(f"[{''.join(_RULES)}]")
# What a token may begin with at length before the first character that makes it one.
_LEAD = re.compile("(?>(?:J[XTVCGg]*+)+)|Z++")

_ASCII_MIDDLE = r"(?:(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[,;.'](?=[0-9]))"
_ASCII_WORD = f"[0-9A-Za-z_]*+(?>(?:{_ASCII_MIDDLE}[0-9A-Za-z_]++)*)"
_BEYOND_ASCII = r"[\x80-\U0010ffff]"
# A piece is what can be told from ASCII alone: a token, or a run of "_" that is none. Else it is
# all that a token could reach from there: the run up to the next character that ends any token.
_PIECE = re.compile(
    r"[0-9A-Za-z_#*\x80-\U0010ffff](?:"
    rf"(?P<blank>(?<=_)_*+(?![0-9A-Za-z]|{_BEYOND_ASCII}))"
    rf"|(?P<word>(?:(?<=[0-9A-Za-z])|(?<=_)_*+[0-9A-Za-z]){_ASCII_WORD}(?![:.',;]?{_BEYOND_ASCII}))"
    rf"|(?:(?<![#*])|(?={_BEYOND_ASCII}))[0-9A-Za-z_:.',;\"#*\x80-\U0010ffff]*+)"
)


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the engine's tokens of `text` start and end, in order, in code points."""
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        kind = piece.lastgroup
        if kind == "word" and end - start <= MAX_TOKEN_UNITS:
            yield start, end
        elif kind != "blank":
            for first, after in _run_spans(piece[0]):
                yield start + first, start + after


def _run_spans(run: str) -> Iterator[tuple[int, int]]:
    classes = run.translate(_table())
    start = 0
    while (first := _START.search(classes, start)) is not None:
        start = first.start()
        lead = _LEAD.match(classes, start)
        if lead is not None:
            # From before this, the scanner would not see the end of the lead.
            start = max(start, lead.end() - MAX_TOKEN_UNITS + 1)
        end = _token_end(run, classes, start)
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _token_end(run: str, classes: str, start: int) -> int:
    """Where the longest token from `start` ends; `start` if there is none."""
    rules = _RULES.get(classes[start], ())
    end = _longest(rules, classes, start, start + MAX_TOKEN_UNITS)
    if 2 * (end - start) <= MAX_TOKEN_UNITS:
        return end
    return _longest(rules, classes, start, start + _characters_in_view(run[start:end]))


def _longest(rules: Sequence[re.Pattern[str]], classes: str, start: int, end: int) -> int:
    matches = [rule.match(classes, start, end) for rule in rules]
    return max([match.end() for match in matches if match is not None], default=start)


def _characters_in_view(text: str) -> int:
    """How many characters of `text` the scanner sees at once."""
    units = text.encode("utf-16-le", "replace")[: 2 * MAX_TOKEN_UNITS]
    # It does not see half of a pair.
    return len(units.decode("utf-16-le", "ignore"))


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
