"""The part of a marked passage that a hit shows."""

import html
import re
from collections import Counter
from typing import NamedTuple

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
    pieces: list[str] = []
    spans: list[Span] = []
    length = start = 0
    for piece in re.split(f"([{start_mark}{end_mark}])", marked):
        if piece == start_mark:
            start = length
        elif piece == end_mark:
            spans.append(Span(start, length))
        else:
            pieces.append(piece)
            length += len(piece)
    return "".join(pieces), [span for span in spans if span.end > span.start]


def _best(text: str, spans: list[Span]) -> Span:
    """From the first to the last mark of the part that shows the most different words."""
    words = [text[span.start : span.end].casefold() for span in spans]
    best, best_count = spans[0], (0, 0)
    shown: Counter[str] = Counter()
    end = 0
    for first, begin in enumerate(spans):
        end = max(end, first)
        while end < len(spans) and spans[end].end - begin.start <= MAX_LENGTH:
            shown[words[end]] += 1
            end += 1
        if (len(shown), end - first) > best_count:
            best_count = (len(shown), end - first)
            best = Span(begin.start, spans[end - 1].end)
        shown -= Counter(words[first : first + 1])
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
    for span in spans:
        start, end = max(span.start, place), min(span.end, part.end)
        if start < end:
            pieces += (_escaped(text[place:start]), f"<mark>{_escaped(text[start:end])}</mark>")
            place = end
    pieces.append(_escaped(text[place : part.end]))
    pieces.append("" if ends and not text[part.end :].strip() else ELLIPSIS)
    return "".join(pieces)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
