"""Citations of drafts: what became of the filings, documents and words that they refer to."""

from collections.abc import Hashable, Iterable
from datetime import datetime
from typing import NamedTuple

from edgar_search.api.context import Context
from edgar_search.api.draft_claims import FoundText, Verdict
from edgar_search.api.once import Once
from edgar_search.document.checked_citations import CheckedCitation, GivenCitation, check_citation
from edgar_search.document.drafts import Cited
from edgar_search.document.text import Passages, document_text, retry_if_reloaded
from edgar_search.document.worded_citations import MeantFilings, WordedCitation, filings_meant
from edgar_search.errors import NotFound
from edgar_search.search.filings import filings_of, sections_of_filing
from edgar_search.stored.filings import StoredFiling
from edgar_search.stored.installation import LedgerEntry

# How many characters at a cited position an answer quotes.
_MOST_FOUND = 2_000
_REASONS = {
    "moved": "the text has changed; it has the words at another position",
    "changed": "at this position the text has other words",
    "gone": "the text does not have the words any more",
}


class CitedSource(NamedTuple):
    """The cited filing; None if it is unclear which one is meant, or if it is not here.

    `meant` are the filings that a citation in words may mean.
    """

    filing: StoredFiling | None
    document_id: str | None = None
    meant: MeantFilings | None = None


class CitedFilings:
    """The filings that the citations of a draft refer to, each read once."""

    def __init__(
        self, context: Context, filings: dict[str, StoredFiling], entries: dict[str, LedgerEntry]
    ) -> None:
        self._context, self._filings, self._entries = context, filings, entries
        self._meant: Once[MeantFilings] = Once()
        self._read: Once[StoredFiling | None] = Once()

    @classmethod
    async def of(cls, context: Context, cited: Iterable[Cited]) -> "CitedFilings":
        """Read the filings that are cited by number, in two engine requests, or none."""
        numbers = sorted({each.accession_number for each in cited} - {""})
        if not numbers:
            return cls(context, {}, {})
        filings = await filings_of(context.engine, numbers)
        entries = await context.engine.multi_get("ledger", numbers, LedgerEntry)
        return cls(
            context,
            {filing.accession_number: filing for filing in filings},
            {each.id: each.source for each in entries if each.source is not None},
        )

    async def source(self, cited: Cited) -> CitedSource:
        """Return the cited filing and document."""
        if cited.worded is None:
            filing = self._filings.get(cited.accession_number)
            return CitedSource(filing, _document(filing, cited) if filing else None)
        words = cited.worded
        meant = await self._meant.get(
            _meaning(words), lambda: filings_meant(self._context.search, words)
        )
        if meant.reason or len(meant.filings) != 1:
            return CitedSource(None, None, meant)
        number = meant.filings[0].accession_number
        filing = await self._read.get(number, lambda: self._filing(number))
        return CitedSource(filing, None, meant)

    async def check(self, cited: Cited) -> Verdict:
        """Return the verdict on a citation."""
        source = await self.source(cited)
        filing = source.filing
        if source.meant is not None and filing is None:
            meant = source.meant
            reason = meant.reason or "several filings are meant"
            verdict = Verdict("ambiguous" if meant.filings else "unknown", reason)
            return verdict._replace(candidates=meant.filings)
        if filing is None:
            return self._absent(cited.accession_number)
        if cited.worded is not None:
            document_id, reason = None, ""
            if cited.worded.item:
                document_id, reason = await self._section(filing, cited.worded.item)
            at = FoundText(document_id) if document_id else None
            return Verdict("same", reason, at, cited=filing.accession_number)
        if source.document_id is None and (cited.document_id or cited.file_name):
            return self._no_document(filing, cited)
        withdrawn = self._withdrawn(cited.accession_number)
        at = FoundText(source.document_id) if source.document_id else None
        if cited.given is None:
            return Verdict("same", withdrawn, at)
        citation = cited.given
        found = await retry_if_reloaded(self._context.engine, lambda: self._words(citation))
        return found._replace(reason=found.reason or withdrawn)

    async def _filing(self, number: str) -> StoredFiling | None:
        for filing in await filings_of(self._context.engine, [number]):
            return filing
        return None

    async def _section(self, filing: StoredFiling, item: str) -> tuple[str | None, str]:
        """Return the document with an item, or None and a sentence that says why there is none."""
        section_id = f"item{item.lower()}"
        for section in await sections_of_filing(self._context.engine, filing.accession_number):
            if section.item.endswith(section_id):
                return section.document_id, ""
        return None, f"the filing is here; Item {item} was not found in it"

    async def _words(self, citation: GivenCitation) -> Verdict:
        """Compare the words that an address cites with the present text."""
        engine = self._context.engine
        try:
            text = await document_text(engine, citation.document_id)
        except NotFound:
            at = FoundText(citation.document_id)
            return Verdict("gone", "the document has no text any more", at)
        passages = Passages(engine, text)
        checked = await check_citation(passages, citation)
        at = FoundText(citation.document_id, text.sha256, checked.start, checked.end)
        if checked.start is not None and checked.end is not None:
            end = min(checked.end, checked.start + _MOST_FOUND)
            at = at._replace(text=await passages.piece(checked.start, end))
        differs = [citation.quoted] if checked.status == "changed" and citation.quoted else []
        return Verdict(checked.status, _reason(checked, citation), at, differs_from=differs)

    def _absent(self, number: str) -> Verdict:
        """Return the verdict on a filing that is not here: deleted, or never loaded."""
        entry = self._entries.get(number)
        if entry is not None and entry.status == "deleted" and entry.announced:
            since = f" on {entry.deleted_at:%Y-%m-%d}" if entry.deleted_at else ""
            return Verdict("gone", f"the filing was deleted here{since}")
        return Verdict("unknown", "no filing of this number is loaded")

    def _no_document(self, filing: StoredFiling, cited: Cited) -> Verdict:
        entry = self._entries.get(filing.accession_number)
        if entry is not None and cited.document_id in entry.announced:
            return Verdict("gone", "the filing's present version has no such document")
        return Verdict("unknown", "the filing has no such document")

    def _withdrawn(self, number: str) -> str:
        entry = self._entries.get(number)
        since: datetime | None = entry.withdrawn_at if entry else None
        return f"EDGAR has removed the filing since {since:%Y-%m-%d}" if since else ""


def _meaning(words: WordedCitation) -> Hashable:
    """Return a key that is equal for citations of the same filing, whatever item they name."""
    return words.company, words.form, words.period, words.filed


def _document(filing: StoredFiling, cited: Cited) -> str | None:
    """Return the id of the cited document of a filing, or None."""
    for document in filing.documents:
        if document.document_id == cited.document_id or (
            cited.file_name and document.file_name == cited.file_name
        ):
            return document.document_id
    return None


def _reason(checked: CheckedCitation, citation: GivenCitation) -> str:
    if checked.status == "gone" and not citation.has_words:
        return "the text has changed, and the address has no words by which to find the position"
    return _REASONS.get(checked.status, "")
