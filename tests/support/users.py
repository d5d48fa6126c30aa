"""Users of the service, whose requests go to several instances of it in turn."""

import itertools
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import msgspec
from asgi_lifespan import LifespanManager

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.app import create_app
from edgar_search.settings import Settings

Json = dict[str, Any]


class User:
    """One user; each request goes to another instance than the one before."""

    def __init__(self, instances: Sequence[httpx.AsyncClient], token: str) -> None:
        self._turns = itertools.cycle(instances)
        self.headers = {"Authorization": f"Bearer {token}"}

    async def ask(
        self, method: str, path: str, body: Json | None = None, **parameters: Any
    ) -> tuple[int, Any]:
        """Return the status and body of an answer."""
        instance = next(self._turns)
        reply = await instance.request(
            method, f"/auth/{path}", json=body, params=parameters, headers=self.headers
        )
        assert reply.headers["cache-control"] == "no-store"
        return reply.status_code, reply.json()

    async def get(self, path: str, **parameters: Any) -> Json:
        """Return the answer to a request to read, which is to succeed."""
        status, answer = await self.ask("GET", path, **parameters)
        assert status == 200, answer
        return dict(answer)

    async def post(self, path: str, body: Json) -> Json:
        """Return the answer to a request to change something, which is to succeed."""
        status, answer = await self.ask("POST", path, body)
        assert status in (200, 201), answer
        return dict(answer)

    async def refused(self, method: str, path: str, body: Json | None = None, **more: Any) -> Any:
        """Return the status and text of a refusal."""
        status, answer = await self.ask(method, path, body, **more)
        assert status >= 400
        return status, answer["error"]


class Users:
    """All users of two instances of the service, which share nothing but Elasticsearch."""

    def __init__(self, instances: Sequence[httpx.AsyncClient], issuer: LocalIssuer) -> None:
        self.instances = instances
        self._issuer = issuer

    def new(self) -> User:
        """Return a user that nobody has seen before."""
        return self.named(secrets.token_hex(8))

    def named(self, subject: str) -> User:
        """Return the user of this subject."""
        return User(self.instances, self._issuer.token(subject))


@asynccontextmanager
async def serving_users(settings: Settings, instances: int = 2) -> AsyncIterator[Users]:
    """Yield this many instances of the service with the local issuer."""
    # One user does here in a second what many do in a minute, and on a busy machine a thousand
    # changes at once wait for each other longer than a request may.
    settings = msgspec.structs.replace(
        settings, local_issuer=True, auth_rate=1_000_000, searches=1_000_000, es_timeout=60.0
    )
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(instances):
            manager = await stack.enter_async_context(LifespanManager(create_app(settings)))
            transport = httpx.ASGITransport(manager.app)
            client = httpx.AsyncClient(transport=transport, base_url="http://test")
            clients.append(await stack.enter_async_context(client))
        yield Users(clients, LocalIssuer(settings.absolute_home))
