"""Exhibits of a current report: what its lists say, and the filing's documents."""

import re
from collections.abc import Sequence

from edgar_search.edgar.submission import Document
from edgar_search.stored.filing import FilingExhibit
from ingest.reading.eight_k.exhibit_numbers import exhibit_number, major

_XBRL = re.compile(r"EX-10[01]\.")
# What says no more than the exhibit's number, as filing agents write it.
_NUMBER_ALONE = re.compile(
    r"(?:ex|exhibits?)?[\s.-]*(?:no\.?\s*)?[0-9]{1,3}[\w.()-]{0,8}", re.IGNORECASE
)


def attached_exhibits(documents: Sequence[Document]) -> dict[str, Document]:
    """The filing's exhibits by number; of two with one number the first counts."""
    found: dict[str, Document] = {}
    for document in documents:
        form_type = document.form_type.upper()
        if form_type.startswith("EX-") and not _XBRL.match(form_type):
            written = form_type.removeprefix("EX-")
            found.setdefault(exhibit_number(written) or written.lower(), document)
    return found


def filing_exhibits(
    listed: dict[str, str], attached: dict[str, Document]
) -> dict[str, FilingExhibit]:
    """The exhibits of a filing by number: those listed, then documents that no list has.

    A whole number beside "23.1" in the list is that of a page or of a note, and is left out.
    """
    left = dict(attached)
    exhibits: dict[str, FilingExhibit] = {}
    for number, description in listed.items():
        divided = any(n != number and major(n) == number for n in listed)
        if number in left or not (number.isdecimal() and divided):
            exhibits[number] = _exhibit(number, description, left.pop(number, None))
    for number, document in left.items():
        other = _same_exhibit(number, exhibits)
        exhibits[other or number] = _exhibit(
            other or number, listed[other] if other else "", document
        )
    return exhibits


def _same_exhibit(number: str, exhibits: dict[str, FilingExhibit]) -> str | None:
    """What a list calls an exhibit whose document says "EX-99" or "EX-99.1" for "99.1" or "99"."""
    same = [n for n, e in exhibits.items() if major(n) == major(number) and e.document_id is None]
    alike = number == major(number) or same == [major(number)]
    return same[0] if len(same) == 1 and alike else None


def _exhibit(number: str, description: str, document: Document | None) -> FilingExhibit:
    """An exhibit; where no list describes it, by what the filing says of its document."""
    if not description and document and not _NUMBER_ALONE.fullmatch(document.description.strip()):
        description = document.description
    return FilingExhibit(
        number,
        description,
        document.document_id if document else None,
        document.file_name if document else "",
    )
