"""EDGAR's identifiers and addresses: accession numbers, CIKs, form types, our document ids, URLs.

An accession number is that of a submission: 10 digits of who sent it, 2 of the year and 6 of a
serial number, with dashes between them; some write it without. A CIK is that of a company or
person, of up to 10 digits, and here always of 10. The id of a document is the accession number of
its submission, a dash and the document's number there. All digits are ASCII's.
"""

import re
from urllib.parse import quote

# A part of other patterns, of texts and of bytes: what it means depends on no flag.
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
    """Say whether this is an accession number with its dashes, and nothing else."""
    return _ACCESSION_NUMBER.fullmatch(text) is not None


def parse_accession_number(text: str) -> str | None:
    """An accession number with its dashes, wherever it came without; None for anything else."""
    match = _WITH_OR_WITHOUT_DASHES.fullmatch(text)
    return "-".join(match.groups()) if match else None


def accession_number_in(text: str) -> str | None:
    """The first accession number in a text, with its dashes; None if there is none."""
    match = _ACCESSION_NUMBER.search(text)
    return match.group() if match else None


def root_form(form_type: str) -> str:
    """The form type that an amendment amends: `10-K` of `10-K/A`, and of `10-K` itself."""
    return form_type.removesuffix("/A") or form_type


def parse_cik(text: str) -> str | None:
    """A CIK of 1 to 10 digits with 10; None for anything else."""
    return text.zfill(10) if _CIK.fullmatch(text) else None


def format_cik(number: int) -> str:
    """A CIK that came as a number, with 10 digits."""
    return f"{number:010d}"


def document_id(accession_number: str, number: int) -> str:
    """The id of a submission's document by the number that it has there."""
    return f"{accession_number}-{number}"


def split_document_id(document_id: str) -> tuple[str, int]:
    """The inverse of `document_id`."""
    accession_number, _, number = document_id.rpartition("-")
    return accession_number, int(number)


def is_document_id(text: str) -> bool:
    """Say whether this could be the id of a document, and nothing else."""
    return _DOCUMENT_ID.fullmatch(text) is not None


def accession_of(document_id: str) -> str:
    """The accession number in a document's id."""
    return document_id.rpartition("-")[0]


def submission_path(cik: str, accession_number: str) -> str:
    """Where EDGAR keeps a submission for one of its entities, below `/Archives/`."""
    return f"edgar/data/{int(cik)}/{accession_number}.txt"


_ARCHIVES = "https://www.sec.gov/Archives/edgar/data"


def document_address(accession_number: str, cik: str | None, file_name: str) -> str:
    """Return where the SEC shows a document.

    One without a file name stands in the whole submission, whose address it is then. Any entity of
    the filing will do for `cik`; without one the number's own filer agent stands there.
    """
    folder = f"{_ARCHIVES}/{int(cik or accession_number[:10])}"
    if not file_name:
        return f"{folder}/{accession_number}.txt"
    return f"{folder}/{accession_number.replace('-', '')}/{quote(file_name)}"
