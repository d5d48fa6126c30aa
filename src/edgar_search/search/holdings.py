"""What is loaded here, in all."""

import asyncio
from datetime import UTC, date, datetime
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.bodies.holdings import holdings_body, last_day_body


class Holdings(NamedTuple):
    """Filings, and documents with text; the days are None where nothing is loaded.

    A filing that is dated in the future counts for the last day only where there is no other.
    """

    filings: int
    documents: int
    first_day: date | None
    last_day: date | None


class _Day(Struct):
    day: date | None = field(name="value_as_string", default=None)


class _Last(Struct):
    last: _Day


class _Days(_Last):
    first: _Day


async def holdings(engine: Engine) -> Holdings:
    """Count what is searchable now; three engine requests at most."""
    filings, documents = await asyncio.gather(
        engine.search("filings", holdings_body(), Struct),
        engine.search("documents", holdings_body(), Struct),
    )
    days = decode(bytes(filings.aggregations), _Days)
    last, most = days.last.day, last_filing_date(datetime.now(UTC))
    if last is not None and last > most:
        past = await engine.search("filings", last_day_body(most), Struct)
        last = decode(bytes(past.aggregations), _Last).last.day or last
    return Holdings(filings.total, documents.total, days.first.day, last)
