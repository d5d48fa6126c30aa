"""An annual report that a 10-K has between its exhibits' item and its signatures.

The item itself lists statements and exhibits, and may have the statements. A discussion by the
management is never in it: where one begins, a report of its own has begun before.
"""

import re
from collections.abc import Callable
from itertools import islice, takewhile

from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup
from ingest.reading.sections.words import WordSearch

_LONG = 50_000  # bytes: a shorter item has no such report
_MOST = 2_000  # headings that are looked at for each word
_TEXT = 2_000  # characters of what follows a heading
# A search each: the ends of some are the beginnings of others.
_SEARCHES = {w: WordSearch([w]) for w in (b"management", b"table", b"financial", b"selected")}
_DISCUSSION = re.compile(
    r"management(?:[’']?s)?\s+discussion\s+and\s+analysis\b[^\n\t]{0,90}\n", re.IGNORECASE
)
_FRONT = re.compile(
    r"(?:financial\s+(?:highlights|review|section)"
    r"|selected\s+(?:consolidated\s+)?(?:historical\s+)?financial\s+(?:data|information|highlights))"
    r"\b[^\n\t]{0,40}\n",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"table\s+of\s+contents[\W_]*\n", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}")
_PAGE = re.compile(r"(\d{1,3})[\s.]+[^\W\d].*|.*[^\W\d][^\n]*?[\s.](\d{1,3})")
_FEWEST_PAGES, _LISTED_LINES = 4, 12
_PROSE = re.compile(r"[^\n\t]{45,}")
_PROSE_CHARACTERS = 600


def annual_report_place(markup: Markup, start: int, end: int) -> int | None:
    """Where an annual report begins in the item from `start` to `end`, None where none does."""
    if end - start < _LONG:
        return None
    discussion = _first(markup, b"management", start, end, _is_discussion)
    if discussion is None:
        return None
    contents = _first(markup, b"table", start, discussion, _lists_pages)
    if contents is not None:
        return contents
    fronts = [_first(markup, w, start, discussion, _is_front) for w in (b"financial", b"selected")]
    return min([place for place in fronts if place is not None], default=discussion)


def _first(
    markup: Markup, word: bytes, start: int, end: int, is_wanted: Callable[[str], bool]
) -> int | None:
    """Where the first line before `end` begins that begins with a word and is what is wanted."""
    places = _SEARCHES[word].places(markup.lower, start)[word]
    within = takewhile(lambda place: place < end, places)
    for at, before in islice(line_places(markup, within), _MOST):
        if not before.prefix and is_wanted(markup.after(at, _TEXT, end)):
            return before.start
    return None


def _is_discussion(text: str) -> bool:
    """Whether a discussion has its heading and its text here, and is not only named."""
    if not _DISCUSSION.match(text) or _ends_in_page(text):
        return False
    return sum(map(len, _PROSE.findall(text))) >= _PROSE_CHARACTERS


def _is_front(text: str) -> bool:
    return _FRONT.match(text) is not None and not _ends_in_page(text)


def _ends_in_page(text: str) -> bool:
    """Whether a number, of a page, ends the first line or is all of the next."""
    line, _, rest = text.partition("\n")
    following = rest.partition("\n")[0].strip()
    return line[-1:].isdecimal() or _NUMBER.fullmatch(following) is not None


def _lists_pages(text: str) -> bool:
    """Whether a table of contents has its lines here, and is not a link to it."""
    if not _CONTENTS.match(text):
        return False
    listed = _CONTENTS.split(text, maxsplit=2)[1]
    lines = listed.split("\n")[:_LISTED_LINES]
    pages = [int(m[1] or m[2]) for line in lines if (m := _PAGE.fullmatch(line.strip()))]
    return len(pages) >= _FEWEST_PAGES and pages == sorted(pages)
