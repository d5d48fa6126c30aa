"""Exhibits of a current report: what its lists say, and the filing's documents."""

import re
from collections.abc import Iterable, Sequence

from edgar_search.edgar.submission import Document
from edgar_search.stored.filing import FilingExhibit

# The numbers of Item 601 of Regulation S-K that a current report may have.
_NUMBERS = frozenset(
    map(str, (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25))
) | frozenset(map(str, (26, 27, 28, 33, 34, 35, 36, 95, 96, 97, 99, 100, 101, 102, 103, 104, 106)))
_NUMBER = r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,3})?(?:\s?\([a-z0-9]{1,3}\))?)"
_ENTRY = re.compile(
    rf"(?:\([a-z]\)\s*)?(?:exhibits?\s*)?(?:no\.?\s*)?{_NUMBER}[*†+]{{0,3}}"
    r"(?:\s*[:.)–—-]*\s+|$)(?P<description>.*)",
    re.IGNORECASE,
)
# A set of letters at the beginning is what the engine can look for fast.
_MENTION = re.compile(
    rf"[Ee](?<!\w[Ee])(?i:xhibits?\s+(?:no\.?\s+|numbers?\s+)?{_NUMBER})",
)
_END = re.compile(
    r"signatures?\b|pursuant to the req|exhibits? index|index to|\*|\([a-z]\)\s|item\s",
    re.IGNORECASE,
)
_XBRL = re.compile(r"EX-10[01]\.")
_MAX_LINES, _MAX_DESCRIPTION = 5, 400


def listed_exhibits(text: str) -> dict[str, str]:
    """Number and description of the exhibits that a text lists, one on a line and its next."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.split("\n"):
        line = " ".join(line.split())
        entry = _ENTRY.fullmatch(line)
        number = exhibit_number(entry["number"]) if entry else None
        if entry and number and _describes(entry["description"]):
            current = found.setdefault(number, [])
            if entry["description"]:
                current.append(entry["description"])
        elif not line or _END.match(line):
            current = None
        elif current is not None and len(current) < _MAX_LINES:
            current.append(line)
    return {n: " ".join(lines)[:_MAX_DESCRIPTION].strip() for n, lines in found.items() if lines}


def mentioned_exhibits(text: str) -> list[str]:
    """The numbers of the exhibits that a text mentions, in order, each once."""
    numbers = (exhibit_number(match["number"]) for match in _MENTION.finditer(text))
    return list(dict.fromkeys(number for number in numbers if number))


def exhibit_number(written: str) -> str | None:
    """An exhibit's number without blanks, None for what is none."""
    number = re.sub(r"\s|\.(?=\()", "", written).lower()
    return number if _major(number) in _NUMBERS else None


def _major(number: str) -> str:
    return re.split(r"[.(-]", number)[0]


def filing_exhibits(
    listed: dict[str, str], documents: Sequence[Document]
) -> dict[str, FilingExhibit]:
    """The exhibits of a filing by number: those listed, then documents that no list has.

    A whole number that no document has may be that of a page or of a note, and is left out.
    """
    attached = dict(_attached(documents))
    majors = {_major(number) for number in attached}
    exhibits = {}
    for number, description in listed.items():
        if not number.isdecimal() or int(number) > 100 or number in majors:
            exhibits[number] = _exhibit(number, description, attached.pop(number, None))
    for number, document in attached.items():
        other = _same_exhibit(number, exhibits)
        if other is None:
            exhibits[number] = _exhibit(number, document.description, document)
        else:
            exhibits[other] = _exhibit(other, listed[other], document)
    return exhibits


def _attached(documents: Iterable[Document]) -> Iterable[tuple[str, Document]]:
    for document in reversed(list(documents)):  # of two with one number the first counts
        form_type = document.form_type.upper()
        if form_type.startswith("EX-") and not _XBRL.match(form_type):
            written = form_type.removeprefix("EX-")
            yield exhibit_number(written) or written.lower(), document


def _same_exhibit(number: str, exhibits: dict[str, FilingExhibit]) -> str | None:
    """What a list calls an exhibit whose document says "EX-99" or "EX-99.1" for "99.1" or "99"."""
    major = _major(number)
    same = [n for n, e in exhibits.items() if _major(n) == major and e.document_id is None]
    alike = number == major or same == [major]
    return same[0] if len(same) == 1 and alike else None


def _exhibit(number: str, description: str, document: Document | None) -> FilingExhibit:
    return FilingExhibit(
        number,
        description,
        document.document_id if document else None,
        document.file_name if document else "",
    )


def _describes(description: str) -> bool:
    return not description or description[:1].isupper() or description[:1] in "\"“'‘(*†"
