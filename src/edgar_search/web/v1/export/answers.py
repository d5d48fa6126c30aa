"""The records of exports."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Struct

from edgar_search.search.documents import DocumentPage
from edgar_search.search.hits import DocumentHit, relevance
from edgar_search.search.matches import ShownMatch
from edgar_search.search.texts.sections import section_name
from edgar_search.search.walks.exports import ExportPage
from edgar_search.web.v1.answers import SearchItem, search_reply

ColumnKind = Literal["text", "texts", "day", "number", "count", "flag"]


class Column(NamedTuple):
    """A field of every record."""

    name: str
    kind: ColumnKind


_DOCUMENT = (
    Column("document_id", "text"),
    Column("accnum", "text"),
    Column("form_type", "text"),
    Column("filing_date", "day"),
    Column("related_company_names", "texts"),
    Column("ciks", "texts"),
    Column("filename", "text"),
    Column("score", "number"),
)
_SNIPPET = Column("snippet", "text")
# Of what may be included, what is no text.
_INCLUDED: dict[str, ColumnKind] = {"eight_k_items": "texts", "primary": "flag", "period": "day"}
FILING_COLUMNS = (
    Column("accnum", "text"),
    Column("form_type", "text"),
    Column("filing_date", "day"),
    Column("related_company_names", "texts"),
    Column("ciks", "texts"),
    Column("document_count", "count"),
    Column("document_ids", "texts"),
    Column("best_document_id", "text"),
    Column("score", "number"),
)


MATCH_COLUMNS = (
    *(column for column in _DOCUMENT if column.name != "score"),
    Column("start", "count"),
    Column("end", "count"),
    Column("text", "text"),
    Column("before", "text"),
    Column("after", "text"),
    Column("section", "text"),
    Column("text_sha256", "text"),
)


class MatchRecord(Struct):
    """A match in a document, as `/v1/matches` has it, with the hash of the text it is in."""

    document_id: str
    accnum: str
    form_type: str
    filing_date: str
    related_company_names: list[str]
    ciks: list[str]
    filename: str
    start: int
    end: int
    text: str
    before: str
    after: str
    section: str | None
    text_sha256: str


class FilingRecord(Struct):
    """A filing with its documents that match; `score` is that of the best of them."""

    accnum: str
    form_type: str
    filing_date: str
    related_company_names: list[str]
    ciks: list[str]
    document_count: int
    document_ids: list[str]
    best_document_id: str
    score: float


def document_columns(included: Sequence[str], *, snippets: bool) -> tuple[Column, ...]:
    """The fields of documents, with those to include."""
    more = (Column(name, _INCLUDED.get(name, "text")) for name in included)
    return (*_DOCUMENT, *((_SNIPPET,) if snippets else ()), *more)


def document_records(page: ExportPage, included: Sequence[str]) -> list[SearchItem]:
    """The items of a search for the hits of a page, with snippets where the page has them."""
    step = page.step
    shown = page.snippets or [""] * len(step.hits)
    found = DocumentPage(step.total, step.hits, list(shown), withdrawn=page.withdrawn)
    items = search_reply(found, included).items
    if not page.snippets:
        for item in items:
            item.snippet = UNSET
    return items


def filing_record(hits: Sequence[DocumentHit]) -> FilingRecord:
    """The filing of all its documents that match."""
    best = max(hits, key=lambda hit: hit.score)
    fields, entities = best.fields, best.entities
    return FilingRecord(
        accnum=fields.accession_number[0],
        form_type=fields.form_type[0],
        filing_date=fields.filing_date[0],
        related_company_names=[name for _, name in entities],
        ciks=[cik for cik, _ in entities],
        document_count=len(hits),
        document_ids=[hit.document_id for hit in hits],
        best_document_id=best.document_id,
        score=relevance(best.score),
    )


def match_records(
    hit: DocumentHit, matches: Iterable[ShownMatch], text_sha256: str
) -> list[MatchRecord]:
    """The matches in a document of a search."""
    fields, entities = hit.fields, hit.entities
    names, ciks = [name for _, name in entities], [cik for cik, _ in entities]
    return [
        MatchRecord(
            document_id=hit.document_id,
            accnum=fields.accession_number[0],
            form_type=fields.form_type[0],
            filing_date=fields.filing_date[0],
            related_company_names=names,
            ciks=ciks,
            filename=fields.file_name[0],
            start=match.start,
            end=match.end,
            text=match.text,
            before=match.before,
            after=match.after,
            section=None if match.section is None else section_name(match.section),
            text_sha256=text_sha256,
        )
        for match in matches
    ]


def filings_in(hits: Iterable[DocumentHit]) -> list[list[DocumentHit]]:
    """Hits that follow each other in the order of filings, by filing."""
    return [list(group) for _, group in groupby(hits, _accession_number)]


def _accession_number(hit: DocumentHit) -> Any:
    return hit.fields.accession_number[0]
