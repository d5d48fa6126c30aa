"""The reply of `/v2/fulltext_search`."""

from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from msgspec import UNSET, Struct, UnsetType

from edgar_search.search.documents import FullPage
from edgar_search.search.hits import FullHit, relevance
from edgar_search.search.tickers import TickerTable
from edgar_search.web.v2.answers.entities import Entity, entity

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
    """The JSON of a reply, which says how many bytes that has."""
    # What takes long is the hits and entities, so these are not encoded a second time.
    text = msgspec.json.encode(reply)
    others = len(text) - 1
    size = others + len(str(others))
    # Its own digits may carry it over a power of ten.
    size = others + len(str(size))
    # Quotes of a text are escaped, and nothing but warnings stands behind.
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
