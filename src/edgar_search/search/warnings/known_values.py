"""Which form types and CIKs the filings here have, and which words their documents."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from edgar_search.edgar.identifiers import root_form
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.bodies.known_values import (
    ciks_body,
    form_types_body,
    occurrences_body,
)
from edgar_search.search.clauses import Clause
from edgar_search.search.warnings.remembered import Remembered

# CIKs, and words, that are remembered, and CIKs that one request may ask for beside: some
# megabytes, and a few milliseconds.
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
    """Form types and CIKs of filings, and words; what was asked for and is here is remembered.

    So a request with values that are known costs Elasticsearch nothing more, and what was loaded
    a moment ago is never called unknown. Of what was deleted since nothing is said. A word is
    remembered with its forms, of which a document has one.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._form_types: set[str] = set()
        self._ciks = Remembered[str](MAX_REMEMBERED)
        self.words = Remembered[tuple[str, ...]](MAX_REMEMBERED)

    def remember(self, form_types: Iterable[str], ciks: Iterable[str]) -> None:
        """Take note of values that filings have."""
        self._form_types.update(form_types)
        self._ciks.add(ciks)

    async def unknown_form_types(self, asked: Sequence[str]) -> tuple[list[str], dict[str, int]]:
        """Those that no filing has, and the numbers of filings of those that there are."""
        if self._form_types.issuperset(asked):
            return [], {}
        counts = await form_type_counts(self._engine, "filings")
        self._form_types.update(counts)
        return [each for each in asked if each not in counts], counts

    async def unknown_families(self, asked: Sequence[str]) -> tuple[list[str], Mapping[str, int]]:
        """Those that are neither a form type of a filing nor that of an amendment; the same."""
        if not asked:
            return [], {}
        known = set(map(root_form, self._form_types))
        _, counts = await self.unknown_form_types([each for each in asked if each not in known])
        families: Counter[str] = Counter()
        for form_type, count in counts.items():
            families[root_form(form_type)] += count
        return [each for each in asked if each not in known | families.keys()], families

    async def unknown_ciks(self, asked: Iterable[str]) -> set[str]:
        """Those that no filing has; of more than `MAX_ASKED` that are not remembered the first."""
        left = [cik for cik in dict.fromkeys(asked) if cik not in self._ciks][:MAX_ASKED]
        if not left:
            return set()
        found = await counts_of(self._engine, "filings", ciks_body(left))
        self.remember((), found)
        return set(left) - found.keys()


async def form_type_counts(engine: Engine, kind: Kind) -> dict[str, int]:
    """All form types of filings, or of what the ledger knows, with their numbers."""
    return await counts_of(engine, kind, form_types_body())


async def match_counts(
    engine: Engine, kind: Kind, clauses: Sequence[Clause], among: Clause | None = None
) -> list[int]:
    """How many entries each clause matches, of those that `among` matches."""
    matches = (await engine.aggregate(kind, occurrences_body(clauses, among), _Occurrences)).matches
    return [bucket.count for bucket in matches.buckets]


async def counts_of(engine: Engine, kind: Kind, body: dict[str, object]) -> dict[str, int]:
    """Each value of a body that counts values, with its number."""
    values = (await engine.aggregate(kind, body, _Counts)).values
    return {bucket.key: bucket.count for bucket in values.buckets}
