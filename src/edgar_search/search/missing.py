"""Filings that are known and cannot be searched."""

from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import missing_body
from edgar_search.search.criteria import CoverageCriteria
from edgar_search.stored.ledger import LedgerEntry


class Missing(NamedTuple):
    """Some of them, newest first; `total` counts all."""

    total: int
    filings: list["MissingFiling"]


class MissingFiling(Struct):
    """A filing by its accession number, with what the ledger has of it."""

    accession_number: str = field(name="_id")
    entry: LedgerEntry = field(name="_source")


async def missing_filings(engine: Engine, criteria: CoverageCriteria, most: int) -> Missing:
    """Those of these days and forms that wait or were refused; one engine request."""
    reply = await engine.search("ledger", missing_body(criteria, most), MissingFiling)
    return Missing(reply.total, reply.hits.hits)
