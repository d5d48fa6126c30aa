"""Business days of which EDGAR's indices list no filing."""

from datetime import date

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import missing_days_body
from edgar_search.search.criteria import CoverageCriteria
from edgar_search.stored.missing_day import MissingDay


class _Hit(Struct):
    source: MissingDay = field(name="_source")


async def missing_days(engine: Engine, criteria: CoverageCriteria) -> list[date]:
    """Missing days of the range that were known when EDGAR's indices were last read, in order."""
    reply = await engine.search("missing_days", missing_days_body(criteria), _Hit)
    return [hit.source.day for hit in reply.hits.hits]
