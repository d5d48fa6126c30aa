"""Citations as text, HTML and JSON; pure."""

from typing import NamedTuple

import msgspec
from markupsafe import Markup

from edgar_search.document.citations import MAX_QUOTE
from edgar_search.search.filings import address_at_edgar
from edgar_search.stored.filings import FilingDocument, StoredFiling
from edgar_search.web.pages.links import cited_address

# Digits of a text's hash that people compare.
CHECK_CODE = 8
_EXHIBIT = "EX-"
_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()


class Copies(NamedTuple):
    """A citation in each form, and the parts of its plain text.

    `source` is the short form, `edgar` the document's address at EDGAR, `place` the position of the
    words and the check code, which is the beginning of the text's hash.
    """

    address: str
    words: str
    source: str
    edgar: str
    place: str
    html: str
    json: str

    @property
    def text(self) -> str:
        """The plain text, ending with the address."""
        return (
            f"{self.words}\n{self.source}, {self.edgar}\n{self.place}, lasting link {self.address}"
        )


class CitedText(NamedTuple):
    """Words with their position and context, and the hash of the whole text."""

    document_id: str
    sha256: str
    start: int
    end: int
    before: str
    text: str
    after: str
    section: str
    prefix: str
    suffix: str


def lasting_place(cited: CitedText) -> str:
    """Return a path that still leads to the words if the text changes."""
    return cited_address(
        cited.document_id,
        cited.start,
        cited.end,
        cited.sha256,
        prefix=cited.prefix,
        quote=cited.text[:MAX_QUOTE],
        suffix=cited.suffix,
    )


def short_source(filing: StoredFiling, document: FilingDocument) -> str:
    """Return the usual short form: Nordstrom, Inc., Form 8-K, Ex. 10.1 (Mar. 6, 2023)."""
    company = filing.entity_name or filing.accession_number
    kind = document.form_type
    number = kind.removeprefix(_EXHIBIT)
    exhibit = f", Ex. {number}" if number != kind else ""
    filed = filing.filing_date
    month = _MONTHS[filed.month - 1]
    return f"{company}, Form {filing.form_type}{exhibit} ({month} {filed.day}, {filed.year})"


def copies_of(
    cited: CitedText, filing: StoredFiling, document: FilingDocument, base: str
) -> Copies:
    """Return all forms of a citation, with addresses of the service at `base`."""
    link = f"{base}{lasting_place(cited)}"
    company = filing.entity_name or filing.accession_number
    section = f", {cited.section}" if cited.section else ""
    source, edgar = (
        f"{short_source(filing, document)}{section}",
        address_at_edgar(filing, document.file_name),
    )
    place = (
        f"document {cited.document_id}, characters {cited.start:,}–{cited.end:,}, check code"
        f" {cited.sha256[:CHECK_CODE]}"
    )
    marked = Markup(
        '<blockquote cite="{}">“…{}<mark>{}</mark>{}…”</blockquote>\n'
        '<p>{}, <a href="{}">at EDGAR</a>; {}, <a href="{}">lasting link</a></p>'
    ).format(link, cited.before, cited.text, cited.after, source, edgar, place, link)
    fields = {
        "document_id": cited.document_id,
        "text_sha256": cited.sha256,
        "start": cited.start,
        "end": cited.end,
        "prefix": cited.prefix,
        "quote": cited.text[:MAX_QUOTE],
        "suffix": cited.suffix,
        "company": company,
        "form_type": filing.form_type,
        "period": filing.period,
        "filing_date": filing.filing_date,
        "section": cited.section or None,
        "source": source,
        "edgar_url": edgar,
        "url": link,
    }
    return Copies(
        link,
        f"“…{cited.before}{cited.text}{cited.after}…”",
        source,
        edgar,
        place,
        str(marked),
        msgspec.json.format(msgspec.json.encode(fields), indent=2).decode(),
    )
