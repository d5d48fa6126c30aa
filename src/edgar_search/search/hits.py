"""What comes back from Elasticsearch for one hit of each kind of search."""

from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.stored.document import parse_entity_value
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.filing import StoredFiling
from edgar_search.stored.passage import StoredPassage
from edgar_search.stored.section import StoredSection


class FilingHit(Struct):
    source: StoredFiling = field(name="_source")


class DocumentFields(Struct):
    """Fields by doc values: lists, also where a document has one value."""

    document_id: list[str]
    accession_number: list[str]
    form_type: list[str]
    filing_date: list[str]
    passages: list[int]
    entities: list[str] = []
    file_name: list[str] = field(default_factory=lambda: [""])


class DocumentHit(Struct):
    fields: DocumentFields
    score: float = field(name="_score")

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]


class FoundFields(DocumentFields):
    """What a hit of Version 2 has beside."""

    document_type: list[str] = field(default_factory=lambda: [""])
    description: list[str] = field(default_factory=lambda: [""])
    size: list[int] = []
    sics: list[str] = []
    accepted_at: list[str] = []


class FoundHit(DocumentHit):
    fields: FoundFields

    @property
    def ciks(self) -> list[str]:
        """The CIKs of the filing's entities, in the order of the header."""
        return [parse_entity_value(value)[0] for value in self.fields.entities]


class StoredPassageHit(Struct):
    source: StoredPassage = field(name="_source")


class SectionHit(Struct):
    source: StoredSection = field(name="_source")


class EntityHit(Struct):
    source: StoredEntity = field(name="_source")


class CikFields(Struct):
    cik: list[str]


class CikHit(Struct):
    fields: CikFields


class NamedHit(Struct):
    """A document with the names of the queries that match it, each with its score."""

    fields: DocumentFields
    matched: dict[str, float] = field(name="matched_queries", default_factory=dict)

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]


class Beginning(Struct):
    """What is read of a document's first passage."""

    document_id: str
    text: str


class BeginningHit(Struct):
    source: Beginning = field(name="_source")


class PassageFields(Struct):
    document_id: list[str]
    number: list[int]


class PassageHighlight(Struct):
    text: list[str]


class PassageHit(Struct):
    fields: PassageFields
    highlight: PassageHighlight | None = None


class FoundPage(NamedTuple):
    """A window of hits; `total` counts all that match.

    Snippets and texts are those of the first hits. `entities` are those of all hits' filings.
    """

    total: int
    hits: list[FoundHit]
    snippets: list[str]
    texts: list[str]
    entities: list[StoredEntity]


class DayBucket(Struct):
    date: str = field(name="key_as_string")
    count: int = field(name="doc_count")


class Days(Struct):
    buckets: list[DayBucket]


class WatchedAggregations(Struct):
    """How many documents became searchable on each day."""

    days: Days
