"""Addresses of what is filed on the SEC's site."""

from urllib.parse import quote

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
