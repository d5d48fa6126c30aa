"""The clients that a proxy names, and the proxies that are believed."""

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from edgar_search.settings.values import trusted_networks
from edgar_search.web.middleware import Forwarded, client_of

pytestmark = pytest.mark.anyio
TRUSTED = trusted_networks("192.0.2.0/24, 2001:db8::1")


@pytest.mark.parametrize(
    ("hops", "client"),
    [
        (["203.0.113.5"], "203.0.113.5"),
        (["203.0.113.5", "192.0.2.7"], "203.0.113.5"),
        (["198.51.100.1", "203.0.113.5", "192.0.2.7"], "203.0.113.5"),
        (["203.0.113.5", "2001:db8::1"], "203.0.113.5"),
        (["192.0.2.1", "192.0.2.2"], "192.0.2.1"),
        (["nonsense", "192.0.2.2"], "192.0.2.2"),
        (["203.0.113.5", "nonsense"], None),
        ([""], None),
        (["203.0.113.5:4711"], "203.0.113.5"),
        (["[2001:db8::9]:4711"], "2001:db8::9"),
        (["2001:db8::9"], "2001:db8::9"),
    ],
)
def test_client_is_the_last_hop_that_is_no_proxy(hops: list[str], client: str | None) -> None:
    assert client_of(hops, TRUSTED) == client


async def seen(peer: str | None, headers: dict[str, str]) -> tuple[Any, str]:
    """Client and scheme as the application sees them."""
    found: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(scope)

    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    client = (peer, 1234) if peer else None
    scope = {"type": "http", "client": client, "scheme": "http", "headers": raw}
    await Forwarded(app, TRUSTED)(scope, None, None)  # type: ignore[arg-type]
    [after] = found
    return after["client"], after["scheme"]


SAID = {"X-Forwarded-For": "203.0.113.5", "X-Forwarded-Proto": "https"}


@pytest.mark.parametrize("peer", ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"])
async def test_trusted_proxy_is_believed(peer: str) -> None:
    assert await seen(peer, SAID) == (("203.0.113.5", 0), "https")


@pytest.mark.parametrize("peer", ["192.0.3.7", "127.0.0.1", "2001:db8::2"])
async def test_anybody_else_is_not_believed(peer: str) -> None:
    assert await seen(peer, SAID) == ((peer, 1234), "http")


async def test_local_socket_is_not_believed() -> None:
    assert await seen(None, SAID) == (None, "http")


async def test_proxy_that_says_nothing_changes_nothing() -> None:
    assert await seen("192.0.2.7", {}) == (("192.0.2.7", 1234), "http")


async def test_unknown_scheme_is_not_taken() -> None:
    assert await seen("192.0.2.7", {"X-Forwarded-Proto": "gopher"}) == (
        ("192.0.2.7", 1234),
        "http",
    )
