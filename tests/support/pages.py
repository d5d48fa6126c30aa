"""The pages, with what a browser sends and keeps."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.settings import Settings

BASE = "http://127.0.0.1:8000"
OWN = {"Sec-Fetch-Site": "same-origin"}


class Browser:
    """A browser with cookies of its own."""

    def __init__(self, app: Any, base: str = BASE) -> None:
        self.app = app
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base)

    async def get(self, path: str) -> httpx.Response:
        return await self.http.get(path)

    async def post(self, path: str, /, headers: Any = OWN, **fields: str) -> httpx.Response:
        return await self.http.post(path, data=fields, headers=headers)

    async def sign_in(self, name: str, following: str = "/account") -> httpx.Response:
        return await self.post("/sign-in/local", name=name, next=following)


@asynccontextmanager
async def open_pages(settings: Settings) -> AsyncIterator[Any]:
    """Yield the application with pages that users of the local issuer can sign in to."""
    usual = {"pages": "open", "pages_rate": 10_000, "auth_rate": 10_000, "local_issuer": True}
    async with LifespanManager(create_app(msgspec.structs.replace(settings, **usual))) as manager:
        yield manager.app
