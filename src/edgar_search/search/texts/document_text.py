"""Which text a document has now."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from edgar_search.edgar.identifiers import accession_of
from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound, TextChanging
from edgar_search.search.bodies.texts import LACKS_ONE, MATCHED, text_body
from edgar_search.search.criteria import Operands
from edgar_search.search.filings import filings_of
from edgar_search.search.hits import Filed, TextHit
from edgar_search.search.language import Node
from edgar_search.search.operands import loosened
from edgar_search.search.stored_versions import require_for_texts
from edgar_search.stored.filing import FilingDocument
from edgar_search.stored.ledger import LedgerEntry

T = TypeVar("T")


class DocumentText(NamedTuple):
    """A text by its hash (SHA-256 of its UTF-8, hexadecimal) and its length in code points.

    `version` is that of the load which wrote it, in all `passages` alike. `matches` says whether
    the query that it was asked with matches, and `lacks_one` whether that is so although one of
    its operands is absent. `filed` are the dates of filing of where the text is stored; None is
    not known.
    """

    document_id: str
    sha256: str
    length: int
    passages: int
    version: int
    matches: bool = False
    lacks_one: bool = False
    filed: Filed = None


async def document_text(
    engine: Engine,
    document_id: str,
    account: str,
    query: Node | None = None,
    operands: Operands = "all",
) -> DocumentText:
    """What text the document has, and whether a query matches it; one engine request.

    With "most" operands it matches too where one of at least three is absent.

    Raises NotFound with the reason why it has none, StoredByOlderVersion if that is not stored, and
    TextChanging if it was loaded just now.
    """
    await require_for_texts(engine)
    body = text_body(document_id, query, loosened(query) if operands == "most" else None)
    reply = await engine.search("documents", body, TextHit, account=account)
    for hit in reply.hits.hits:
        (sha256,), (length,) = hit.fields.text_sha256, hit.fields.text_length
        lacks_one = LACKS_ONE in hit.matched
        return DocumentText(
            document_id,
            sha256,
            length,
            hit.fields.passages[0],
            hit.version,
            matches=lacks_one or MATCHED in hit.matched,
            lacks_one=lacks_one,
            filed=hit.fields.filing_date,
        )
    raise await _no_text(engine, document_id, account)


async def _no_text(engine: Engine, document_id: str, account: str) -> NotFound | TextChanging:
    """Explain why `document_id` has no text; two engine requests, which few calls need."""
    number = accession_of(document_id)
    for filing in await filings_of(engine, [number], account):
        for listed in filing.documents:
            if listed.document_id == document_id:
                entry = await engine.get("ledger", number, LedgerEntry)
                return _listed_without_text(listed, entry.source if entry else None)
    return NotFound(f"there is no document {document_id}")


def _listed_without_text(
    listed: FilingDocument, entry: LedgerEntry | None
) -> NotFound | TextChanging:
    """Return the error for a document that its filing lists and that has no text."""
    document_id = listed.document_id
    if entry is not None and document_id in entry.parts:
        return TextChanging(document_id)  # it is stored, and not yet visible
    if entry is not None and document_id in entry.unread:
        reason = f"it could not be read when it was loaded ({entry.unread[document_id]})"
    elif entry is not None and document_id in (entry.reason or ""):
        reason = "it is too large to be searched here"
    else:
        reason = "graphics, PDF, spreadsheets, XBRL data and empty documents are not searched"
    return NotFound(
        f"{document_id} ({listed.file_name}) is listed but has no text: {reason};"
        " /v2/document has it as filed"
    )


async def of_one_load(engine: Engine, work: Callable[[], Awaitable[T]]) -> T:
    """The result of `work`, which reads a document and its passages.

    The indices refresh apart: where it met two loads of the document, it is done once more with
    both visible. Raises TextChanging where that does not help.
    """
    try:
        return await work()
    except TextChanging:
        await engine.refresh("passages")
        await engine.refresh("documents")
    return await work()
