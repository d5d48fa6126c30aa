"""Criteria of searches, as frozen values; every API version translates its requests into these."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

from edgar_search.search.language import Node
from edgar_search.search.language.dialects import Translation
from edgar_search.search.reading.question import Reading
from edgar_search.stored.filters import DocumentFilters

Order = Literal["asc", "desc"]
FilingField = Literal[
    "filing_date", "accepted_at", "period", "form_type", "size", "entity_name", "entity_name_key"
]
# Sorting "filing" keeps the documents of a filing together, ordered by date and accession number.
DocumentField = Literal["_score", "filing_date", "filing"]
Operands = Literal["all", "most"]
OPERANDS: tuple[Operands, ...] = ("all", "most")
# The name of the detail that adds the position of a hit's snippet.
OFFSETS = "offsets"
# The detail that names the section of the best snippet.
SECTION = "section"
# The detail that makes snippets citable, by the characters around them.
CITATION = "citation"


class Window(Struct, frozen=True):
    """Rows from `start`, counted from 0, to `end`, exclusive."""

    start: int
    end: int

    @property
    def size(self) -> int:
        """The most rows it can contain."""
        return self.end - self.start


class EntityCriteria(Struct, frozen=True):
    """Filters of entities; an empty value does not filter.

    Each of `name_includes` must occur in one of the entity's names, or all its words must be words
    of one name, in any order, or it must be a common name for the entity, such as a nickname; none
    of `name_excludes` may occur in the current name.
    """

    ciks: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    index_tickers: tuple[str, ...] = ()
    exchanges: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    name_includes: tuple[str, ...] = ()
    name_excludes: tuple[str, ...] = ()
    sics: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    eins: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != _ANY_ENTITY


_ANY_ENTITY = EntityCriteria()


EventSide = Literal["near", "after", "before"]


class JoinedEvent(Struct, frozen=True):
    """An event of the same company within some days of a filing, or on one side of it.

    `form` is 8-K with an item as its `code`, or 4 with a code of transactions.
    """

    form: str
    code: str
    days: int
    side: EventSide = "near"


class FilingCriteria(DocumentFilters, frozen=True):
    """The filters of `DocumentFilters`, and further ones for filings.

    Without any filter everything matches. Both dates are inclusive. One entity of a filing must
    meet all of `entities`, and have all `events` near the filing. `number_prefixes` are beginnings
    of accession numbers, alternatives to `numbers`. Filings without documents have no period of
    report, document type or first document.
    """

    from_date: date | None = None
    to_date: date | None = None
    numbers: tuple[str, ...] = ()
    number_prefixes: tuple[str, ...] = ()
    excluded_form_types: tuple[str, ...] = ()
    entities: tuple[EntityCriteria, ...] = ()
    events: tuple[JoinedEvent, ...] = ()

    @property
    def names_entities(self) -> bool:
        """True if tickers, a company name, entity criteria or events must be resolved to CIKs."""
        return bool(self.ticker or self.company or any(self.entities) or self.events)


ANY_FILING = FilingCriteria()


class DocumentCriteria(Struct, frozen=True):
    """A query with filters of documents and their filings; `ids` are document ids.

    Without a query only the first document of each filing matches, unless `all_documents` is set.
    `reading` is set if the query is a natural-language question, and `translation` if it was
    written in another query language.
    """

    query: Node | None
    filings: FilingCriteria = FilingCriteria()
    ids: tuple[str, ...] = ()
    all_documents: bool = False
    reading: Reading | None = None
    translation: Translation | None = None


class EntitySearch(Struct, frozen=True):
    """A window of entities, ordered by CIK."""

    criteria: EntityCriteria
    window: Window


class FilingSearch(Struct, frozen=True):
    """A window of filings, latest first by default.

    `details` names further fields of a filing to include in the answer.
    """

    criteria: FilingCriteria
    window: Window
    sort_by: FilingField = "filing_date"
    order: Order = "desc"
    details: tuple[str, ...] = ()


class DocumentSearch(Struct, frozen=True):
    """A window of documents, best first by default.

    With `sorted_by`, the field of a figure, they are sorted by it instead of by `sort_by`;
    documents without it come last.

    `details` names further fields of a document and its filing to include in the answer. With
    `operands` "most", documents with fewer operands follow if few have all. `snippets` is the most
    that each hit shows with positions, 0 if none are requested. If `grouped`, the window is of
    their filings.
    """

    criteria: DocumentCriteria
    window: Window
    sort_by: DocumentField = "_score"
    order: Order = "desc"
    details: tuple[str, ...] = ()
    operands: Operands = "all"
    snippets: int = 0
    grouped: bool = False
    sorted_by: str | None = None

    @property
    def by_score(self) -> bool:
        """True if the best come first."""
        return self.sort_by == "_score" and self.sorted_by is None

    @property
    def places(self) -> bool:
        """True if snippets are returned with their positions."""
        return self.snippets > 0 or not {SECTION, OFFSETS, CITATION}.isdisjoint(self.details)


class FacetSearch(Struct, frozen=True):
    """Facets by name, with at most `limit` of the most common values of each."""

    criteria: DocumentCriteria
    names: tuple[str, ...]
    limit: int
    operands: Operands = "all"


class Interval(Struct, frozen=True):
    """A time interval that excludes its first moment."""

    since: datetime
    until: datetime


class CoverageCriteria(Struct, frozen=True):
    """Filing dates, both inclusive, and form types; none means all."""

    first_day: date
    last_day: date
    form_types: tuple[str, ...] = ()
