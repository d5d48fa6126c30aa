"""Loads of made-up files, and what Elasticsearch holds after them."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.archive.archive import is_archived
from edgar_search.archive.members import gunzip
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import MONTHLY, Kind, month_of
from edgar_search.settings import Settings
from ingest.loading.session import load
from ingest.loading.summary import Summary
from ingest.sources.paths import Sources


class Hit(Struct):
    """A stored entry as it is: its index, its id and its source."""

    index: str = field(name="_index")
    id: str = field(name="_id")
    source: dict[str, Any] = field(name="_source")


class Counts(NamedTuple):
    """The numbers that a load prints of its files."""

    loaded: int = 0
    unchanged: int = 0
    superseded: int = 0
    refused: int = 0


class Loads:
    """Loads files in the order given, each call from a folder of its own."""

    def __init__(self, engine: Engine, settings: Settings, folder: Path) -> None:
        self._engine = engine
        self._settings = settings
        self._folder = folder

    async def __call__(
        self, files: Mapping[str, bytes], workers: int = 1, *, alerts: bool = True
    ) -> Summary:
        """Load files of these names and contents."""
        sources = write_sources(self._folder, files)
        return await load(self._engine, self._settings, sources, workers, alerts=alerts)

    async def archive(self) -> Summary:
        """Load what the archive has."""
        folder = self._settings.archive_place.folder
        assert folder is not None
        return await load(self._engine, self._settings, Sources([folder]), 1)


def load_now(settings: Settings, folder: Path, files: Mapping[str, bytes]) -> Summary:
    """Return the same outside of an event loop."""

    async def run() -> Summary:
        engine = Engine.from_settings(settings)
        try:
            return await load(engine, settings, write_sources(folder, files), 2)
        finally:
            await engine.close()

    return asyncio.run(run())


def write_sources(folder: Path, files: Mapping[str, bytes]) -> Sources:
    """Return files of these names and contents in a new folder below `folder`, in their order."""
    new = folder / str(len(list(folder.iterdir())))
    new.mkdir()
    for name, data in files.items():
        (new / name).write_bytes(data)
    return Sources([new / name for name in files])


def counts(summary: Summary) -> Counts:
    """Return the outcomes of a load's files."""
    refused = len(summary.refusals)
    return Counts(summary.loaded, summary.unchanged, summary.superseded, refused)


async def stored(engine: Engine, kind: Kind, number: str) -> list[Hit]:
    """Return all visible filings, documents or passages of an accession number, by id."""
    by_number = {"term": {"accession_number": number}}
    query = {"prefix": {"document_id": f"{number}-"}} if kind == "passages" else by_number
    return await _all(engine, kind, query)


async def text_of(engine: Engine, document_id: str) -> str:
    """Return the passages of a document, joined in order."""
    hits = await _all(engine, "passages", {"term": {"document_id": document_id}})
    pieces = {hit.source["number"]: hit.source["text"] for hit in hits}
    return "".join(pieces[number] for number in range(len(pieces)))


def archived(settings: Settings) -> dict[str, bytes]:
    """Return the bytes of every version of every submission in the archive, by its path."""
    folder = settings.archive_place.folder
    assert folder is not None
    files = (path for path in folder.rglob("*.gz") if is_archived(path.name))
    return {str(path.relative_to(folder)): gunzip(path.read_bytes()) for path in files}


async def _all(engine: Engine, kind: Kind, query: dict[str, Any]) -> list[Hit]:
    body = {"query": query, "size": 10_000, "track_total_hits": True}
    reply = await engine.search(kind, body, Hit)
    assert reply.total == len(reply.hits.hits)
    return sorted(reply.hits.hits, key=lambda hit: hit.id)


def today(kind: Kind) -> str:
    """Return the partition that is made for a kind where filings are not partitioned."""
    return month_of(datetime.now(UTC).date()) if kind in MONTHLY else "all"
