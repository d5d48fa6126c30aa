"""/v2/fulltext_search: its three kinds of queries, and its answer."""

import re
from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar.identifiers import parse_accession_number
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    FilingCriteria,
)
from edgar_search.search.language import (
    ALL,
    EXACT,
    WORD_FORMS,
    And,
    Node,
    Phrase,
    QueryError,
    Word,
    check_cost,
    parse,
    with_forms,
)
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.results import FullHit, FullPage, relevance
from edgar_search.search.search import SHOWN_ROWS, search_full_documents, search_slots
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.filter_values import missing_data_warnings
from edgar_search.text.words import normalise, token_spans
from edgar_search.web.calls import V2Call
from edgar_search.web.responses import encoded_response
from edgar_search.web.service import service
from edgar_search.web.v2.entities import Entity, entity
from edgar_search.web.v2.finding import (
    CIKS,
    DATES,
    ENTITY_QUERY,
    FORM_TYPES,
    ORDERS,
    SORT_ORDER,
    WINDOW,
    ciks,
    data_endpoint,
    entity_query,
    window,
)

# Each is a clause of its own.
MAX_PREFIXES = 100
# The official client documents that `match` stems.
DEFAULT_FORMS = {"match": ALL, "match_phrase": EXACT, "query_string": EXACT}
DOCUMENT_SORTS: tuple[DocumentField, ...] = ("filing_date", "_score")

_PREFIX = re.compile(r"\d{1,10}|\d{10}-?\d{0,2}|\d{10}-?\d{2}-?\d{0,6}", re.ASCII)
# A placeholder for the reply's size in bytes.
_SIZE = b'"response_bytes":0'


class Hit(Struct, gc=False):
    id: str
    score: float
    accession_number: str
    form_type: str
    filing_date: str
    acceptance_date_time: str | None
    document_type: str | None
    document_description: str | None
    file_name: str | None
    ciks: list[str]
    sics: list[str]
    size: int | None
    highlights: list[str]
    text_content: str | None


class SearchReply(Struct):
    total_hits: int
    truncated: bool
    hits: list[Hit]
    entities: list[Entity]
    response_bytes: int = 0
    warnings: list[str] | UnsetType = UNSET


FULLTEXT_SEARCH = data_endpoint(
    "/v2/fulltext_search",
    "searches the text of documents",
    Parameter("query", "text", "the query", required=True, longest=MAX_QUERY_CHARS),
    Parameter(
        "query_type",
        "choice",
        "the syntax of the query",
        default="match",
        choices=tuple(DEFAULT_FORMS),
    ),
    Parameter(
        "word_forms",
        "choice",
        "`all`: words in lower case also find their inflections,"
        " see [Forms of a word](query-language.md#forms-of-a-word); `related`: also"
        " [related words](query-language.md#related-words);"
        " the default is `all` for `match`, else `exact`",
        choices=WORD_FORMS,
    ),
    ENTITY_QUERY,
    CIKS,
    FORM_TYPES,
    Parameter(
        "accession_numbers",
        "list",
        f"complete numbers, or the beginnings of numbers (at most {MAX_PREFIXES} beginnings)",
        of="accession numbers",
    ),
    *DATES,
    Parameter(
        "sort_by",
        "choice",
        "`_score` is the best match first",
        default="filing_date",
        choices=DOCUMENT_SORTS,
    ),
    SORT_ORDER,
    *WINDOW,
    answer=SearchReply,
)


def full_text_params(given: RequestFields) -> DocumentSearch:
    """Read the parameters of `/v2/fulltext_search`; raises BadRequest, which names the error."""
    fields = Parameters.of_request(given, FULLTEXT_SEARCH.declared)
    first_day, last_day = fields.days("date_from", "date_to")
    numbers, prefixes = _numbers_and_prefixes(fields)
    query_type = fields.choice("query_type")
    query = query_tree(fields.required_text("query"), query_type)
    word_forms = fields.choice("word_forms", DEFAULT_FORMS[query_type])
    filings = FilingCriteria(
        cik=ciks(fields),
        entities=(entity_query(fields),),
        form_type=fields.values("form_types"),
        from_date=first_day,
        to_date=last_day,
        numbers=numbers,
        number_prefixes=prefixes,
    )
    return DocumentSearch(
        criteria=DocumentCriteria(with_forms(query, word_forms), filings),
        window=window(fields),
        sort_by=fields.choice_of("sort_by", DOCUMENT_SORTS),
        order=fields.choice_of("sort_order", ORDERS),
    )


def _numbers_and_prefixes(fields: Parameters) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Separate complete accession numbers from prefixes."""
    name = "accession_numbers"
    numbers, prefixes = [], []
    for item in fields.values(name):
        number = parse_accession_number(item)
        if number:
            numbers.append(number)
        elif _PREFIX.fullmatch(item):
            prefixes.append(_prefix(item))
        else:
            raise fields.refusal(
                name, f"must be an accession number or the beginning of one, not `{item[:40]}`"
            )
    if len(prefixes) > MAX_PREFIXES:
        raise fields.refusal(
            name, f"may have at most {MAX_PREFIXES} beginnings, not {len(prefixes)}"
        )
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(prefixes))


def _prefix(item: str) -> str:
    """Return a prefix of an accession number, with its dashes."""
    digits = item.replace("-", "")
    parts = [part for part in (digits[:10], digits[10:12], digits[12:]) if part]
    # A dash at the end counts: `0000320193-` leaves nothing open.
    return "-".join(parts) + ("-" if item.endswith("-") else "")


def query_tree(query: str, query_type: str) -> Node:
    """Parse a query of one of the three types.

    `match` requires all words, and operators are words too; `match_phrase` is one phrase;
    `query_string` is the query language with `+` and `-` before required and excluded operands.
    Raises QueryError.
    """
    if query_type == "query_string":
        return parse(query, signs=True)
    if len(query) > MAX_QUERY_CHARS:
        raise QueryError(f"longer than {MAX_QUERY_CHARS:,} characters", "a shorter one is needed")
    text = normalise(query)
    if query_type == "match_phrase":
        words: tuple[Node, ...] = (Phrase(text, 0, 1),) if _has_token(text) else ()
    else:
        words = tuple(Word(word, 1) for word in text.split() if _has_token(word))
    if not words:
        raise QueryError("no letters or digits", "write at least one word")
    tree = words[0] if len(words) == 1 else And(words, ())
    check_cost(tree)
    return tree


def _has_token(text: str) -> bool:
    return next(token_spans(text), None) is not None


async def fulltext_search(request: Request, call: V2Call) -> Response:
    """/v2/fulltext_search"""
    params = full_text_params(call.raw)
    await call.share.weigh(search_slots(params, SHOWN_ROWS))
    context = service(request).context
    page = await search_full_documents(context, params)
    call.result_count = page.total
    table = await context.tickers.table()
    warnings = missing_data_warnings(params.criteria.filings.entities, table)
    return encoded_response(search_reply(page, table, end=params.window.end, warnings=warnings))


def search_reply(
    page: FullPage, table: TickerTable, *, end: int, warnings: Sequence[str] = ()
) -> bytes:
    """Encode a window of hits that ends before row `end` as JSON."""
    rows = zip_longest(page.hits, page.snippets, page.texts)
    reply = SearchReply(
        page.total,
        page.total > end,
        [_hit(hit, snippet, text) for hit, snippet, text in rows],
        [entity(stored_entity, table) for stored_entity in page.entities],
        warnings=list(warnings) or UNSET,
    )
    return _with_size(reply)


def _with_size(reply: SearchReply) -> bytes:
    """Encode a reply as JSON that states its own size in bytes."""
    # Hits and entities take long, so these are not encoded a second time.
    text = msgspec.json.encode(reply)
    others = len(text) - 1
    size = others + len(str(others))
    # Its own digits may carry it over a power of ten.
    size = others + len(str(size))
    # Quotes in a text are escaped, and only warnings follow the size.
    before, name, after = text.rpartition(_SIZE)
    return b"".join([before, name[:-1], str(size).encode(), after])


def _hit(hit: FullHit, snippet: str | None, text: str | None) -> Hit:
    fields = hit.fields
    return Hit(
        id=hit.document_id,
        score=relevance(hit.score),
        accession_number=fields.accession_number[0],
        form_type=fields.form_type[0],
        filing_date=fields.filing_date[0],
        acceptance_date_time=fields.accepted_at[0] if fields.accepted_at else None,
        document_type=fields.document_type[0] or None,
        document_description=fields.description[0] or None,
        file_name=fields.file_name[0] or None,
        ciks=hit.ciks,
        sics=fields.sics,
        size=fields.size[0] if fields.size else None,
        highlights=[snippet] if snippet else [],
        text_content=text,
    )
