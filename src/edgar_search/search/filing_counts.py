"""Of how many filings the documents are that a search finds."""

from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.bodies.facets import FILINGS_LEFT_OUT, filings_body
from edgar_search.search.clauses import Clause


class FilingCount(NamedTuple):
    """A number of filings; where it is not `exact` there are at least so many."""

    number: int
    exact: bool


class _Filings(Struct):
    beyond: int = field(name="sum_other_doc_count")


class _Found(Struct):
    count: int


class _Counted(Struct):
    filings: _Filings
    found: _Found


async def count_filings(engine: Engine, query: Clause, account: str) -> FilingCount:
    """The number of filings of the documents that `query` matches; one engine request.

    Exact where not more than `MOST_COUNTED` documents match.
    """
    reply = await engine.search(
        "documents",
        filings_body(query),
        Struct,
        account=account,
        without=FILINGS_LEFT_OUT,
    )
    counted = decode(bytes(reply.aggregations), _Counted)
    exact = not reply.terminated_early and not counted.filings.beyond
    return FilingCount(counted.found.count, exact)
