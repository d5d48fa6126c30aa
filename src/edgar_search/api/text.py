"""GET /v1/text: the text of a document, or part of it."""

from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.context import Context
from edgar_search.api.finding import DOCUMENT_ID_PARAMETER
from edgar_search.api.media_types import PLAIN
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.citation import (
    CITATION_PARAMETERS,
    CITED_TEXT,
    INCLUDE_CITATION,
    citation_of,
)
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.citations import (
    CITED,
    Citation,
    CitationStatus,
    cited_piece,
)
from edgar_search.document.sections import Piece, piece_of, read_around, section_name
from edgar_search.document.text import retry_if_reloaded
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest


class Follow(Struct):
    """The target of an item that only refers elsewhere: a document and a position in its text."""

    document_id: str
    start: int | None
    end: int | None


class TextReply(Struct):
    """A part of a text, with optional fields.

    `section` is set if the request names one, and `followed` if that item refers to this document.
    `citation` is set if the part is cited; `prefix` and `suffix` then too, and if the request
    includes them.
    """

    document_id: str
    start: int | None
    end: int | None
    text: str
    next_start: int | None
    text_sha256: str
    text_length: int
    section: str | UnsetType = UNSET
    followed: Follow | UnsetType = UNSET
    citation: CitationStatus | UnsetType = UNSET
    prefix: str | UnsetType = UNSET
    suffix: str | UnsetType = UNSET

    @property
    def result_count(self) -> int:
        """Always 1, since an answer is one text."""
        return 1


LENGTH, TEXT_SHA256 = CITED_TEXT
TEXT = Endpoint(
    "/v1/text",
    "returns the text of a document, or a part of it",
    (
        API_KEY,
        DOCUMENT_ID_PARAMETER,
        Parameter(
            "start",
            "integer",
            "the first character of the part, in code points of the text; with `section` it must"
            " be in that section, and is its first character by default",
            least=0,
            default=0,
        ),
        LENGTH,
        Parameter(
            "section",
            "text",
            "only this section of a report: `10-K item 1A`, as `/v1/matches` names it, or `item1a`,"
            " in any case",
            of="name of a section",
        ),
        TEXT_SHA256,
        *CITATION_PARAMETERS,
        INCLUDE_CITATION,
    ),
    credential="key",
    answer=TextReply,
    media=(PLAIN,),
    statuses=(200, 304),
)


class TextParams(Struct, frozen=True):
    """The requested part of a text; None and "" mean absent parameters."""

    document_id: str
    start: int | None
    length: int
    section: str
    text_sha256: str
    citation: Citation | None
    with_sides: bool


def text_params(raw: Raw) -> TextParams:
    """Read the parameters of `/v1/text`; raises BadRequest."""
    parameters = Parameters(raw, TEXT.declared)
    given = parameters.text("start") is not None
    citation = citation_of(parameters)
    section = (parameters.text("section") or "").strip()
    if citation is not None and section:
        raise BadRequest("`section` cannot be combined with `prefix`, `suffix` or `quote`")
    return TextParams(
        parameters.required_value("document_id"),
        parameters.integer("start") if given else None,
        parameters.integer("length"),
        section,
        parameters.value("text_sha256") or "",
        citation,
        with_sides=citation is not None or bool(parameters.choices("include")),
    )


async def read_text(context: Context, raw: Raw) -> TextParams:
    """Read the requested part of a text; raises BadRequest."""
    return text_params(raw)


async def find_text(context: Context, params: TextParams) -> TextReply:
    """Read a part of a text, again if its document is reloaded meanwhile.

    Raises NotFound if the document or section does not exist, Gone if its text has changed, and
    TextChanging if it keeps changing.
    """
    return await retry_if_reloaded(context.engine, lambda: _read(context.engine, params))


FIND_TEXT = Operation(TEXT, read_text, find_text)


async def _read(engine: Engine, params: TextParams) -> TextReply:
    citation: CitationStatus | UnsetType = UNSET
    piece: Piece | None
    if params.citation is not None:
        piece, whole, citation = await cited_piece(
            engine, params.document_id, params.citation, params.text_sha256
        )
    else:
        piece = await piece_of(
            engine,
            params.document_id,
            start=params.start,
            length=params.length,
            section=params.section,
            sha256=params.text_sha256,
        )
        whole = piece.text
    if piece is None:
        return TextReply(
            whole.document_id, None, None, "", None, whole.sha256, whole.length, citation=citation
        )
    around = CITED if params.with_sides else 0
    prefix, text, suffix = await read_around(engine, piece, around)
    named = piece.section
    return TextReply(
        document_id=whole.document_id,
        start=piece.start,
        end=piece.end,
        text=text,
        next_start=piece.next_start,
        text_sha256=whole.sha256,
        text_length=whole.length,
        section=UNSET if named is None else section_name(named),
        followed=Follow(named.document_id, named.text_start, named.text_end)
        if named and named.followed
        else UNSET,
        citation=citation,
        prefix=prefix if params.with_sides else UNSET,
        suffix=suffix if params.with_sides else UNSET,
    )
