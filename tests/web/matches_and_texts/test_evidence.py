"""Refusals of `/v1/matches` and `/v1/text`, and their requests to Elasticsearch before."""

import httpx
import msgspec
import pytest

from tests.support.refusals import NO_QUERY
from tests.web.canned import KEY
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
ID = "0000320193-24-000001-1"
HEADERS = {"X-API-Key": KEY}
NO_ID = "`document_id` must be an accession number, a dash and a number, not "


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("matches", "`document_id` is missing"),
        ("matches?document_id=0000320193-24-000001", f"{NO_ID}`0000320193-24-000001`"),
        (f"matches?document_id={ID}x&query=a", f"{NO_ID}`{ID}x`"),
        (f"matches?document_id={ID}", NO_QUERY),
        (
            f"matches?document_id={ID}&query=a&limit=1001",
            "`limit` must be from 1 to 1000, not 1001",
        ),
        (f"matches?document_id={ID}&query=a&offset=-1", "`offset` must be at least 0, not -1"),
        (
            f"matches?document_id={ID}&query=a&word_forms=some",
            "`word_forms` must be one of exact, all, related, not `some`",
        ),
        ("text", "`document_id` is missing"),
        ("text?document_id=%20", "`document_id` is missing"),
        (f"text?document_id={ID}&start=-1", "`start` must be at least 0, not -1"),
        (f"text?document_id={ID}&start=a", "`start` must be a whole number of at least 0, not `a`"),
        (f"text?document_id={ID}&length=0", "`length` must be from 1 to 100000, not 0"),
        (f"text?document_id={ID}&length=100001", "`length` must be from 1 to 100000, not 100001"),
        (
            f"text?document_id={ID}&text_sha256=abc",
            "`text_sha256` must be a SHA-256 of 64 hexadecimal digits, not `abc`",
        ),
    ],
)
async def test_what_is_wrong_is_named_before_anything_is_asked(
    client: httpx.AsyncClient, stub: StubEngine, target: str, error: str
) -> None:
    reply = await client.get(f"/v1/{target}", headers=HEADERS)
    assert (reply.status_code, reply.json()) == (400, {"error": error})
    assert "documents/_search" not in stub.operations()


@pytest.mark.parametrize(("kind", "version"), [("documents", 2), ("sections", 1)])
@pytest.mark.parametrize("target", [f"matches?document_id={ID}&query=a", f"text?document_id={ID}"])
async def test_what_an_older_version_stored_has_no_places(
    client: httpx.AsyncClient, stub: StubEngine, target: str, kind: str, version: int
) -> None:
    mapping = {"i": {"mappings": {"_meta": {"version": version}}}}
    stub.faults[f"{kind}/_mapping"] = Reply(200, msgspec.json.encode(mapping))
    reply = await client.get(f"/v1/{target}", headers=HEADERS)
    assert reply.status_code == 503
    assert "not possible yet" in reply.json()["error"]
    assert "`edgar-ingest update`" in reply.json()["error"]


async def test_scope_of_a_key_is_asked_for(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.keys = {key: {**stored, "scopes": ["v1/search"]} for key, stored in stub.keys.items()}
    for target in (f"matches?document_id={ID}&query=a", f"text?document_id={ID}"):
        reply = await client.get(f"/v1/{target}", headers=HEADERS)
        assert reply.status_code == 403
