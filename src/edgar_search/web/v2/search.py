"""Full-text searches of Version 2: their three kinds of queries, and their reply."""

from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from msgspec import UNSET, Struct, UnsetType

from edgar_search.search.language import (
    ALL,
    EXACT,
    And,
    Node,
    Phrase,
    QueryError,
    Word,
    check_cost,
    parse,
)
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.results import FullHit, FullPage, relevance
from edgar_search.search.tickers import TickerTable
from edgar_search.text.words import normalise, token_spans
from edgar_search.web.v2.entity_answers import Entity, entity

QUERY_TYPES = ("match", "match_phrase", "query_string")
# The official client says of `match` that it stems.
DEFAULT_FORMS = {"match": ALL, "match_phrase": EXACT, "query_string": EXACT}


def query_tree(query: str, query_type: str) -> Node:
    """The tree of a query.

    `match` wants all words, operators are words too; `match_phrase` one phrase; `query_string` is
    the query language with `+` and `-` before what is wanted and what is not. Raises QueryError.
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


# A reply before it says how many bytes it has.
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


def search_reply(
    page: FullPage, table: TickerTable, *, end: int, warnings: Sequence[str] = ()
) -> bytes:
    """The JSON of a window of hits that ends before row `end`."""
    shown = zip_longest(page.hits, page.snippets, page.texts)
    reply = SearchReply(
        page.total,
        page.total > end,
        [_hit(hit, snippet, text) for hit, snippet, text in shown],
        [entity(each, table) for each in page.entities],
        warnings=list(warnings) or UNSET,
    )
    return _measured(reply)


def _measured(reply: SearchReply) -> bytes:
    """The JSON of a reply with the number of its own bytes."""
    # Hits and entities take long, so these are not encoded a second time.
    text = msgspec.json.encode(reply)
    others = len(text) - 1
    size = others + len(str(others))
    # Its own digits may carry it over a power of ten.
    size = others + len(str(size))
    # Quotes of a text are escaped, and only warnings come after the size.
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
