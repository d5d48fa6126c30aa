"""Requests of Version 2, as its clients send them."""

import json
from typing import Any
from urllib.parse import quote

import httpx

from tests.web.canned import KEY

AUTH = {"X-API-Key": KEY}
NUMBER = "0000320193-24-000001"


async def post(client: httpx.AsyncClient, path: str, body: Any) -> httpx.Response:
    """Return a POST with the key in its body, as the official client sends it."""
    return await client.post(f"/v2/{path}", json={"api_key": KEY, **body})


def in_query(fields: dict[str, Any]) -> str:
    """Return parameters as a query string, lists as JSON."""
    return "&".join(
        f"{name}={quote(value if isinstance(value, str) else json.dumps(value))}"
        for name, value in fields.items()
    )
