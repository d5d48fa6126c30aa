"""GET /v1/quote: checks a sentence against a document, or against those that a search finds."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import DOCUMENT_ID_PARAMETER, FINDING
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import read_filters
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.quotes import (
    ABSENT,
    MAX_QUOTE,
    MIN_QUOTE,
    SIDE,
    CheckedQuote,
    Verdict,
    check_quote,
)
from edgar_search.document.text import (
    DocumentText,
    Passages,
    document_text,
    retry_if_reloaded,
    search_texts,
)
from edgar_search.errors import BadRequest
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Operands, Window
from edgar_search.search.language import parse_query
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.search import search_slots
from edgar_search.text.words import tokens


class QuoteReply(Struct):
    """A verdict; without a position, document and hash if the quote is not found anywhere."""

    verdict: Verdict
    document_id: str | None
    text_sha256: str | None
    start: int | None
    end: int | None
    text: str
    similarity: float
    prefix: str
    suffix: str

    @property
    def result_count(self) -> int:
        """1 if the words are found, exactly or nearly, otherwise 0."""
        return 0 if self.verdict == "absent" else 1


# How many documents are read if none is given, and how many words of the quote select them.
_DOCUMENTS, _WORDS = 3, 20
_OF_QUERIES = ("query", "word_forms", "ids")
QUOTE = Endpoint(
    "/v1/quote",
    "checks if a document has a sentence exactly, else returns the nearest text",
    (
        API_KEY,
        Parameter(
            "quote",
            "text",
            f"the words, {MIN_QUOTE} characters at least; white space and the style of quotation"
            " marks do not count",
            required=True,
            longest=MAX_QUOTE,
        ),
        structs.replace(
            DOCUMENT_ID_PARAMETER,
            required=False,
            description="the document; without it the documents most likely to have the words are"
            " searched, within the filters",
        ),
        *(each for each in FINDING if each.name not in _OF_QUERIES),
    ),
    credential="key",
    answer=QuoteReply,
)


class _Found(NamedTuple):
    """A checked quote, with the text that it was checked against."""

    checked: CheckedQuote
    text: DocumentText


class QuoteParams(NamedTuple):
    """The words to check, and the document or documents that may have them.

    Only the text from position `after` on counts. Without `nearest`, a merely similar text does not
    count. Documents that also have the phrases `beside` it are read first.
    """

    words: str
    document_id: str | None
    criteria: DocumentCriteria
    after: int = 0
    nearest: bool = True
    beside: Sequence[str] = ()


async def read_quote(context: Context, raw: Raw) -> QuoteParams:
    """Read the parameters of `/v1/quote`; raises BadRequest."""
    parameters = Parameters(raw, QUOTE.declared)
    words = parameters.required_text("quote").strip()
    if not MIN_QUOTE <= len(words) <= MAX_QUOTE:
        raise BadRequest(
            f"`quote` must have {MIN_QUOTE} to {MAX_QUOTE:,} characters, not {len(words):,}"
        )
    document_id = parameters.value("document_id")
    criteria = DocumentCriteria(None, read_filters(parameters))
    if document_id and criteria != DocumentCriteria(None):
        raise BadRequest("`document_id` may not be given with filters of a search")
    return QuoteParams(words, document_id, criteria)


async def check_words(context: Context, params: QuoteParams) -> QuoteReply:
    """Check if a document has exactly these words; if not, return the closest text.

    Raises NotFound if the document does not exist, and SearchesAtOnce if a search for the words
    would wait too long for its slots.
    """

    async def work() -> QuoteReply:
        checked = await (
            _check(context, await document_text(context.engine, params.document_id), params)
            if params.document_id
            else _find(context, params)
        )
        return await _reply(context.search, checked)

    return await retry_if_reloaded(context.engine, work)


CHECK_WORDS = Operation(QUOTE, read_quote, check_words)


async def _check(context: Context, text: DocumentText, params: QuoteParams) -> _Found:
    passages = Passages(context.engine, text)
    checked = await check_quote(passages, params.words, params.after, nearest=params.nearest)
    return _Found(checked, text)


async def _find(context: Context, quote: QuoteParams) -> _Found | None:
    """Check documents with the words as a phrase, or else those with most of the words.

    Many documents may begin a boilerplate sentence in the same way, so the whole of it is searched
    first.
    """
    words = tokens(quote.words)
    best: _Found | None = None
    tried: set[str] = set()
    phrases = dict.fromkeys((_phrase(words), _phrase(words[:_WORDS])))
    together = " ".join(map(_phrase, [words, *map(tokens, quote.beside)]))
    if quote.beside and len(together) <= MAX_QUERY_CHARS:
        phrases = {together: None} | phrases
    ways: list[tuple[str, Operands]] = [(phrase, "all") for phrase in phrases]
    if quote.nearest:
        ways.append((" ".join(words[:_WORDS]), "most"))
    for query, operands in ways if words else ():
        search = DocumentSearch(
            structs.replace(quote.criteria, query=parse_query(query)),
            Window(0, _DOCUMENTS),
            operands=operands,
        )
        await context.weigh(search_slots(search))
        for text in await search_texts(context.search, search):
            if text.document_id in tried:
                continue
            tried.add(text.document_id)
            found = await _check(context, text, quote)
            if found.checked.verdict in ("exact", "normalised"):
                return found
            if best is None or found.checked.similarity > best.checked.similarity:
                best = found
    return best


def _phrase(words: Sequence[str]) -> str:
    """Build a phrase from as many of the words as a query may have."""
    ends = accumulate(len(word) + 1 for word in words)
    fitting = sum(end < MAX_QUERY_CHARS - 1 for end in ends)
    return f'"{" ".join(words[:fitting])}"'


async def _reply(context: SearchContext, checked_quote: _Found | None) -> QuoteReply:
    checked = ABSENT if checked_quote is None else checked_quote.checked
    if checked_quote is None or checked.start is None or checked.end is None:
        text = checked_quote.text if checked_quote else None
        return QuoteReply(
            "absent",
            text.document_id if text else None,
            text.sha256 if text else None,
            None,
            None,
            "",
            0.0,
            "",
            "",
        )
    before, after = checked.sides or await _sides(
        context, checked_quote.text, checked.start, checked.end
    )
    return QuoteReply(
        checked.verdict,
        checked_quote.text.document_id,
        checked_quote.text.sha256,
        checked.start,
        checked.end,
        checked.text,
        checked.similarity,
        before,
        after,
    )


async def _sides(
    context: SearchContext, text: DocumentText, start: int, end: int
) -> tuple[str, str]:
    first, last = max(0, start - SIDE), min(text.length, end + SIDE)
    around = await Passages(context.engine, text).piece(first, last)
    return around[: start - first], around[end - first :]
