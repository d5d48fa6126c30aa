"""Results of searches as callers see them: hits, and pages of hits."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Node
from edgar_search.search.query.operands import any_operands, missing_operands
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.search.warnings.nearest import SearchWarning, shorten
from edgar_search.search.warnings.words import MissingWord
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import (
    cik_in_value,
    parse_entity_value,
)

# Filing dates of the entries to read, such as `2024-01-31`; None if unknown.
FilingDates = Collection[str] | None

# s / (s + SCORE_HALF): the engine scores an ordinary hit s between 5 and 25, so that results spread
# over the middle of 0 to 1.
SCORE_HALF = 15.0


def relevance(score: float) -> float:
    """Map the engine's score, any positive number, to the range from 0 to 1; monotonic."""
    return score / (score + SCORE_HALF)


class DocumentFields(Struct):
    """Fields read from doc values: always lists, even for one value."""

    document_id: list[str]
    accession_number: list[str]
    form_type: list[str]
    filing_date: list[str]
    passages: list[int]
    entities: list[str] = []
    file_name: list[str] = field(default_factory=lambda: [""])


class DocumentHit(Struct):
    """A document with its sort values, and `lacks`, the operands it does not contain.

    `matched` are the names of the operands that it contains, if some may be absent; `has_some` is
    false if it contains none, and only belongs to a company that the question names.
    """

    fields: DocumentFields
    score: float = field(name="_score")
    sort: list[Any] = []
    matched: list[str] = field(name="matched_queries", default_factory=list)
    lacks: tuple[str, ...] = ()
    has_some: bool = True

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]

    @property
    def filed(self) -> str:
        """The filing date, such as `2024-01-31`, which decides the index of its passages."""
        return self.fields.filing_date[0]

    @property
    def ciks(self) -> list[str]:
        """The filing's CIKs, in the order of the header."""
        return list(map(cik_in_value, self.fields.entities))

    @property
    def entities(self) -> list[tuple[str, str]]:
        """CIK and name of each entity of the filing, in the order of the header."""
        return [parse_entity_value(value) for value in self.fields.entities]


class FullFields(DocumentFields):
    """All fields of a hit."""

    document_type: list[str] = field(default_factory=lambda: [""])
    description: list[str] = field(default_factory=lambda: [""])
    size: list[int] = []
    sics: list[str] = []
    accepted_at: list[str] = []


class FullHit(DocumentHit):
    fields: FullFields


class DetailFields(DocumentFields):
    """The fields that an answer may include."""

    document_type: list[str] = field(default_factory=lambda: [""])
    description: list[str] = field(default_factory=lambda: [""])
    size: list[int] = []
    accepted_at: list[str] = []
    period: list[str] = []
    items: list[str] = []
    first: list[bool] = []
    archived: list[bool] = []
    text_sha256: list[str] = []
    auditor: list[str] = []
    auditor_location: list[str] = []
    auditor_firm_id: list[str] = []
    version: list[int] = field(name="_version", default_factory=list)


class DetailedHit(DocumentHit):
    fields: DetailFields


class Group(NamedTuple):
    """A filing: how many of its documents are shown, and how many match."""

    shown: int
    number: int


class Respelling(NamedTuple):
    """A question in another spelling: its criteria and its text.

    `words` maps the replaced tokens to their replacements.
    """

    criteria: DocumentCriteria
    text: str
    words: dict[str, str]

    @property
    def warning(self) -> SearchWarning:
        """The warning that this spelling was searched."""
        missing, nearest = (
            " and ".join(f"`{shorten(word)}`" for word in words)
            for words in (self.words.keys(), self.words.values())
        )
        text = f"no document has {missing}; the hits are those with {nearest} instead"
        return SearchWarning("query", text)


class FoundDocument(NamedTuple):
    """A hit with its snippet, or "" if none was requested.

    `placed` are snippets with positions, the best first, if requested; a document that is being
    loaded again may have none. `passages` counts the passages that show a leaf of the query; 0 if
    unknown.
    """

    hit: DocumentHit
    snippet: str = ""
    placed: Sequence[LocatedSnippet] = ()
    passages: int = 0


class DocumentPage(NamedTuple):
    """A window of documents; `total` counts all matches.

    `warnings` name parts of the search that were probably meant otherwise or are not supported. In
    a window of filings, `groups` are the filings, and the documents of each follow one another;
    `total` then counts filings, and unless it is `exact` it is a lower bound. `whole` counts the
    documents with all operands, if others match too. `withdrawn` gives since when filings are
    withdrawn, by accession number, if requested. `missing` are words that no document contains, if
    none has all operands, and `respelling` is what was searched instead, if anything.
    """

    total: int
    found: Sequence[FoundDocument]
    warnings: tuple[SearchWarning, ...] = ()
    groups: tuple[Group, ...] | None = None
    exact: bool = True
    whole: int | None = None
    withdrawn: Mapping[str, str] = MappingProxyType({})
    missing: Sequence[MissingWord] = ()
    respelling: Respelling | None = None

    @property
    def all_warnings(self) -> list[SearchWarning]:
        """The warnings, beginning with the one about another spelling, if it was searched."""
        return [*([self.respelling.warning] if self.respelling else ()), *self.warnings]

    @property
    def hits(self) -> list[DocumentHit]:
        """The hits of the documents, in order."""
        return [document.hit for document in self.found]


class FullPage(NamedTuple):
    """A window of hits; `total` counts all matches.

    Snippets and texts belong to the first hits, `entities` to the filings of all hits.
    """

    total: int
    hits: list[FullHit]
    snippets: list[str]
    texts: list[str]
    entities: list[StoredEntity]


class DayCount(Struct, frozen=True):
    """A day (UTC), as `YYYY-MM-DD`, and the number of documents on it."""

    date: str
    count: int


class NewDocumentPage(NamedTuple):
    """Matching documents that became searchable, newest first; `days` lists every day."""

    page: DocumentPage
    days: list[DayCount]


def tell_lacks(hits: Iterable[DocumentHit], node: Node | None) -> None:
    """Record in each hit of a query which operands it lacks."""
    operands = any_operands(node)
    for hit in hits:
        hit.lacks = missing_operands(operands, hit.matched)
        hit.has_some = bool(hit.matched)
