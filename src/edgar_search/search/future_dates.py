"""Filings whose date is in the future: one that their header has wrong."""

from datetime import UTC, datetime

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import future_body
from edgar_search.search.missing import MissingFiling

_EXAMPLES = 3


async def future_dates(engine: Engine) -> list[str]:
    """A sentence on those that are loaded, if there are any; one engine request."""
    last = last_filing_date(datetime.now(UTC))
    reply = await engine.search("ledger", future_body(last, _EXAMPLES), MissingFiling)
    if not reply.total:
        return []
    examples = [f"{hit.accession_number} of {hit.entry.filing_date}" for hit in reply.hits.hits]
    number = "1 filing here is" if reply.total == 1 else f"{reply.total} filings here are"
    return [f"filing_date: {number} dated after {last}, such as {', '.join(examples)}"]
