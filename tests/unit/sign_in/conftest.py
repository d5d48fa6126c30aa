"""Fixtures of the tests of access."""

from collections.abc import AsyncIterator

import pytest

from edgar_search.access.tokens import issuer_keys
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.http_client import HttpClient
from tests.support.issuer import Issuer
from tests.unit.sign_in.asking import Clock


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    """A client for an issuer on this machine."""
    async with HttpClient("edgar-search tests", timeout=10) as http:
        yield http


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of the keys' age, which a test moves."""
    clock = Clock()
    monkeypatch.setattr(issuer_keys, "time", clock)
    return clock


@pytest.fixture
async def tokens(issuer: Issuer, http: HttpClient, clock: Clock) -> AsyncIterator[Tokens]:
    """The checker of the issuer's tokens."""
    tokens = Tokens(issuer.settings(), http)
    yield tokens
    await tokens.close()
