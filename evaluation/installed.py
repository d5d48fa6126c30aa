"""Searches of `/v1/search` on an installation that has the real corpus, without a service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.search.documents import DocumentPage, search_documents
from edgar_search.search.entities import Directory
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.web.v1.parameters import search_params


class Installed(NamedTuple):
    """What a search needs."""

    settings: Settings
    directory: Directory

    async def search(self, parameters: Mapping[str, str]) -> DocumentPage:
        """What the endpoint answers to these parameters; BadRequest as there."""
        raw = {name: [value] for name, value in parameters.items()}
        return await search_documents(
            self.directory, search_params(raw, self.settings.max_window), account=""
        )


@asynccontextmanager
async def installed(settings: Settings) -> AsyncIterator[Installed]:
    """The installation of these settings, which have an `es_url`."""
    engine = Engine.from_settings(settings)
    try:
        members = IndexMembers.from_file(settings.index_members)
        table = await Tickers(engine).table()
        yield Installed(settings, Directory(engine, table, members))
    finally:
        await engine.close()
