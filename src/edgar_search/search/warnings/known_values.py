"""Form types, CIKs and words that the filings here are known to have."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cachetools import FIFOCache
from msgspec import Struct, field

from edgar_search.edgar.identifiers import root_form
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.query.matching import Clause

# EDGAR has some 700 form types, with amendments.
MAX_FORM_TYPES = 5_000
# The distance of similar words from a missing one.
_MAX_EDITS, _SAME_LETTERS, _MIN_LETTERS = 2, 1, 4
_OPTIONS = 10


def form_types_body() -> Clause:
    """All form types, each with its number."""
    return _counts("form_type", {"size": MAX_FORM_TYPES})


def document_types_body() -> Clause:
    """Types of documents, each with its number: the commonest of them."""
    return _counts("document_type", {"size": MAX_FORM_TYPES})


def ciks_body(ciks: Sequence[str]) -> Clause:
    """The CIKs among these that occur."""
    among = {"size": len(ciks), "include": list(ciks)}
    return {"query": {"terms": {"ciks": list(ciks)}}, **_counts("ciks", among)}


def occurrences_body(clauses: Sequence[Clause], among: Clause | None = None) -> Clause:
    """A request for the number of documents that each clause matches, in order, among `among`."""
    return {
        **({"query": among} if among else {}),
        "size": 0,
        "track_total_hits": False,
        "aggs": {"matches": {"filters": {"filters": list(clauses)}}},
    }


def similar_words_body(words: Sequence[str]) -> Clause:
    """For each of these tokens, which no text has, the words of texts that are like it.

    By likeness, then by the number of documents that have them.
    """
    term = {
        "field": "text",
        # A token stays one.
        "analyzer": "keyword",
        "size": _OPTIONS,
        "max_edits": _MAX_EDITS,
        "prefix_length": _SAME_LETTERS,
        "min_word_length": _MIN_LETTERS,
    }
    suggest = {str(place): {"text": word, "term": term} for place, word in enumerate(words)}
    return {"size": 0, "track_total_hits": False, "suggest": suggest}


def _counts(field: str, among: Clause) -> Clause:
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"terms": {"field": field, **among}}},
    }


# The numbers of CIKs and of words that are remembered, some megabytes, and of CIKs that one request
# may look up, in a few milliseconds.
MAX_REMEMBERED = 20_000
MAX_ASKED = 200


class _Bucket(Struct):
    key: str
    count: int = field(name="doc_count")


class _Values(Struct):
    buckets: list[_Bucket]


class _Counts(Struct):
    values: _Values


class _Match(Struct):
    count: int = field(name="doc_count")


class _Matches(Struct):
    buckets: list[_Match]


class _Occurrences(Struct):
    matches: _Matches


class KnownValues:
    """Form types and CIKs of filings, and words; values that were found are remembered.

    So a request with known values costs Elasticsearch nothing more, and a value that was loaded a
    moment ago is never called unknown. A value that was deleted since has no warning. A word is
    remembered with its forms, if a document has one of them.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._form_types: set[str] = set()
        # Sets: only their keys count.
        self._ciks: FIFOCache[str, None] = FIFOCache(MAX_REMEMBERED)
        self.words: FIFOCache[tuple[str, ...], None] = FIFOCache(MAX_REMEMBERED)

    def remember(self, form_types: Iterable[str], ciks: Iterable[str]) -> None:
        """Take note of values that filings have."""
        self._form_types.update(form_types)
        self._ciks.update(dict.fromkeys(ciks))

    async def unknown_form_types(self, asked: Sequence[str]) -> tuple[list[str], dict[str, int]]:
        """Find form types that no filing has; return also the numbers of filings of the others."""
        if self._form_types.issuperset(asked):
            return [], {}
        counts = await form_type_counts(self._engine, "filings")
        self._form_types.update(counts)
        return [each for each in asked if each not in counts], counts

    async def unknown_families(self, asked: Sequence[str]) -> tuple[list[str], Mapping[str, int]]:
        """Find form types that neither a filing nor an amendment has; return also the numbers."""
        if not asked:
            return [], {}
        known = set(map(root_form, self._form_types))
        _, counts = await self.unknown_form_types([each for each in asked if each not in known])
        families: Counter[str] = Counter()
        for form_type, count in counts.items():
            families[root_form(form_type)] += count
        return [each for each in asked if each not in known | families.keys()], families

    async def unknown_ciks(self, asked: Iterable[str]) -> set[str]:
        """Find CIKs that no filing has, among the first `MAX_ASKED` that are not remembered."""
        left = [cik for cik in dict.fromkeys(asked) if cik not in self._ciks][:MAX_ASKED]
        if not left:
            return set()
        found = await counts_of(self._engine, "filings", ciks_body(left))
        self.remember((), found)
        return set(left) - found.keys()


async def form_type_counts(engine: Engine, kind: Kind) -> dict[str, int]:
    """All form types of filings, or of the ledger, with their numbers."""
    return await counts_of(engine, kind, form_types_body())


async def match_counts(
    engine: Engine, kind: Kind, clauses: Sequence[Clause], among: Clause | None = None
) -> list[int]:
    """The number of entries that each clause matches, among those that `among` matches."""
    matches = (await engine.aggregate(kind, occurrences_body(clauses, among), _Occurrences)).matches
    return [bucket.count for bucket in matches.buckets]


async def counts_of(engine: Engine, kind: Kind, body: dict[str, object]) -> dict[str, int]:
    """Each value of a body that counts values, with its number."""
    values = (await engine.aggregate(kind, body, _Counts)).values
    return {bucket.key: bucket.count for bucket in values.buckets}
