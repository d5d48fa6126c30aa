"""Status and error of many requests, and the form of every operation, as `frozen.json` keeps them.

A change of either must be meant: `EDGAR_SEARCH_TEST_EXAMPLES=write` writes the file instead of
comparing it, and the difference is reviewed with the change that made it.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from edgar_search.web.openapi.routes import document

pytestmark = pytest.mark.anyio
FILE = Path(__file__).with_name("frozen.json")
WRITE = os.environ.get("EDGAR_SEARCH_TEST_EXAMPLES") == "write"
PROSE = ("description", "summary", "example")
Json = dict[str, Any]


def kept() -> Json:
    content: Json = json.loads(FILE.read_bytes())
    return content


def write(part: str, value: Any) -> None:
    """Put one part into the file, an entry a line."""
    lines = []
    for name, entries in {**kept(), part: value}.items():
        rows = (
            [f"{json.dumps(key)}: {json.dumps(each)}" for key, each in entries.items()]
            if isinstance(entries, dict)
            else [json.dumps(entry) for entry in entries]
        )
        opening, closing = "{}" if isinstance(entries, dict) else "[]"
        lines.append(f"{json.dumps(name)}: {opening}\n" + ",\n".join(rows) + f"\n{closing}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def form(value: Any) -> Any:
    """Return a part of the document without its prose; properties may have names that prose has."""
    if isinstance(value, dict):
        shown = {k: form(v) for k, v in value.items() if k not in PROSE or not isinstance(v, str)}
        return {name: each for name, each in shown.items() if name != "example"}
    return list(map(form, value)) if isinstance(value, list) else value


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(form(value)).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    """Return a hash for each operation, each component and the rest of the OpenAPI document."""
    whole = document()
    found = {
        f"{method.upper()} {path}": digest(operation)
        for path, operations in whole["paths"].items()
        for method, operation in operations.items()
    }
    for kind, components in whole["components"].items():
        found |= {f"{kind} {name}": digest(each) for name, each in components.items()}
    return {**found, "the rest": digest({**whole, "info": {}, "paths": {}, "components": {}})}


def test_operations_have_the_form_that_is_kept() -> None:
    found = digests()
    if WRITE:
        write("openapi", found)
    expected = kept()["openapi"]
    assert [name for name in {**expected, **found} if found.get(name) != expected.get(name)] == []
    assert list(found) == list(expected)


async def answer(client: httpx.AsyncClient, method: str, target: str, body: Any) -> list[Any]:
    """Return the status, and the error if there is one."""
    content = None if body is None else json.dumps(body)
    reply = await client.request(method, target, content=content)
    error = reply.json().get("error") if reply.status_code >= 400 else None
    return [reply.status_code, error]


async def test_requests_are_answered_as_is_kept(client: httpx.AsyncClient) -> None:
    requests = kept()["requests"]
    found = [
        [method, target, body, *await answer(client, method, target, body)]
        for method, target, body, *_ in requests
    ]
    if WRITE:
        write("requests", found)
        requests = found
    assert [row for row, before in zip(found, requests, strict=True) if row != before] == []
