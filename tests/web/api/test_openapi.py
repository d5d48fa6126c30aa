"""The references for machines as they are served."""

import httpx
import msgspec
import pytest

from edgar_search.web.openapi.routes import document

pytestmark = pytest.mark.anyio
PATHS = ["/openapi.json", "/llms.txt"]


async def test_document_is_served_without_a_key(client: httpx.AsyncClient) -> None:
    reply = await client.get("/openapi.json")
    made = msgspec.json.decode(msgspec.json.encode(document()))
    assert (reply.status_code, reply.json()) == (200, made)
    assert reply.headers["content-type"] == "application/json"


async def test_page_for_language_models_is_markdown(client: httpx.AsyncClient) -> None:
    reply = await client.get("/llms.txt")
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert reply.text.startswith("# edgar-search\n")


@pytest.mark.parametrize("path", PATHS)
async def test_what_the_client_has_is_not_sent_again(client: httpx.AsyncClient, path: str) -> None:
    etag = (await client.get(path)).headers["etag"]
    again = await client.get(path, headers={"If-None-Match": etag})
    other = await client.get(path, headers={"If-None-Match": '"other"'})
    assert (again.status_code, again.content, other.status_code) == (304, b"", 200)
