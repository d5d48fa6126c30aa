"""Every endpoint over an engine that answers all of them, for a client with a key and a token."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.document.text import MATCHED
from edgar_search.search.facets import MONTH, TERMS
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
NONE: Json = {"value": None}
NO_PAIRS: Json = {"aggregations": {"pairs": {"buckets": []}}}
# One document whose text is that of its one passage.
TEXT = canned_v2.PASSAGE_HIT["_source"]["text"]
DOCUMENT_HIT: Json = {
    **canned_v2.FOUND_HIT,
    "_version": 1,
    "matched_queries": [MATCHED],
    "fields": {
        **canned_v2.FOUND_HIT["fields"],
        "passages": [1],
        "text_sha256": [hashlib.sha256(TEXT.encode()).hexdigest()],
        "text_length": [len(TEXT)],
    },
}
PLACED_HIT: Json = {
    **canned_v2.PASSAGE_HIT,
    "_version": 1,
    "fields": {**canned_v2.PASSAGE_HIT["fields"], "start": [0]},
}
PASSAGE_HIT: Json = {
    **PLACED_HIT,
    "inner_hits": {"several": {"hits": {"max_score": None, "hits": [PLACED_HIT]}}},
}
OF_DOCUMENT = {"key": PLACED_HIT["fields"]["document_id"][0], "doc_count": 1}
SEARCHES = {
    **canned.SEARCHES,
    **canned_v2.SEARCHES,
    "documents": {**search_reply([DOCUMENT_HIT], 41), "aggregations": COUNTS},
    "passages": {
        **search_reply([PASSAGE_HIT]),
        "aggregations": {
            "versions": {"count": 1, "min": 1.0, "max": 1.0},
            "holders": {"buckets": [{"doc_count": 1}]},
            "counts": {"buckets": [OF_DOCUMENT]},
        },
    },
    "snapshots": {
        **search_reply([], 1),
        "aggregations": {"first": NONE, "own": {"doc_count": 1, "first": NONE}},
    },
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
