"""GET and POST /v1/similar: passages like one in a document, or like a text."""

import asyncio
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import DOCUMENT_ID_PARAMETER, FINDING
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.filters import FILING, GROUP_BY, read_filters
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.comparison import Kind
from edgar_search.document.sections import piece_of, read_around
from edgar_search.document.similar import (
    MAX_CHARS,
    MIN_WORDS,
    SimilarFound,
    SimilarPassage,
    SimilarSearch,
    find_similar,
)
from edgar_search.document.text import retry_if_reloaded
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.text.words import tokens

MAX_CLAUSE, DEFAULT_LIMIT, MAX_LIMIT = MAX_CHARS, 10, 50
# Slots for its four or five searches, and characters of text for each further slot.
_SLOTS, _CHARS_OF_A_SLOT = 2, 10_000
_FILTERS = tuple(
    each for each in FINDING if each.name not in ("query", "word_forms", "reading", "dialect")
)


class GivenText(Struct):
    """The text that passages are like; position and hash are null if it was not of a document."""

    document_id: str | None
    text_sha256: str | None
    start: int | None
    end: int | None
    text: str


class RedlineChange(Struct):
    """Words of the given text from `start` to `end`, and the words that replace them.

    `found_start` and `found_end` are positions in the document. Added words have an empty position
    in the given text.
    """

    kind: Kind
    start: int
    end: int
    given: str
    found_start: int
    found_end: int
    found: str


class SimilarItem(Struct):
    """A passage by its position in a document's text, with the changes from the given text.

    `share` is the weighted fraction of rarer words in common, and `similarity` the likeness by
    letters; both are from 0 to 1.
    """

    document_id: str
    accnum: str
    form_type: str
    document_type: str
    filing_date: str
    related_company_names: list[str]
    ciks: list[str]
    text_sha256: str
    start: int
    end: int
    text: str
    share: float
    similarity: float
    changes: list[RedlineChange]


class UsualWording(Struct):
    """A sentence in its most common form, and the number of the items that have it in any form."""

    text: str
    count: int


class SimilarReply(Struct):
    """Passages like the given text, by its `rarer_words`, the rarest ones first.

    `usual_wording` has the sentences of at least half of the items.
    """

    given: GivenText
    rarer_words: list[str]
    items: list[SimilarItem]
    usual_wording: list[UsualWording]

    @property
    def result_count(self) -> int:
        """The number of passages."""
        return len(self.items)


SIMILAR = Endpoint(
    "/v1/similar",
    "finds passages like one of a document, or like a text, with the words that differ",
    (
        API_KEY,
        structs.replace(
            DOCUMENT_ID_PARAMETER,
            required=False,
            description="the document with the passage; either it or `text` is needed",
        ),
        Parameter(
            "start",
            "integer",
            "the first character of the passage, in code points of the text",
            least=0,
            default=0,
        ),
        Parameter(
            "length",
            "integer",
            "the characters of the passage",
            least=1,
            most=MAX_CHARS,
            default=1_000,
        ),
        Parameter(
            "text",
            "text",
            f"a text of at most {MAX_CHARS:,} characters, in a body only; it is not kept",
        ),
        *_FILTERS,
        structs.replace(
            GROUP_BY,
            description="with `filing` one passage of each filing, with `document` one of each"
            " document",
            default=FILING,
        ),
        Parameter(
            "sort",
            "choice",
            "best match first, or by filing date, of those with half of the rarer words",
            default="similar",
            choices=("similar", "newest"),
        ),
        Parameter(
            "limit",
            "integer",
            "passages in the answer at most",
            least=1,
            most=MAX_LIMIT,
            default=DEFAULT_LIMIT,
        ),
    ),
    methods=("GET", "POST"),
    where="both",
    credential="key",
    answer=SimilarReply,
)


class SimilarParams(NamedTuple):
    """A text, or the position of a passage, and which passages like it to find."""

    text: str
    criteria: DocumentCriteria
    document_id: str = ""
    start: int = 0
    length: int = 0
    limit: int = DEFAULT_LIMIT
    one_a_filing: bool = True
    newest: bool = False


def read_similar(fields: RequestFields) -> SimilarParams:
    """Read the parameters of `/v1/similar`; raises BadRequest."""
    parameters = Parameters.of_request(fields, SIMILAR.declared)
    if "text" in fields.query:
        raise BadRequest("`text` must be in the body: addresses are logged on their way")
    text, document_id = parameters.text("text") or "", parameters.value("document_id") or ""
    if bool(text) == bool(document_id):
        raise BadRequest("give either `text` or `document_id` with `start` and `length`")
    if text and parameters.sent(("start", "length")):
        raise BadRequest("`start` and `length` are of a document; they cannot be given with `text`")
    if len(text) > MAX_CHARS:
        raise BadRequest(f"`text` must have at most {MAX_CHARS:,} characters, not {len(text):,}")
    if text:
        _require_words("text", text)
    return SimilarParams(
        text,
        DocumentCriteria(
            None, read_filters(parameters), ids=parameters.values("ids"), all_documents=True
        ),
        document_id,
        parameters.integer("start"),
        parameters.integer("length"),
        parameters.integer("limit"),
        parameters.choice("group_by") == FILING,
        parameters.choice("sort") == "newest",
    )


def _require_words(name: str, text: str) -> None:
    if len(tokens(text)) < MIN_WORDS:
        raise BadRequest(f"`{name}` must have at least {MIN_WORDS} words")


async def find_passages(context: Context, params: SimilarParams) -> SimilarReply:
    """Find passages like a text.

    Raises NotFound if the document does not exist, BadRequest for a position outside its text or
    fewer than four words there, and SearchesAtOnce if it would wait too long for its slots.
    """

    async def read() -> GivenText:
        piece = await piece_of(
            context.engine, params.document_id, start=params.start, length=params.length
        )
        _, text, _ = await read_around(context.engine, piece, 0)
        return GivenText(piece.text.document_id, piece.text.sha256, piece.start, piece.end, text)

    given = GivenText(None, None, None, None, params.text)
    length = len(params.text) or params.length
    await context.weigh(_SLOTS + length // _CHARS_OF_A_SLOT)
    if params.document_id:
        given = await retry_if_reloaded(context.engine, read)
        _require_words("length", given.text)
    search = SimilarSearch(
        given.text,
        params.criteria,
        params.limit,
        params.document_id,
        params.one_a_filing,
        params.newest,
    )
    result = await find_similar(context.search, search)
    return await asyncio.to_thread(_reply, given, result)


def _reply(given: GivenText, result: SimilarFound) -> SimilarReply:
    return SimilarReply(
        given,
        list(result.words),
        [_item(given.text, passage) for passage in result.passages],
        [UsualWording(sentence.text, sentence.number) for sentence in result.usual],
    )


def _item(given: str, passage: SimilarPassage) -> SimilarItem:
    hit, text = passage.hit, passage.text
    return SimilarItem(
        document_id=hit.document_id,
        accnum=hit.fields.accession_number[0],
        form_type=hit.fields.form_type[0],
        document_type=hit.fields.document_type[0],
        filing_date=hit.filed,
        related_company_names=[name for _, name in hit.entities],
        ciks=hit.ciks,
        text_sha256=hit.fields.text_sha256[0],
        start=passage.start,
        end=passage.start + len(text),
        text=text,
        share=passage.share,
        similarity=passage.likeness,
        changes=[
            RedlineChange(
                change.kind,
                change.start,
                change.end,
                given[change.start : change.end],
                passage.start + change.to_start,
                passage.start + change.to_end,
                text[change.to_start : change.to_end],
            )
            for change in passage.changes
        ],
    )
