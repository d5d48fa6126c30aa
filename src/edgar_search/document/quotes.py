"""Quotes checked against a document's text: if the words are there, or the nearest to them.

White space and the forms of quotation marks do not count for a normalised quote; every other
character does. The whole text is read, so "absent" is certain.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.document.text import MOST_CHARS, Passages
from edgar_search.search.warnings.nearest import most_like

Verdict: TypeAlias = Literal["exact", "normalised", "nearest", "absent"]
# A shorter quote is anywhere by chance.
MIN_QUOTE, MAX_QUOTE = 12, 2_000
# Text that is less like the quote is not the nearest to it, but another one.
_LEAST_LIKE = 0.6
_SINGLE, _DOUBLE = "'’‘‚‛`´", '"“”„‟«»'


class CheckedQuote(NamedTuple):
    """A verdict with the place that it is about; without a place if the quote is absent.

    `similarity` is from 0 to 1.
    """

    verdict: Verdict
    start: int | None = None
    end: int | None = None
    text: str = ""
    similarity: float = 0.0


ABSENT = CheckedQuote("absent")


async def check_quote(passages: Passages, quote: str) -> CheckedQuote:
    """Check a quote against a document's text; a request for each 100,000 characters of it.

    Raises TextChanging.
    """
    best = ABSENT
    async for start, text in _windows(passages, overlap=2 * len(quote)):
        found = await asyncio.to_thread(find_quote, text, quote)
        if found.start is not None and found.end is not None:
            found = found._replace(start=found.start + start, end=found.end + start)
        if found.verdict == "exact":
            return found
        best = max(best, found, key=_worth)
    return best


def find_quote(text: str, quote: str) -> CheckedQuote:
    """Find a quote in a text: the words as they are, normalised, or the most like them."""
    quote = quote.strip()
    start = text.find(quote)
    if start >= 0:
        return CheckedQuote("exact", start, start + len(quote), quote, 1.0)
    match = re.search(_pattern(quote), text)
    if match is not None:
        return CheckedQuote("normalised", match.start(), match.end(), match[0], 1.0)
    likeness, start, end = most_like(quote, text)
    if likeness < _LEAST_LIKE:
        return ABSENT
    end -= len(text[start:end]) - len(text[start:end].rstrip())
    start += len(text[start:end]) - len(text[start:end].lstrip())
    # A word is not cut.
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return CheckedQuote("nearest", start, end, text[start:end], round(likeness, 3))


def _worth(found: CheckedQuote) -> tuple[bool, float]:
    return found.verdict == "normalised", found.similarity


def _pattern(quote: str) -> str:
    """The pattern of a quote with any white space and any quotation marks."""
    words = []
    for word in quote.split():
        marks = [
            f"[{_SINGLE}]" if mark in _SINGLE else f"[{_DOUBLE}]" if mark in _DOUBLE else None
            for mark in word
        ]
        words.append("".join(each or re.escape(c) for each, c in zip(marks, word, strict=True)))
    return r"\s+".join(words)


async def _windows(passages: Passages, overlap: int) -> AsyncIterator[tuple[int, str]]:
    """The text in parts, each with its start, that share what a quote at an end needs."""
    start, length = 0, passages.text.length
    while start < length:
        end = min(length, start + MOST_CHARS)
        yield start, await passages.piece(start, end)
        if end == length:
            return
        start = end - overlap
