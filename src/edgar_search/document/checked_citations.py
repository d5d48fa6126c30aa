"""Citations checked by their words against a document's present text.

A hash alone proves nothing about the words beside it, so words are always compared.
"""

from typing import NamedTuple

from edgar_search.document.citations import (
    MAX_QUOTE,
    Citation,
    CitationStatus,
    find_citation,
    locate,
)
from edgar_search.document.quotes import MIN_QUOTE, check_quote, cuts_a_word, whole_words
from edgar_search.document.text import MOST_CHARS, Passages

# Characters around a position, apart from the words, in which the words are searched.
_MARGIN = 60


class GivenCitation(NamedTuple):
    """A citation as a reader gives it; "" and None mean that a part is not given.

    `words` are the cited words, perhaps with more of the text around them. They are from `start` to
    `end`, in code points.
    """

    document_id: str
    start: int | None = None
    end: int | None = None
    sha256: str = ""
    prefix: str = ""
    quote: str = ""
    suffix: str = ""
    words: str = ""

    @property
    def has_words(self) -> bool:
        """True if the citation has the cited words."""
        return bool(self.quoted or self.prefix or self.suffix)

    @property
    def quoted(self) -> str:
        """The words that the citation says it quotes, perhaps with more text around them."""
        return self.quote or self.words


class CheckedCitation(NamedTuple):
    """A verdict with the position that it is about, if the words are still in the text."""

    status: CitationStatus
    start: int | None = None
    end: int | None = None


GONE = CheckedCitation("gone")


async def check_citation(passages: Passages, given: GivenCitation) -> CheckedCitation:
    """Find a citation in a text: at its position, else elsewhere, else the text most like it.

    Words that are found, but begin or end within a word or number of the text, count as changed.
    Makes up to eight engine requests, and one for each 100,000 characters if it has words from
    around its position. Raises TextChanging.
    """
    checked = await _find(passages, given)
    start, end = checked.start, checked.end
    if checked.status not in ("same", "moved") or start is None or end is None or not given.quoted:
        return checked
    first = max(0, start - _MARGIN)
    near = await passages.piece(first, min(passages.text.length, end + _MARGIN))
    if not cuts_a_word(near, start - first, end - first):
        return checked
    start, end = whole_words(near, start - first, end - first)
    return CheckedCitation("changed", first + start, first + end)


async def _find(passages: Passages, given: GivenCitation) -> CheckedCitation:
    if await _stands(passages, given):
        return CheckedCitation("same", given.start, given.end)
    if given.words:
        return await _find_words(passages, given)
    if given.start is None or given.end is None:
        if given.prefix or given.suffix:
            # The words may occur several times: the text on both sides tells which are meant.
            located = await locate(passages, _citation(given))
            if located.status in ("same", "moved"):
                return CheckedCitation("same", located.start, located.end)
        return await _find_quote(passages, given.quote, "same")
    if not given.has_words:
        return GONE
    located = await locate(passages, _citation(given))
    # The text is the same, and its words were compared: they are not the ones quoted.
    return CheckedCitation(located.status, located.start, located.end)


async def _stands(passages: Passages, given: GivenCitation) -> bool:
    """Return True if the words are at the position.

    Without words, return True if the text is the cited one.
    """
    start, end, length = given.start, given.end, passages.text.length
    if start is None or end is None or not start < end <= length or end - start > MOST_CHARS // 2:
        return False
    if not given.has_words:
        return given.sha256 == passages.text.sha256
    around = len(given.words) + _MARGIN
    first = max(0, start - around)
    near = await passages.piece(first, min(length, end + around))
    before, text, after = (
        _squeezed(part)
        for part in (near[: start - first], near[start - first : end - first], near[end - first :])
    )
    quote = _squeezed(given.quote)
    quoted = text == quote or (len(given.quote) >= MAX_QUOTE and text.startswith(quote))
    return (
        (not quote or quoted)
        and before.endswith(_squeezed(given.prefix))
        and after.startswith(_squeezed(given.suffix))
        and _spans(before + text + after, _squeezed(given.words), len(before), len(text))
    )


def _spans(text: str, words: str, start: int, length: int) -> bool:
    """Return True if the words are in the text and extend from `start` over `length` characters."""
    if not words:
        return True
    start_found = text.find(words)
    while 0 <= start_found <= start:
        if start_found + len(words) >= start + length:
            return True
        start_found = text.find(words, start_found + 1)
    return False


async def _find_words(passages: Passages, given: GivenCitation) -> CheckedCitation:
    """Find the words with the text around them, and the quotation within these."""
    status: CitationStatus = "same" if given.start is None else "moved"
    found = await _find_quote(passages, given.words[:MAX_QUOTE], status)
    if found.start is None or found.end is None or found.status == "changed" or not given.quote:
        return found
    text = await passages.piece(found.start, found.end)
    inside = find_citation([(found.start, text)], _citation(given))
    if inside.status in ("same", "moved"):
        return CheckedCitation(status, inside.start, inside.end)
    # The quotation is not among the words that the citation shows.
    return CheckedCitation("changed", found.start, found.end)


async def _find_quote(passages: Passages, quote: str, found: CitationStatus) -> CheckedCitation:
    if len(quote) < MIN_QUOTE:
        return GONE
    checked = await check_quote(passages, quote)
    if checked.verdict == "absent":
        return GONE
    status = "changed" if checked.verdict == "nearest" else found
    return CheckedCitation(status, checked.start, checked.end)


def _citation(given: GivenCitation) -> Citation:
    start = given.start or 0
    length = len(given.quote) if given.end is None else max(0, given.end - start)
    return Citation(start, length, given.prefix, given.quote, given.suffix)


def _squeezed(text: str) -> str:
    """Return a text without white space, which does not count."""
    return "".join(text.split())
