"""A token for each filing year that changes whenever an entry of the year does."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Buckets
from edgar_search.search.query.matching import Clause


class _Changes(Struct):
    count: int
    sum: float


class _Year(Struct):
    key_as_string: str
    changes: _Changes


class _Reply(Struct):
    years: Buckets[_Year]


def states_body() -> Clause:
    """Build the request for each year's number of entries, and their change numbers.

    Each change gives an entry a higher number, so any change of a year alters the count or the sum.
    """
    by_year = {
        "field": "filing_date",
        "calendar_interval": "year",
        "format": "yyyy",
        "min_doc_count": 1,
    }
    changes = {"stats": {"field": "_seq_no"}}
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"years": {"date_histogram": by_year, "aggs": {"changes": changes}}},
    }


async def yearly_states(engine: Engine, kinds: Iterable[Kind]) -> Mapping[int, str]:
    """Return the state of these kinds in each year that has entries.

    Makes one engine request for each kind.
    """
    states_found: dict[int, list[str]] = {}
    for kind in kinds:
        reply = await engine.aggregate(kind, states_body(), _Reply)
        for year in reply.years.buckets:
            state = f"{kind} {year.changes.count} {year.changes.sum:.0f}"
            states_found.setdefault(int(year.key_as_string), []).append(state)
    return {year: ", ".join(states) for year, states in sorted(states_found.items())}
