"""Searches of `/v1/search` on an installation that has the real corpus, without a server."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from msgspec import structs

from edgar_search.api.finding import names_of
from edgar_search.api.search import search_params
from edgar_search.app import ISSUER_TIMEOUT, USER_AGENT, service_of
from edgar_search.engine.engine import Engine
from edgar_search.http_client import HttpClient
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.language import Node
from edgar_search.search.results import DocumentPage
from edgar_search.search.search import search_documents
from edgar_search.settings import Settings
from edgar_search.web.service import Service


class Installed(NamedTuple):
    """The state of a worker of the service."""

    service: Service

    async def search(
        self, parameters: Mapping[str, str], change: Callable[[Node], Node] | None = None
    ) -> DocumentPage:
        """Return the endpoint's answer to these parameters; BadRequest as there.

        `change` makes another query of what it reads.
        """
        search = await self._read(parameters)
        if change is not None:
            assert search.criteria.query is not None
            criteria = structs.replace(search.criteria, query=change(search.criteria.query))
            search = structs.replace(search, criteria=criteria)
        return await search_documents(self.service.context, search)

    async def query(self, parameters: Mapping[str, str]) -> Node:
        """Return the query as the endpoint reads it."""
        query = (await self._read(parameters)).criteria.query
        assert query is not None
        return query

    async def _read(self, parameters: Mapping[str, str]) -> DocumentSearch:
        raw = {name: [value] for name, value in parameters.items()}
        names = await names_of(self.service.context, raw)
        return search_params(raw, self.service.settings.max_window, names)


@asynccontextmanager
async def installed(settings: Settings) -> AsyncIterator[Installed]:
    """Yield the installation of these settings, which have an `es_url`."""
    engine = Engine.from_settings(settings)
    try:
        async with HttpClient(USER_AGENT, ISSUER_TIMEOUT) as http:
            yield Installed(service_of(settings, engine, http))
    finally:
        await engine.close()
