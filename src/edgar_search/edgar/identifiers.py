"""EDGAR's identifiers and addresses: accession numbers, CIKs, form types, our document ids, URLs.

An accession number names a submission: 10 digits for the sender, 2 for the year and 6 for a serial
number, separated by dashes, which some writers omit. A CIK names a company or person; it has up to
10 digits, and here always 10. A document's id is the accession number of its submission, a dash and
the document's number there. All digits are ASCII.
"""

import re
from urllib.parse import quote

# For use within other patterns, of texts or bytes: no flag changes its meaning.
ACCESSION_NUMBER = "[0-9]{10}-[0-9]{2}-[0-9]{6}"
WITH_OR_WITHOUT_DASHES = "([0-9]{10})-?([0-9]{2})-?([0-9]{6})"
DOCUMENT_ID = ACCESSION_NUMBER + "-[0-9]{1,9}"
CIK = "[0-9]{1,10}"
PADDED_CIK = "[0-9]{10}"

_ACCESSION_NUMBER = re.compile(ACCESSION_NUMBER)
_WITH_OR_WITHOUT_DASHES = re.compile(WITH_OR_WITHOUT_DASHES)
_DOCUMENT_ID = re.compile(DOCUMENT_ID)
_CIK = re.compile(CIK)


def is_accession_number(text: str) -> bool:
    """Return True if a text is an accession number with its dashes."""
    return _ACCESSION_NUMBER.fullmatch(text) is not None


def parse_accession_number(text: str) -> str | None:
    """Return an accession number with its dashes, given with or without them; else None."""
    match = _WITH_OR_WITHOUT_DASHES.fullmatch(text)
    return "-".join(match.groups()) if match else None


def accession_number_in(text: str) -> str | None:
    """Find the first accession number in a text, with its dashes, or None."""
    match = _ACCESSION_NUMBER.search(text)
    return match.group() if match else None


def root_form(form_type: str) -> str:
    """Return the form type without `/A`: `10-K` for `10-K/A`, and for `10-K` itself."""
    return form_type.removesuffix("/A") or form_type


def parse_cik(text: str) -> str | None:
    """Pad a CIK of 1 to 10 digits to 10 digits; None for any other text."""
    return text.zfill(10) if _CIK.fullmatch(text) else None


def format_cik(number: int) -> str:
    """Format a CIK, given as a number, with 10 digits."""
    return f"{number:010d}"


def document_id(accession_number: str, number: int) -> str:
    """Return the id of a document by its number in its submission."""
    return f"{accession_number}-{number}"


def split_document_id(document_id: str) -> tuple[str, int]:
    """Split a document id into accession number and number; the inverse of `document_id`."""
    accession_number, _, number = document_id.rpartition("-")
    return accession_number, int(number)


def is_document_id(text: str) -> bool:
    """Return True if a text has the form of a document id."""
    return _DOCUMENT_ID.fullmatch(text) is not None


def accession_of(document_id: str) -> str:
    """Return the accession number in a document id."""
    return document_id.rpartition("-")[0]


def submission_path(cik: str, accession_number: str) -> str:
    """Return a submission's path at EDGAR, for one of its entities, below `/Archives/`."""
    return f"edgar/data/{int(cik)}/{accession_number}.txt"


_ARCHIVES = "https://www.sec.gov/Archives/edgar/data"


def document_address(accession_number: str, cik: str | None, file_name: str) -> str:
    """Return the address at which the SEC shows a document.

    A document without a file name is shown as part of its submission. `cik` may be any entity of
    the filing's; by default it is the filer agent in the accession number.
    """
    folder = f"{_ARCHIVES}/{int(cik or accession_number[:10])}"
    if not file_name:
        return f"{folder}/{accession_number}.txt"
    return f"{folder}/{accession_number.replace('-', '')}/{quote(file_name)}"
