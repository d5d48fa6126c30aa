"""What comes back from the engine for one hit of each kind of search."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from msgspec import Struct, field

from edgar_search.engine.replies import Hits
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import (
    FilingDocument,
    FilingItem,
    StoredFiling,
    StoredPassage,
    StoredSection,
    cik_in_value,
    parse_entity_value,
)

# Dates of filing of what is asked for, `2024-01-31`; None: they are not known.
Filed = Collection[str] | None

# s / (s + SCORE_HALF): the engine's score s of an ordinary hit is between 5 and 25, so that scores
# spread over the middle of 0 to 1.
SCORE_HALF = 15.0


def relevance(score: float) -> float:
    """The engine's score, any positive number, in the range from 0 to 1; rising with it."""
    return score / (score + SCORE_HALF)


class FilingHit(Struct):
    source: StoredFiling = field(name="_source")


class ListedEntity(Struct, frozen=True, gc=False):
    """What lists of filings show of a `FilingEntity`."""

    cik: str
    name: str


class ListedFiling(Struct, frozen=True):
    """What lists of filings show of a `StoredFiling`, in whose fields it is explained.

    A list has a thousand of them and more, and to read all that is stored takes several times as
    long.
    """

    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str]
    entities: list[ListedEntity]
    documents: list[FilingDocument]
    loaded_at: datetime
    primary: int = 0
    entity_name: str = ""
    size: int = 0
    period: date | None = None
    accepted_at: datetime | None = None
    eight_k_items: list[FilingItem] = []


AnyFiling = StoredFiling | ListedFiling


class ListedFilingHit(Struct):
    """`sort` is what the filing is sorted by, in order."""

    source: ListedFiling = field(name="_source")
    sort: list[Any] = []


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
    """`sort` is what the document is sorted by, in order."""

    fields: DocumentFields
    score: float = field(name="_score")
    sort: list[Any] = []

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]

    @property
    def filed(self) -> str:
        """The filing date, as `2024-01-31`: where the document has its passages."""
        return self.fields.filing_date[0]

    @property
    def ciks(self) -> list[str]:
        """CIKs of the filing, in the order of the header."""
        return list(map(cik_in_value, self.fields.entities))

    @property
    def entities(self) -> list[tuple[str, str]]:
        """CIK and name of each entity of the filing, in the order of the header."""
        return [parse_entity_value(value) for value in self.fields.entities]


class NumberFields(Struct):
    accession_number: list[str]


class NumberHit(Struct):
    """A document of which only the filing is asked."""

    fields: NumberFields


class FullFields(DocumentFields):
    """What a hit with all fields has beside."""

    document_type: list[str] = field(default_factory=lambda: [""])
    description: list[str] = field(default_factory=lambda: [""])
    size: list[int] = []
    sics: list[str] = []
    accepted_at: list[str] = []


class FullHit(DocumentHit):
    fields: FullFields


class DetailFields(DocumentFields):
    """What an answer may include beside."""

    document_type: list[str] = field(default_factory=lambda: [""])
    description: list[str] = field(default_factory=lambda: [""])
    accepted_at: list[str] = []
    period: list[str] = []
    items: list[str] = []
    first: list[bool] = []
    archived: list[bool] = []
    text_sha256: list[str] = []
    version: list[int] = field(name="_version", default_factory=list)


class DetailedHit(DocumentHit):
    fields: DetailFields


class BeginningHit(Struct):
    source: StoredPassage = field(name="_source")


class VersionedPassageHit(BeginningHit):
    version: int = field(name="_version")


class TextFields(Struct):
    document_id: list[str]
    filing_date: list[str]
    passages: list[int]
    text_sha256: list[str]
    text_length: list[int]


class TextHit(Struct):
    """A document as what its text is, with the names of the queries that match it."""

    fields: TextFields
    version: int = field(name="_version")
    matched: list[str] = field(name="matched_queries", default_factory=list)


class SectionHit(Struct):
    source: StoredSection = field(name="_source")


class VersionedSectionHit(SectionHit):
    version: int = field(name="_version")


class EntityHit(Struct):
    source: StoredEntity = field(name="_source")


class CikFields(Struct):
    cik: list[str]


class CikHit(Struct):
    fields: CikFields


class NameFields(CikFields):
    name: list[str] = []
    former_names: list[str] = field(name="former_names.name", default_factory=list)


class NamesHit(Struct):
    fields: NameFields

    @property
    def names(self) -> list[str]:
        """All names that the entity has or had."""
        return [*self.fields.name, *self.fields.former_names]


class NamedHit(Struct):
    """A document with the names of the queries that match it, each with its score."""

    fields: DocumentFields
    matched: dict[str, float] = field(name="matched_queries", default_factory=dict)

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]


class IdFields(Struct):
    document_id: list[str]


class IdHit(Struct):
    """A document by its id."""

    fields: IdFields


class PassageFields(Struct):
    document_id: list[str]
    number: list[int]


class PassageHighlight(Struct):
    text: list[str]


class PassageHit(Struct):
    fields: PassageFields
    highlight: PassageHighlight | None = None


class PlacedFields(PassageFields):
    start: list[int]


class PlacedPassageHit(PassageHit):
    fields: PlacedFields
    version: int = field(name="_version", default=0)


class SeveralPassages(Struct):
    hits: Hits[PlacedPassageHit]


class InnerHits(Struct):
    several: SeveralPassages


class SeveralHit(Struct):
    """The best passages of one document."""

    fields: PassageFields
    inner: InnerHits = field(name="inner_hits")

    @property
    def passages(self) -> list[PlacedPassageHit]:
        return self.inner.several.hits.hits

    @property
    def number(self) -> int:
        """How many passages of the document match; 0 where it was not counted to the end."""
        total = self.inner.several.hits.total
        return total.value if total is not None and total.relation == "eq" else 0


class DayBucket(Struct):
    date: str = field(name="key_as_string")
    count: int = field(name="doc_count")


class Days(Struct):
    buckets: list[DayBucket]


class DayAggregations(Struct):
    """How many documents became searchable on each day."""

    days: Days
