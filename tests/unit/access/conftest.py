"""Fixtures of the tests of access."""

from collections.abc import AsyncIterator

import pytest

from edgar_search.http_client import HttpClient


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    """A client for an issuer on this machine."""
    async with HttpClient("edgar-search tests", timeout=10) as http:
        yield http
