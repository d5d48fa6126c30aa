"""Exhibits of a current report, from the lists in its text and from the filing's documents."""

import re
from collections.abc import Collection, Iterator, Sequence

from edgar_search.edgar.submission import Document
from edgar_search.stored.filings import FilingExhibit
from ingest.reading.sections.report_text import ReportText

# The numbers of Item 601 of Regulation S-K that a current report may have.
_NUMBERS = frozenset(
    map(str, (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25))
) | frozenset(map(str, (26, 27, 28, 33, 34, 35, 36, 95, 96, 97, 99, 100, 101, 102, 103, 104, 106)))
_LETTER = r"\([a-z0-9]{1,3}\)"
_ONE = rf"[0-9]{{1,3}}(?:\.[0-9]{{1,3}}(?:[a-z]\b)?)?(?:\s?{_LETTER})?"
# After the first number, only parts that certainly belong to an exhibit: with a point, or a letter
# alone.
_NEXT = rf"(?:[0-9]{{1,3}}\.[0-9]{{1,3}}(?:[a-z]\b)?(?:\s?{_LETTER})?|{_LETTER})"
_JOIN = r"\s*(?:,\s*and\b|,|&|-|–|—|\band\b|\bto\b|\bthrough\b)\s*(?:exhibits?\s+)?"
# One number or several: "99.1", "99.1 and 99.2", "99.4(a)-(c)", "10.1 through 10.4".
WRITTEN = rf"{_ONE}(?:{_JOIN}{_NEXT})*(?![0-9])"
_PIECES = re.compile(
    rf"(?P<range>-|–|—|\bto\b|\bthrough\b)|(?P<one>{_ONE})|(?P<letter>{_LETTER})", re.I
)
# It begins with a set of letters, which the engine can search for fast.
_MENTION = re.compile(
    rf"[Ee](?<!\w[Ee])(?i:xhibits?\s+(?:nos?\.?\s+|numbers?\s+)?(?P<written>{WRITTEN}))"
)
_DECIMAL = re.compile(r"([0-9]{1,3}\.)([0-9]{1,3})")
_LETTERED = re.compile(r"(.*\()([a-z])\)")
_MOST = 40  # numbers of a range


def exhibit_number(written: str) -> str | None:
    """Return an exhibit's number without blanks, None for other numbers."""
    number = re.sub(r"\s|\.(?=\()", "", written).lower()
    return number if major(number) in _NUMBERS else None


def major(number: str) -> str:
    """Return the part before the point or the letter: "99" for "99.1" and "99(a)"."""
    return re.split(r"[.(-]", number)[0]


def exhibit_numbers(written: str) -> list[str]:
    """Return the numbers meant by "99.1 and 99.2" or "99.4(a)-(c)", in order."""
    numbers: list[str] = []
    ranges = False
    for piece in _PIECES.finditer(written):
        if piece["range"]:
            ranges = True
            continue
        number = exhibit_number(_complete(piece, numbers))
        if number is not None:
            numbers += _fill_range(numbers[-1], number) if ranges and numbers else []
            numbers.append(number)
        ranges = False
    return numbers


def mentioned_exhibits(text: str) -> list[str]:
    """Return the numbers of the exhibits that a text mentions, in order, without duplicates."""
    numbers = (number for m in _MENTION.finditer(text) for number in exhibit_numbers(m["written"]))
    return list(dict.fromkeys(numbers))


def _complete(piece: re.Match[str], before: list[str]) -> str:
    """Return a number as written, or complete a lone letter with the number before it."""
    if piece["one"]:
        return piece["one"]
    return f"{before[-1].partition('(')[0]}{piece['letter']}" if before else ""


def _fill_range(first: str, last: str) -> Iterator[str]:
    """Yield the numbers between the ends of a range."""
    for pattern, value, back in ((_DECIMAL, int, str), (_LETTERED, ord, chr)):
        one, other = pattern.fullmatch(first), pattern.fullmatch(last)
        if one and other and one[1] == other[1]:
            end = ")" if pattern is _LETTERED else ""
            for step in list(range(value(one[2]) + 1, value(other[2])))[:_MOST]:
                yield f"{one[1]}{back(step)}{end}"


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
# The texts of columns beside the description.
_COLUMN = re.compile(
    r"(?:pages?\s*)?[a-h]?-?[0-9]{1,3}|[*†+x–—-]{1,3}|\(?[0-9]\)"
    r"|(?:filed|furnished|attached|included)"
    r"(?: (?:here ?with|with this .{3,20}|electronically))?\.?",
    re.IGNORECASE,
)
_PAGE_FOOT = re.compile(r" - ?[0-9]{1,3} ?-$| -[0-9]{1,3}-$")
_RULER = re.compile(r"[-–—_=]{3,}")
_LEADERS, _FEWEST_LEADERS = "._·… \t", 3
_PAGE_WORD = re.compile(r"(?<=\s)pages?\s{1,3}$", re.IGNORECASE)
# The gap between prose and its page number is one blank in the searchable text.
_FULL_STOP = re.compile(r"[A-Za-z]{3}\. $")
_OPEN = re.compile(
    r"(?:[,;(–—-]|\b(?:of|and|or|the|by|between|to|for|in|with|among|an?|dated|as|from|on|at|its))$",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{3}|[^\W\d_].*[^\W\d_].*[^\W\d_]")
_MAX_LINES, _MAX_LINE, _MAX_DESCRIPTION = 8, 1_000, 400
_MOST_PAGES = 100  # pages of a report; "104" is an exhibit
_MAX_BETWEEN = 15  # lines without an exhibit that end a list


def lines_of(report: ReportText, at: int, stop: int, limit: int) -> list[str]:
    """Return the lines from `at` to `stop`, at most `limit` characters; tabs separate cells.

    In plain text blank lines are kept, and each line begins with a blank.
    """
    if not report.is_plain:
        lines = report.after(at, limit, stop).split("\n")
    else:
        lines = [f" {line}" for line in report.text[at : min(stop, at + limit)].split("\n")]
    return [line[:_MAX_LINE] for line in lines]


def listed_exhibits(
    lines: list[str], attached: Collection[str], *, index: bool = False
) -> dict[str, str]:
    """Return number and description of the exhibits that lines list, each once.

    A whole number counts only if the lines are an `index` of exhibits, if it belongs to one of the
    filing's documents (`attached`), or if the line says "Exhibit": others number pages, notes and
    years.
    """
    descriptions: dict[str, list[str]] = {}
    current: list[str] | None = None
    since = 0
    for line in _skip_to_list(lines, attached):
        entry = _entry(line, attached, index)
        since = 0 if entry else since + 1
        if since > _MAX_BETWEEN and (descriptions or index):
            break
        if entry:
            numbers, description = entry
            current = [description] if description else []
            descriptions.update(
                {number: current for number in numbers if not descriptions.get(number)}
            )
        elif current is not None and not _continues_line(current, line):
            current = None
        elif current is not None and line.strip():
            current.append(_trim_description(line))
    return {
        number: " ".join(texts)[:_MAX_DESCRIPTION].strip() for number, texts in descriptions.items()
    }


def _skip_to_list(lines: list[str], attached: Collection[str]) -> Iterator[str]:
    """Yield the lines after the last heading "(c) Exhibits" with a list, or else all lines."""
    headings = [n for n, line in enumerate(lines) if _SUBHEADING.fullmatch(_single_spaces(line))]
    for number in reversed(headings):
        following = lines[number + 1 : number + _MAX_BETWEEN]
        if any(_entry(line, attached, index=False) for line in following):
            return iter(lines[number + 1 :])
    return iter(lines)


def _entry(line: str, attached: Collection[str], index: bool) -> tuple[list[str], str] | None:
    """Parse the numbers and the description of a line that begins with an exhibit's number."""
    match = _ENTRY.fullmatch(line.replace("\xa0", " ").strip())
    numbers = exhibit_numbers(match["written"]) if match else []
    if match is None or not numbers:
        return None
    first, called = numbers[0], match["word"] is not None
    description = match["description"] or ""
    is_exhibit = called or (index and description) or first in map(major, attached)
    if first.isdecimal() and int(first) <= _MOST_PAGES and not is_exhibit:
        return None
    if description and not _describes(description, first, called and bool(match["mark"].strip())):
        return None
    return numbers, _trim_description(description)


def _describes(text: str, number: str, called: bool) -> bool:
    """Return True if the text after a number describes an exhibit, not continuing a sentence."""
    if not _LETTERS.search(text):
        return False
    if text[:1].isdecimal():
        return called or "." in number
    return called or text[:1].isupper() or text[:1] in "\"“'‘(*†["


def _continues_line(texts: list[str], line: str) -> bool:
    """Return True if a line continues the description of the line before it.

    In plain text, whose lines begin with a blank, each line does so up to an empty one.
    """
    text = _single_spaces(line)
    if not texts and not text:
        return True
    if _END.match(text) or len(texts) == _MAX_LINES:
        return False
    return not texts or line[:1] == " " or text[:1].islower() or bool(_OPEN.search(texts[-1]))


def _trim_description(text: str) -> str:
    """Remove page numbers, leaders and further columns from a description."""
    cells = [cell for piece in text.split("\t") if (cell := piece.strip())]
    while len(cells) > 1 and _COLUMN.fullmatch(_single_spaces(cells[-1])):
        cells.pop()
    words = _remove_page(" ".join(cells)).split()
    trimmed = " ".join([word for word in words if not _RULER.fullmatch(word)])
    return _PAGE_FOOT.sub("", trimmed).rstrip("_ ")


def _remove_page(text: str) -> str:
    """Remove the page number after a leader or after a gap."""
    before = text.rstrip().rstrip("0123456789")
    bare = before.rstrip(_LEADERS)
    leader = before[len(bare) :]
    if len(leader) - leader.count(" ") - leader.count("\t") >= _FEWEST_LEADERS:
        return f"{bare}." if leader.startswith(". ") else bare
    is_page = len(text.rstrip()) - len(before) in (1, 2, 3)
    before = _PAGE_WORD.sub("  ", before)
    behind_gap = before.endswith("  ") or _FULL_STOP.search(before)
    return before.rstrip() if is_page and behind_gap else text


def _single_spaces(text: str) -> str:
    return " ".join(text.split())


_XBRL = re.compile(r"EX-10[01]\.")
# A description that only repeats the exhibit's number, as filing agents write it.
_NUMBER_ALONE = re.compile(
    r"(?:ex|exhibits?)?[\s.-]*(?:no\.?\s*)?[0-9]{1,3}[\w.()-]{0,8}", re.IGNORECASE
)


def attached_exhibits(documents: Sequence[Document]) -> dict[str, Document]:
    """Return the filing's exhibits by number; the first of several with one number."""
    exhibits: dict[str, Document] = {}
    for document in documents:
        form_type = document.form_type.upper()
        if form_type.startswith("EX-") and not _XBRL.match(form_type):
            written = form_type.removeprefix("EX-")
            exhibits.setdefault(exhibit_number(written) or written.lower(), document)
    return exhibits


def filing_exhibits(
    listed: dict[str, str], attached: dict[str, Document]
) -> dict[str, FilingExhibit]:
    """Return a filing's exhibits by number: listed ones, then documents in no list.

    A whole number beside "23.1" in the list counts a page or a note, and is left out.
    """
    unlisted = dict(attached)
    exhibits: dict[str, FilingExhibit] = {}
    for number, description in listed.items():
        divided = any(n != number and major(n) == number for n in listed)
        if number in unlisted or not (number.isdecimal() and divided):
            exhibits[number] = _exhibit(number, description, unlisted.pop(number, None))
    for number, document in unlisted.items():
        other = _listed_number(number, exhibits)
        exhibits[other or number] = _exhibit(
            other or number, listed[other] if other else "", document
        )
    return exhibits


def _listed_number(number: str, exhibits: dict[str, FilingExhibit]) -> str | None:
    """Return the listed number of a document's exhibit: "99.1" for "99", or "99" for "99.1"."""
    same = [n for n, e in exhibits.items() if major(n) == major(number) and e.document_id is None]
    alike = number == major(number) or same == [major(number)]
    return same[0] if len(same) == 1 and alike else None


def _exhibit(number: str, description: str, document: Document | None) -> FilingExhibit:
    """Make an exhibit, described by the list, else by the filing's description of its document."""
    if not description and document and not _NUMBER_ALONE.fullmatch(document.description.strip()):
        description = document.description
    return FilingExhibit(
        number,
        description,
        document.document_id if document else None,
        document.file_name if document else "",
    )
