"""Every endpoint over an engine that answers all of them, for a client with a key and a token."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.search.bodies.facets import MONTH, TERMS
from tests.web import canned, canned_v2
from tests.web.canned import Json, search_reply
from tests.web.conftest import serving
from tests.web.stub import StubEngine

COUNTED: Json = {"buckets": [], "doc_count_error_upper_bound": 0, "sum_other_doc_count": 0}
COUNTS: Json = {
    "days": {"buckets": []},
    "matches": {"buckets": [{"doc_count": 1}]},
    "filings": COUNTED,
    "found": {"count": 1},
    **dict.fromkeys(TERMS, COUNTED),
    MONTH: {"buckets": [{"key": 0, "key_as_string": "1970-01", "doc_count": 1}]},
}
NO_PAIRS: Json = {"aggregations": {"pairs": {"buckets": []}}}
SEARCHES = {
    **canned.SEARCHES,
    **canned_v2.SEARCHES,
    "documents": {**canned_v2.SEARCHES["documents"], "aggregations": COUNTS},
    "ledger": {**search_reply([]), **NO_PAIRS},
}


@pytest.fixture
async def stub(stub: StubEngine) -> StubEngine:
    stub.searches = dict(SEARCHES)
    return stub


@pytest.fixture
async def client(stub: StubEngine, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(stub.url, local_issuer=True, home=tmp_path, auth_rate=1_000_000) as client:
        token = LocalIssuer(tmp_path).token("somebody")
        client.headers.update({"X-API-Key": canned.KEY, "Authorization": f"Bearer {token}"})
        yield client
