"""Which text a document has now."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound, TextChanging
from edgar_search.search.bodies.texts import LACKS_ONE, MATCHED, text_body
from edgar_search.search.criteria import Operands
from edgar_search.search.hits import Filed, TextHit
from edgar_search.search.language import Node
from edgar_search.search.operands import loosened
from edgar_search.search.stored_versions import require_for_texts

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

    Raises NotFound, and StoredByOlderVersion where that is not stored.
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
    raise NotFound(f"there is no document {document_id}")


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
