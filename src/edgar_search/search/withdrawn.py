"""Filings that EDGAR has removed: they stay here, and it is told since when they are withdrawn."""

from collections.abc import Iterable

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import withdrawn_body

# The name of the detail that says so.
WITHDRAWN = "withdrawn"


class _Fields(Struct):
    withdrawn_at: list[str]


class _Hit(Struct):
    id: str = field(name="_id")
    fields: _Fields


async def withdrawn_since(engine: Engine, numbers: Iterable[str]) -> dict[str, str]:
    """Since when filings of these accession numbers are withdrawn; the others are left out.

    The time is that of the first index of EDGAR's that lacked the filing. One engine request.
    """
    asked = list(dict.fromkeys(numbers))
    if not asked:
        return {}
    reply = await engine.search("ledger", withdrawn_body(asked), _Hit)
    return {hit.id: hit.fields.withdrawn_at[0] for hit in reply.hits.hits}
