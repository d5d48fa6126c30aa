"""Lists of exhibits in the text of a current report: numbers, each with its description."""

import html
import re
from collections.abc import Collection, Iterator

from ingest.reading.eight_k.exhibit_numbers import WRITTEN, exhibit_numbers, major
from ingest.reading.sections.markup import Markup

_ENTRY = re.compile(
    rf"[*†+^#]{{0,2}}\s*(?:\([a-z]\)\s*)?(?P<word>exhibits?\s*)?(?:no\.?\s*)?(?P<written>{WRITTEN})[*†+^#]{{0,3}}"
    r"(?P<mark>\s*[:.)–—-]*)(?:\s+(?P<description>.*)|$)",
    re.IGNORECASE,
)
_SUBHEADING = re.compile(
    r"(?:\(?[a-e]\)?\.?\s*)?exhibits?\b(?:[\s.:;*]|\bindex\b)*$", re.IGNORECASE
)
_END = re.compile(
    r"signatures?\b|pursuant to the req|exhibits? index|index to|\*|\([a-z]\)\s|item\s|exhibit$"
    r"|[-–—_= ]*(?:[0-9]{1,3}[-–— ]*)?$|(?:exhibit )?(?:number|no\.?)\b|description\b",
    re.IGNORECASE,
)
# What stands in a column beside the description.
_COLUMN = re.compile(
    r"(?:pages?\s*)?[a-h]?-?[0-9]{1,3}|[*†+x–—-]{1,3}|\(?[0-9]\)"
    r"|(?:filed|furnished|attached|included)"
    r"(?: (?:here ?with|with this .{3,20}|electronically))?\.?",
    re.IGNORECASE,
)
_PAGE_FOOT = re.compile(r" - ?[0-9]{1,3} ?-$| -[0-9]{1,3}-$")
_RULER = re.compile(r"[-–—_=]{4,}")
_LEADERS, _FEWEST_LEADERS = "._·… \t", 3
# Two blanks or more are before a page number in plain text.
_PAGE_WORD = re.compile(r"(?<=  )pages?\s{1,3}$", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:[,;(–—-]|\b(?:of|and|or|the|by|between|to|for|in|with|among|an?|dated|as|from|on|at|its))$",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{3}|[^\W\d_].*[^\W\d_].*[^\W\d_]")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_MAX_LINES, _MAX_LINE, _MAX_DESCRIPTION = 8, 1_000, 400
_MOST_PAGES = 100  # of a report; "104" is an exhibit
_MAX_BETWEEN = 15  # lines without an exhibit, behind which a list is over


def lines_of(markup: Markup, at: int, stop: int, limit: int) -> list[str]:
    """The lines from `at` to `stop`, `limit` characters of them; cells are apart by tabs.

    Those of plain text are with the blank ones, and each begins with a blank.
    """
    if not markup.has_lines(at):
        lines = markup.after(at, limit, stop).split("\n")
    else:
        text = markup.raw[at : min(stop, at + 2 * limit)].decode("utf-8", errors="replace")
        lines = [f" {line}" for line in html.unescape(_TAG.sub("", text)).splitlines()]
    return [line[:_MAX_LINE] for line in lines]


def listed_exhibits(
    lines: list[str], attached: Collection[str], *, index: bool = False
) -> dict[str, str]:
    """Number and description of the exhibits that lines list, each once.

    A whole number is of an exhibit only where the lines are an `index` of exhibits, it is one of
    the filing's documents (`attached`), or the line says "Exhibit": others are of pages, notes and
    years.
    """
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    since = 0
    for line in _from_list(lines, attached):
        entry = _entry(line, attached, index)
        since = 0 if entry else since + 1
        if since > _MAX_BETWEEN and (found or index):
            break
        if entry:
            numbers, description = entry
            current = [description] if description else []
            found.update({number: current for number in numbers if not found.get(number)})
        elif current is not None and not _goes_on(current, line):
            current = None
        elif current is not None and line.strip():
            current.append(_described(line))
    return {number: _joined(texts) for number, texts in found.items()}


def _from_list(lines: list[str], attached: Collection[str]) -> Iterator[str]:
    """The lines from the last heading "(c) Exhibits" on that has a list, else all of them."""
    headings = [n for n, line in enumerate(lines) if _SUBHEADING.fullmatch(_spaced(line))]
    for number in reversed(headings):
        following = lines[number + 1 : number + _MAX_BETWEEN]
        if any(_entry(line, attached, index=False) for line in following):
            return iter(lines[number + 1 :])
    return iter(lines)


def _entry(line: str, attached: Collection[str], index: bool) -> tuple[list[str], str] | None:
    """The numbers and the description of a line that begins with the number of an exhibit."""
    match = _ENTRY.fullmatch(line.replace("\xa0", " ").strip())
    numbers = exhibit_numbers(match["written"]) if match else []
    if match is None or not numbers:
        return None
    first, called = numbers[0], match["word"] is not None
    description = match["description"] or ""
    known = called or (index and description) or first in map(major, attached)
    if _may_be_a_page(first) and not known:
        return None
    if description and not _describes(description, first, called and bool(match["mark"].strip())):
        return None
    return numbers, _described(description)


def _may_be_a_page(number: str) -> bool:
    return number.isdecimal() and int(number) <= _MOST_PAGES


def _describes(text: str, number: str, called: bool) -> bool:
    """Whether a text after a number describes an exhibit, and does not go on with a sentence."""
    if not _LETTERS.search(text):
        return False
    if text[:1].isdecimal():
        return called or "." in number
    return called or text[:1].isupper() or text[:1] in "\"“'‘(*†["


def _goes_on(texts: list[str], line: str) -> bool:
    """Whether a line goes on with the description of the one before it.

    In plain text, whose lines begin with a blank, each does up to an empty one.
    """
    text = _spaced(line)
    if not texts and not text:
        return True
    if _END.match(text) or len(texts) == _MAX_LINES:
        return False
    return not texts or line[:1] == " " or text[:1].islower() or bool(_OPEN.search(texts[-1]))


def _described(text: str) -> str:
    """A description without page numbers, leaders, and what stands in columns beside it."""
    cells = [cell for each in text.split("\t") if (cell := each.strip())]
    while len(cells) > 1 and _COLUMN.fullmatch(_spaced(cells[-1])):
        cells.pop()
    words = _without_page(" ".join(cells)).split()
    shown = " ".join([word for word in words if not _RULER.fullmatch(word)])
    return _PAGE_FOOT.sub("", shown).rstrip("_ ")


def _without_page(text: str) -> str:
    """A line without the page number behind its leader, or behind a gap."""
    before = text.rstrip().rstrip("0123456789")
    bare = before.rstrip(_LEADERS)
    leader = before[len(bare) :]
    if len(leader) - leader.count(" ") - leader.count("\t") >= _FEWEST_LEADERS:
        return f"{bare}." if leader.startswith(". ") else bare
    is_page = len(text.rstrip()) - len(before) in (1, 2, 3)
    before = _PAGE_WORD.sub("  ", before)
    return before.rstrip() if is_page and before.endswith("  ") else text


def _joined(texts: list[str]) -> str:
    return " ".join(texts)[:_MAX_DESCRIPTION].strip()


def _spaced(text: str) -> str:
    return " ".join(text.split())
