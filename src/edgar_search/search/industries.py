"""Names of industries, as filing headers have them, remembered by a worker."""

from collections.abc import Sequence

from cachetools import FIFOCache, TTLCache
from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit, TopHits
from edgar_search.search.query.matching import Clause

# Older headers have the code of an industry without its name.
NAMED, _ASKED_FOR_NAME = "named", 10
# The SEC has some 450 codes, but a header may have any.
_MOST_REMEMBERED = 2_000
_LIFETIME = 60.0  # seconds for which a code without a name is not asked for again


def industries_body(codes: Sequence[str]) -> Clause:
    """Build the request for some entities of each of these industries, any of which may name it."""
    sample = {"name": NAMED, "size": _ASKED_FOR_NAME, "_source": ["sic_description"]}
    return {
        "query": {"bool": {"filter": [{"terms": {"sic": list(codes)}}]}},
        "collapse": {"field": "sic", "inner_hits": sample},
        "size": len(codes),
        "sort": ["_doc"],
        "_source": False,
        "track_total_hits": False,
    }


class _Fields(Struct):
    sic: list[str]


class _Described(Struct):
    sic_description: str | None = None


class IndustryHit(Struct):
    """An industry, with entities whose headers may name it."""

    fields: _Fields
    inner_hits: dict[str, TopHits[SourceHit[_Described]]]


class Industries:
    """Caches the names of industries by code.

    A name stays as it was found first: the SEC hardly ever gives a code another one, and to look
    for it Elasticsearch searches once for each code.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: FIFOCache[str, str] = FIFOCache(_MOST_REMEMBERED)
        # Only the keys count.
        self._unnamed: TTLCache[str, None] = TTLCache(_MOST_REMEMBERED, _LIFETIME)

    async def names(self, codes: Sequence[str]) -> dict[str, str]:
        """Return the names of these industries by code, where known.

        Makes one engine request for codes that are not cached.
        """
        known = {code: self._names[code] for code in codes if code in self._names}
        unknown = [each for each in codes if each not in known and each not in self._unnamed]
        if not unknown:
            return known
        reply = await self._engine.search("entities", industries_body(unknown), IndustryHit)
        names_found = {
            hit.fields.sic[0]: name.capitalize()
            for hit in reply.hits.hits
            for each in hit.inner_hits[NAMED].hits.hits
            if (name := each.source.sic_description)
        }
        self._names.update(names_found)
        self._unnamed.update(dict.fromkeys(code for code in unknown if code not in names_found))
        return known | names_found
