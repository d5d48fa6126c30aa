"""Pages of a filed document: their numbers, and the bytes of each.

A page ends at a mark of EDGAR's plain text, at a rule or at a style sheet's page break. Its number
is on its last line or on its first; only numbers that continue from page to page count.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from html import unescape
from itertools import islice, pairwise
from typing import NamedTuple

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.media_type import has_html_tags
from edgar_search.text.place_map import Span

# The number after EDGAR's mark counts pages of the submission, not of the document.
_MARK = re.compile(rb"<page>[ \t]*[0-9]*|<hr\b[^<>]*>")
_STYLED = re.compile(
    rb"<[a-z0-9]+\b[^<>]*page-break-(?:before|after)\s*:\s*always[^<>]*>",
)
_STYLE = b"page-break-"
_LINE_END = re.compile(r"</?(?:p|div|tr|table|br|center|h[1-6]|li|ul|page)\b[^<>]*>", re.I)
_CELL = re.compile(r"</?td\b[^<>]*>", re.I)
_TAG = re.compile(r"(<[^<>]*>)")
_LOOKED_AT = 1_500  # bytes at each end of a page
_LONGEST_LINE = 100
# "12", "- 12 -", "[ 12 ]", "F-12", "Page 12"; at either end of the line.
_LABEL = r"[\[(\-–—|\s]*(?:page\s+)?(?P<prefix>[A-Z]{1,3}- ?)?(?P<number>[0-9]{1,3})[\])\-–—|\s]*"
_AT_BEGIN = re.compile(rf"{_LABEL}(?:$|(?<=[\s\])|]).*)", re.IGNORECASE)
_AT_END = re.compile(rf"(?:.*?[\s\[(|])??{_LABEL}$", re.IGNORECASE)
_MOST_BREAKS = 5_000
_KNOWN_SHARE = 0.6  # the fraction of the pages from first to last
_FEWEST, _LONGEST_STEP = 3, 3  # least numbers in a sequence, and most between two of its pages


class FiledPages:
    """The pages of a document by prefix and number; ("F-", 3) is page F-3."""

    def __init__(self, pages: dict[tuple[str, int], tuple[int, int]]) -> None:
        self._pages = pages

    def last(self, prefix: str) -> int:
        """Return the last number with a prefix, or 0."""
        return max(
            (number for page_prefix, number in self._pages if page_prefix == prefix), default=0
        )

    def span(self, prefix: str, first: int, last: int) -> tuple[int, int] | None:
        """Return the bytes from the first to the last page; None if uncertain.

        Both must be known, and so must most pages between, in order.
        """
        pages = [
            page
            for number in range(first, last + 1)
            if (page := self._pages.get((prefix, number))) is not None
        ]
        are_known = {(prefix, first), (prefix, last)} <= self._pages.keys()
        if (
            not are_known
            or len(pages) < _KNOWN_SHARE * (last + 1 - first)
            or pages != sorted(pages)
        ):
            return None
        return pages[0][0], pages[-1][1]


class _Numbered(NamedTuple):
    """The number of the page after this break."""

    place: int
    prefix: str
    number: int


def filed_pages(body: bytes) -> FiledPages:
    """Find the pages of a document; none if it is uncertain where they begin."""
    breaks = [(0, 0)]
    breaks += _breaks(body.lower())[:_MOST_BREAKS]
    breaks.append((len(body), len(body)))
    is_html = has_html_tags(body)
    feet: list[_Numbered] = []
    heads: list[_Numbered] = []
    for index, ((_, begin), (end, _)) in enumerate(pairwise(breaks)):
        head = _line(body[begin : min(end, begin + _LOOKED_AT)], is_html, 1)
        foot = _line(body[max(begin, end - _LOOKED_AT) : end], is_html, -1)
        feet += [_Numbered(index, *label) for label in _labels(foot)]
        heads += [_Numbered(index, *label) for label in _labels(head)]
    at_foot, at_head = _sequences(feet), _sequences(heads)
    if len(at_foot) == len(at_head):
        return FiledPages({})
    # Numbers at the foot end a page, numbers at the head begin it; breaks within a page have none.
    if len(at_foot) > len(at_head):
        places = [label.place for label in at_foot]
        starts = [_after(places, label.place, breaks) for label in at_foot]
        spans = [(s, breaks[e.place + 1][0]) for s, e in zip(starts, at_foot, strict=True)]
        return FiledPages(_by_number(at_foot, spans))
    places = [label.place for label in at_head]
    ends = [_before(places, label.place, breaks) for label in at_head]
    spans = [(breaks[e.place][1], end) for e, end in zip(at_head, ends, strict=True)]
    return FiledPages(_by_number(at_head, spans))


def _after(known: list[int], index: int, breaks: list[tuple[int, int]]) -> int:
    """Return the beginning of the page whose number precedes the break after `index`."""
    at = bisect_left(known, index)
    return breaks[known[at - 1] + 1 if at else index][1]


def _before(known: list[int], index: int, breaks: list[tuple[int, int]]) -> int:
    at = bisect_left(known, index)
    return breaks[known[at + 1] if at + 1 < len(known) else index + 1][0]


def _by_number(
    numbered: list[_Numbered], spans: list[tuple[int, int]]
) -> dict[tuple[str, int], tuple[int, int]]:
    return {(page.prefix, page.number): span for page, span in zip(numbered, spans, strict=True)}


def _breaks(body: bytes) -> list[Span]:
    """Return the first page breaks of a document in lower case, in order."""
    marks = (match.span() for match in _MARK.finditer(body))
    return sorted({*islice(marks, _MOST_BREAKS), *islice(_styled(body), _MOST_BREAKS)})


def _styled(body: bytes) -> Iterator[Span]:
    """Yield the tags whose style breaks a page; each tag is checked once."""
    at = 0
    while (style := body.find(_STYLE, at)) >= 0:
        tag = body.rfind(b"<", at, style)
        at = style + len(_STYLE)
        if tag >= 0 and (styled := _STYLED.match(body, tag)):
            yield styled.span()
            at = styled.end()


def _line(raw: bytes, is_html: bool, step: int) -> str:
    """Return the first line with text, or the last if `step` is -1; "" if there is none."""
    text = decode_bytes(raw)
    if is_html:
        text = text.replace("\n", " ").replace("\r", " ")
    pieces: list[str] = []
    for number, piece in enumerate(_TAG.split(text)[::step]):
        if number % 2 == 0:
            pieces.append(piece)
        elif _CELL.match(piece):
            pieces.append(" ")
        elif _LINE_END.match(piece):
            if line := _first_line(pieces, step):
                return line
            pieces = []
    return _first_line(pieces, step)


def _first_line(pieces: list[str], step: int) -> str:
    """Return the first line with text from pieces between two line ends, or the last."""
    lines = unescape("".join(pieces[::step])).split("\n")[::step]
    return next((line for piece in lines if (line := " ".join(piece.split()))), "")


def _labels(line: str) -> list[tuple[str, int]]:
    """Return possible page numbers at either end of a line."""
    if not line or len(line) > _LONGEST_LINE:
        return []
    matches = [m for p in (_AT_BEGIN, _AT_END) if (m := p.fullmatch(line))]
    return list(
        dict.fromkeys(((m["prefix"] or "").strip().upper(), int(m["number"])) for m in matches)
    )


def _sequences(numbered: list[_Numbered]) -> list[_Numbered]:
    """Return the numbers of the longest sequence of each prefix, in the order of the document."""
    sequences: list[_Numbered] = []
    for prefix in {page.prefix for page in numbered}:
        sequence = _longest([page for page in numbered if page.prefix == prefix])
        sequences += sequence if len(sequence) >= _FEWEST else []
    return sorted(sequences)


def _longest(numbered: list[_Numbered]) -> list[_Numbered]:
    """Return the longest sequence in which each number is slightly above the one before."""
    best: dict[int, list[int]] = {}  # indices of `numbered`, by the last number
    for at, page in enumerate(numbered):
        before = [
            chain
            for step in range(1, _LONGEST_STEP + 1)
            if (chain := best.get(page.number - step)) and numbered[chain[-1]].place < page.place
        ]
        chain = [*max(before, key=len, default=[]), at]
        if len(chain) > len(best.get(page.number, [])):
            best[page.number] = chain
    return [numbered[at] for at in max(best.values(), key=len, default=[])]
