"""What is loaded here, in all."""

import asyncio
from datetime import date
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.bodies.holdings import holdings_body


class Holdings(NamedTuple):
    """Filings, and documents with text; the days are None where nothing is loaded."""

    filings: int
    documents: int
    first_day: date | None
    last_day: date | None


class _Day(Struct):
    day: date | None = field(name="value_as_string", default=None)


class _Days(Struct):
    first: _Day
    last: _Day


async def holdings(engine: Engine) -> Holdings:
    """What is searchable now; two engine requests."""
    filings, documents = await asyncio.gather(
        engine.search("filings", holdings_body(), Struct),
        engine.search("documents", holdings_body(), Struct),
    )
    days = decode(bytes(filings.aggregations), _Days)
    return Holdings(filings.total, documents.total, days.first.day, days.last.day)
