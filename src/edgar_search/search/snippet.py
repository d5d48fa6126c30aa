"""The part of a marked passage that a hit shows."""

import html
from collections import Counter
from typing import NamedTuple

# Around marked text in a reply: noncharacters, which no text in Unicode holds.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"
# Characters of text, without marks and ellipses.
MAX_LENGTH = 300
ELLIPSIS = "..."


class Span(NamedTuple):
    """A piece of text, by code points; `end` is exclusive."""

    start: int
    end: int


def snippet(marked: str, start_mark: str, end_mark: str, *, begins: bool, ends: bool) -> str:
    """The best part of a passage as HTML: escaped text, with `<mark>` as the only markup.

    `begins` and `ends` say that the passage begins or ends its document's text; elsewhere an
    ellipsis says that text was left out. The part with the most different marked words wins, the
    first of equals; it is cut at white space.
    """
    text, spans = unmark(marked, start_mark, end_mark)
    if not spans:
        return _rendered(text, _at_blanks(text, Span(0, MAX_LENGTH)), [], begins, ends)
    best = _best(text, spans)
    if best.end - best.start > MAX_LENGTH:
        best = Span(best.start, best.start)  # A phrase too long to be shown whole: its beginning.
    return _rendered(text, _at_blanks(text, _around(best, len(text)), best), spans, begins, ends)


def unmark(marked: str, start_mark: str, end_mark: str) -> tuple[str, list[Span]]:
    """The text without marks, and where it was marked."""
    before, *pieces = marked.split(start_mark)
    texts = [before]
    spans: list[Span] = []
    length = len(before)
    for piece in pieces:
        inside, _, outside = piece.partition(end_mark)
        if inside:
            spans.append(Span(length, length + len(inside)))
        texts += (inside, outside)
        length += len(inside) + len(outside)
    return "".join(texts), spans


def _best(text: str, spans: list[Span]) -> Span:
    """From the first to the last mark of the part that shows the most different words.

    One pass, as a passage may have hundreds of marks: `first` follows `last` at most `MAX_LENGTH`
    behind.
    """
    words = [text[span.start : span.end].casefold() for span in spans]
    shown: Counter[str] = Counter()
    best, best_count = spans[0], (0, 0)
    first = 0
    for last, span in enumerate(spans):
        shown[words[last]] += 1
        while span.end - spans[first].start > MAX_LENGTH and first < last:
            shown[words[first]] -= 1
            if not shown[words[first]]:
                del shown[words[first]]
            first += 1
        count = (len(shown), last - first + 1)
        if count > best_count and span.end - spans[first].start <= MAX_LENGTH:
            best, best_count = Span(spans[first].start, span.end), count
    return best


def _around(core: Span, length: int) -> Span:
    """The core with what else fits, the same on both sides where there is enough text."""
    spare = MAX_LENGTH - (core.end - core.start) if core.end > core.start else 0
    start = max(0, min(core.start - spare // 2, max(core.start - spare, length - MAX_LENGTH)))
    return Span(start, min(length, start + MAX_LENGTH))


def _at_blanks(text: str, span: Span, core: Span | None = None) -> Span:
    """The span without words that it cuts, and without blanks at its ends; the core stays whole."""
    start, end = span.start, min(span.end, len(text))
    first, last = (core.start, core.end) if core else (start, start)
    if start > 0 and not text[start - 1].isspace():
        while start < first and not text[start].isspace():
            start += 1
    if end < len(text) and not text[end].isspace():
        cut = end
        while cut > max(last, start) and not text[cut - 1].isspace():
            cut -= 1
        end = cut if cut > start else end
    while start < first and text[start].isspace():
        start += 1
    while end > max(last, start) and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _rendered(text: str, part: Span, spans: list[Span], begins: bool, ends: bool) -> str:
    pieces = ["" if begins and not text[: part.start].strip() else ELLIPSIS]
    place = part.start
    for span in _shown(spans, part):
        start, end = max(span.start, place), min(span.end, part.end)
        pieces += (_escaped(text[place:start]), f"<mark>{_escaped(text[start:end])}</mark>")
        place = end
    pieces.append(_escaped(text[place : part.end]))
    pieces.append("" if ends and not text[part.end :].strip() else ELLIPSIS)
    return "".join(pieces)


def _shown(spans: list[Span], part: Span) -> list[Span]:
    """The marks that the part shows whole; where there is none, the one that it shows most of."""
    whole = [span for span in spans if span.start >= part.start and span.end <= part.end]
    return whole or [span for span in spans if span.start < part.end and span.end > part.start]


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
