"""Quotes checked against a document's text: the exact words, or the most similar ones.

Neither white space nor the form of quotation marks counts for a normalised quote; every other
character does. A quote that begins or ends within a word or a number of the text says something
else than the text, so it is only similar at best. The whole text is read, so "absent" is certain.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.document.comparison import nearest_part
from edgar_search.document.text import MOST_CHARS, Passages

Place: TypeAlias = tuple[int, int]
Verdict: TypeAlias = Literal["exact", "normalised", "nearest", "absent"]
# A shorter quote may be found by chance.
MIN_QUOTE, MAX_QUOTE = 12, 2_000
# Characters before and after a position, by which it can be found in another version of the text.
SIDE = 40
# Text less similar than this is a different text.
_LEAST_LIKE = 0.6
# A similar text is not the quote, even if it has the same characters.
_LIKEST = 0.999
_MARKS = str.maketrans(dict.fromkeys("’‘‚‛`´", "'") | dict.fromkeys("“”„‟«»", '"'))
# Letters, digits and accents. Superscripts and subscripts, which are marks after a word, end a
# word, and so do scripts that are written without blanks.
_W = (
    r"(?:[^\W²³¹\u2070-\u209c\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]|[\u0300-\u036f])"
)
_FRACTION = r"(?:[0-9]+[/⁄][0-9]|[¼-¾⅐-⅞])"
_MINUS, _CURRENCY = "[-−–]", "[$€£¥]"
# A position inside a word or a number: \x02 marks where a quote begins, \x03 where it ends.
_INSIDE = re.compile(
    rf"""{_W}[\x02\x03]{_W}                                     # Reve|nue, 38|12
    |{_W}(?:[\x02\x03][-‐‑–'’&/⁄@]|[-‐‑–'’&/⁄@][\x02\x03]){_W}      # non|-recurring, AT&|T
    |{_W}(?:[\x02\x03][.]|[.][\x02\x03])[a-z]                  # e|.g.
    |(?<!{_W})[A-Z](?:[\x02\x03][.]|[.][\x02\x03])[A-Z]        # U|.S.
    |[0-9](?:[\x02\x03][.,:]|[.,:][\x02\x03])[0-9]             # 3|.81, 1,|234
    |(?<!\w)[.][\x02\x03][0-9]                                # .|5
    |[0-9](?:[\x02\x03][ ]?|[ ][\x02\x03]){_FRACTION}          # 6| 1/2, 6|½
    |[0-9][)]?(?:[\x02\x03][ ]?|[ ][\x02\x03])[%‰]             # 5|%, (1.3|)%
    |(?<![^\s(]){_MINUS}[\x02\x03]{_CURRENCY}?[.]?[0-9]       # -|5
    |[(]{_CURRENCY}?\x02{_CURRENCY}?[0-9.,]*[0-9]%?[)]        # (|1,234)
    |[(]{_CURRENCY}?[0-9.,]*[0-9]%?\x03%?[)]                  # (1,234|)
    |{_CURRENCY}[ ]?\x03[ ]?[(]?[0-9]                         # $|38
    """,
    re.VERBOSE,
)
# Characters on each side of a position that show if it is inside a word, and how many such
# positions are tried in a row: more than a text has unless it was made for that.
_NEAR, _MOST_CUT = 40, 1_000


class CheckedQuote(NamedTuple):
    """A verdict with the position that it is about, unless the quote is absent.

    `similarity` is from 0 to 1. `sides` are the characters before and after the position, `SIDE` of
    them unless the text begins or ends there; None if they were not read.
    """

    verdict: Verdict
    start: int | None = None
    end: int | None = None
    text: str = ""
    similarity: float = 0.0
    sides: tuple[str, str] | None = None


ABSENT = CheckedQuote("absent")


async def check_quote(
    passages: Passages, quote: str, after: int = 0, *, nearest: bool = True
) -> CheckedQuote:
    """Check a quote against a document's text, with a request for each 100,000 characters.

    Only the text from position `after` on counts. Without `nearest`, a merely similar text does not
    count. If this is cancelled, only the part under way is completed. Raises TextChanging.
    """
    best, length = ABSENT, passages.text.length
    async for start, text in _windows(passages, after, overlap=2 * (len(quote) + _NEAR)):
        sides = (start > 0, start + len(text) < length)
        checked = await asyncio.to_thread(
            find_quote, text, quote, sides, max(0, after - start), nearest=nearest
        )
        if checked.start is not None and checked.end is not None:
            checked = checked._replace(
                start=checked.start + start,
                end=checked.end + start,
                sides=_sides(text, checked.start, checked.end, sides),
            )
        if checked.verdict == "exact":
            return checked
        best = max(best, checked, key=_worth)
    return best


def _sides(text: str, start: int, end: int, goes_on: tuple[bool, bool]) -> tuple[str, str] | None:
    """Return the characters beside a position; None if they extend beyond this text."""
    if (goes_on[0] and start < SIDE) or (goes_on[1] and len(text) - end < SIDE):
        return None
    return text[max(0, start - SIDE) : start], text[end : end + SIDE]


def find_quote(
    text: str,
    quote: str,
    goes_on: tuple[bool, bool] = (False, False),
    after: int = 0,
    *,
    nearest: bool = True,
) -> CheckedQuote:
    """Find a quote in a text from `after` on: exact, normalised, or the most similar words.

    `goes_on` tells if the text continues before its start, and after its end: there it is unknown
    if a word ends, and the overlapping text before or after decides.
    """
    quote = quote.strip()
    first, last = max(after, _NEAR * goes_on[0]), len(text) - _NEAR * goes_on[1]
    position = _whole_place(_exact_places(quote, text, first, last), text)
    if position is not None:
        return CheckedQuote("exact", *position, quote, 1.0)
    position = _whole_place(_normalised_places(quote, text, first, last), text)
    if position is not None:
        start, end = position
        return CheckedQuote("normalised", start, end, text[start:end], 1.0)
    if not nearest:
        return ABSENT
    likeness, start, end = nearest_part(quote, text[after:])
    if likeness < _LEAST_LIKE:
        return ABSENT
    start, end = whole_words(text, start + after, end + after)
    likeness = min(likeness, _LIKEST)
    return CheckedQuote("nearest", start, end, text[start:end], round(likeness, 3))


def cuts_a_word(text: str, start: int, end: int) -> bool:
    """Return True if a range of a text begins or ends within a word or a number."""
    begins = f"{text[max(0, start - _NEAR) : start]}\x02{text[start : start + _NEAR]}"
    ends = f"{text[max(0, end - _NEAR) : end]}\x03{text[end : end + _NEAR]}"
    return any(map(_INSIDE.search, (begins, ends)))


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a range of a text to the white space on both sides."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _whole_place(positions: Iterator[Place], text: str) -> Place | None:
    """Find the first position that begins and ends where words and numbers do."""
    some = islice(positions, _MOST_CUT)
    return next((position for position in some if not cuts_a_word(text, *position)), None)


def _exact_places(quote: str, text: str, first: int, last: int) -> Iterator[Place]:
    while (start := text.find(quote, first, last)) >= 0:
        yield start, start + len(quote)
        first = start + 1


def _worth(checked: CheckedQuote) -> tuple[bool, float]:
    return checked.verdict == "normalised", checked.similarity


def _normalised_places(quote: str, text: str, first: int, last: int) -> Iterator[Place]:
    """Yield the positions of a quote with any white space and any quotation marks.

    Without a regular expression, which in a text like `a a a` would try all words at each of them.
    """
    plain, wanted = _plain(text[first:last]), _plain(quote)
    words: list[int] = []
    start_found = -1
    while (start_found := plain.find(wanted, start_found + 1)) >= 0:
        # The first character of each word, from which positions in the text are derived.
        words = words or [word.start() for word in re.compile(r"\S+").finditer(text, first, last)]
        end = start_found + len(wanted) - 1
        yield _unplain(plain, words, start_found), _unplain(plain, words, end) + 1


def _unplain(plain: str, words: Sequence[int], position: int) -> int:
    """Convert a position in the plain form, inside a word, to a position in the text."""
    return words[plain.count(" ", 0, position)] + position - plain.rfind(" ", 0, position) - 1


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKS)


async def _windows(passages: Passages, after: int, overlap: int) -> AsyncIterator[tuple[int, str]]:
    """Yield overlapping parts of the text with their starts, so that no quote is cut at an end.

    Some text before `after` is included, to show if a word is cut there.
    """
    start, length = max(0, after - _NEAR), passages.text.length
    while start < length:
        end = min(length, start + MOST_CHARS)
        yield start, await passages.piece(start, end)
        if end == length:
            return
        start = end - overlap
