"""Form types, CIKs and words that stored filings are known to contain."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cachetools import FIFOCache

from edgar_search.edgar.identifiers import root_form
from edgar_search.engine.engine import Engine
from edgar_search.search.counts import count_values

# How many CIKs and words are cached, some megabytes, and how many CIKs one request may look up, in
# a few milliseconds.
MAX_REMEMBERED = 20_000
MAX_ASKED = 200


class KnownValues:
    """Caches form types, CIKs and words that filings were found to contain.

    A request with known values makes no further engine requests, and a value loaded a moment ago is
    never called unknown. A value deleted since then causes no warning. A word is cached with its
    forms, if a document contains one of them.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._form_types: set[str] = set()
        # Sets: only the keys count.
        self._ciks: FIFOCache[str, None] = FIFOCache(MAX_REMEMBERED)
        self.words: FIFOCache[tuple[str, ...], None] = FIFOCache(MAX_REMEMBERED)

    def remember(self, form_types: Iterable[str], ciks: Iterable[str]) -> None:
        """Remember values that filings have."""
        self._form_types.update(form_types)
        self._ciks.update(dict.fromkeys(ciks))

    async def unknown_form_types(self, asked: Sequence[str]) -> tuple[list[str], dict[str, int]]:
        """Find form types that no filing has; also return how many filings each other one has."""
        if self._form_types.issuperset(asked):
            return [], {}
        counts = await count_values(self._engine, "filings", "form_type")
        self._form_types.update(counts)
        return [form_type for form_type in asked if form_type not in counts], counts

    async def unknown_families(self, asked: Sequence[str]) -> tuple[list[str], Mapping[str, int]]:
        """Find form types that neither a filing nor an amendment has; also return the numbers."""
        if not asked:
            return [], {}
        known_roots = set(map(root_form, self._form_types))
        _, counts = await self.unknown_form_types(
            [family for family in asked if family not in known_roots]
        )
        families: Counter[str] = Counter()
        for form_type, count in counts.items():
            families[root_form(form_type)] += count
        return [family for family in asked if family not in known_roots | families.keys()], families

    async def unknown_ciks(self, asked: Iterable[str]) -> set[str]:
        """Find CIKs that no filing has, among the first `MAX_ASKED` that are not cached."""
        unchecked = [cik for cik in dict.fromkeys(asked) if cik not in self._ciks][:MAX_ASKED]
        if not unchecked:
            return set()
        counts = await count_values(self._engine, "filings", "ciks", unchecked)
        self.remember((), counts)
        return set(unchecked) - counts.keys()
