"""Reloads loaded submissions: the outdated ones, or all.

A submission is replaced as by another version of it, so searches and other loads continue
meanwhile. An update needs no record of its own: the ledger says what is outdated, and no longer
does once a submission is loaded. A run that reloads everything may be stopped and restarted too:
the ledger's mapping keeps the time it began, until everything has been loaded since.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from msgspec import Struct, field

from edgar_search.archive.archive import open_archive, path_of
from edgar_search.archive.store import ArchiveStore
from edgar_search.engine.contents import (
    Outdated,
    count_outdated,
    made_by_older_version,
    oldest_first,
    outdated_query,
)
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import read_alias
from edgar_search.engine.replies import IdHit
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.ledger import Reload
from ingest.loading.retry import Retry
from ingest.loading.session import LoadSession, load
from ingest.loading.summary import ProgressLine, Summary, format_pace
from ingest.sources.paths import ArchiveSources, FilingFilter, Sources
from ingest.sources.source import SourceList

Order = Literal["newest", "oldest-version"]
# Statuses that may be outdated: a submission that a killed load left half loaded is reloaded too.
_STATUSES = ("loaded", "pending")
# Outdated submissions that are read from the ledger and loaded at once.
_BATCH = 1_000


async def update(
    engine: Engine,
    settings: Settings,
    paths: Sources | None,
    workers: int,
    wanted: FilingFilter,
    order: Order = "newest",
) -> tuple[Summary, Outdated]:
    """Reload outdated submissions from the archive or from these paths; return what remains.

    Users are not notified. If only unreadable documents remain, the mappings record that all
    entries are up to date.
    """
    indices, retry = Indices(engine, settings), Retry(settings.load_patience)
    await retry(indices.set_up)
    await retry(engine.refresh, "ledger")
    query = _query(wanted)
    before = await retry(count_outdated, engine, query, _STATUSES)
    summary = Summary()
    reload = Reload(datetime.now(UTC), outdated=True)
    if before.submissions and (paths is not None or settings.archive):
        with (
            LoadSession(engine, settings, workers, alerts=False, reload=reload) as session,
            _Progress(before.submissions) as progress,
        ):
            if paths is not None:
                summary.join(await session.load(paths, wanted))
            else:
                batches = outdated_batches(engine, retry, wanted, order)
                async for sources in _find_archived(settings, batches):
                    with sources:
                        summary.join(await session.load(sources, wanted, progress.of(summary)))
    return summary, await end_update(engine, settings, wanted)


async def end_update(engine: Engine, settings: Settings, wanted: FilingFilter) -> Outdated:
    """Return what remains of an update; if nothing does, record that in the mappings."""
    retry = Retry(settings.load_patience)
    await retry(engine.refresh, "ledger")
    if not (await retry(count_outdated, engine, made_by_older_version(), _STATUSES)).submissions:
        await retry(Indices(engine, settings).all_stored_anew)
    return await retry(count_outdated, engine, _query(wanted), _STATUSES)


def _query(wanted: FilingFilter) -> dict[str, Any]:
    """Return the ledger query for the submissions that pass a filter, except for their CIKs."""
    days = {
        bound: day.isoformat()
        for bound, day in (("gte", wanted.from_date), ("lte", wanted.to_date))
        if day is not None
    }
    filters: list[dict[str, Any]] = []
    if wanted.forms is not None:
        filters.append({"terms": {"form_type": sorted(wanted.forms)}})
    if days:
        filters.append({"range": {"filing_date": days}})
    return {"bool": {"filter": filters}}


class _OutdatedEntry(Struct):
    """The hashes of a submission, by which its archived files are named."""

    status: str
    filing_date: date | None = None
    loaded_hash: str | None = None
    hashes: list[str] = []
    settled: list[str] = []

    @property
    def wanted_hashes(self) -> list[str]:
        """The hashes of the loaded version, or all candidates if it is incomplete."""
        if self.loaded_hash is not None:
            return [self.loaded_hash]
        return [digest for digest in self.hashes if digest not in self.settled]


class _OutdatedHit(Struct):
    source: _OutdatedEntry = field(name="_source")
    id: str = field(name="_id")


async def outdated_batches(
    engine: Engine, retry: Retry, wanted: FilingFilter, order: Order
) -> AsyncIterator[list[_OutdatedHit]]:
    """Yield outdated submissions, newest first, each once, without ones loaded meanwhile."""
    ledger_query = _query(wanted)
    queries = oldest_first(_STATUSES) if order == "oldest-version" else [outdated_query(_STATUSES)]
    for query in queries:
        undated = {"bool": {"must_not": [{"exists": {"field": "filing_date"}}]}}
        for dates in ({"exists": {"field": "filing_date"}}, undated):
            within: dict[str, Any] = dates
            last: date | None = None
            tried: list[str] = []
            while True:
                body = {
                    "query": {
                        "bool": {
                            "filter": [query, ledger_query, within],
                            "must_not": [{"ids": {"values": tried}}],
                        }
                    },
                    "size": _BATCH,
                    "sort": [{"filing_date": "desc"}],
                    "track_total_hits": False,
                    "_source": list(_OutdatedEntry.__struct_fields__),
                }
                await retry(engine.refresh, "ledger")
                hits = (await retry(engine.search, "ledger", body, _OutdatedHit)).hits.hits
                if not hits:
                    break
                yield hits
                # Some submissions of the last day may be left; none of later days.
                day = hits[-1].source.filing_date
                tried = [*(tried if day == last else ())]
                tried += [hit.id for hit in hits if hit.source.filing_date == day]
                last = day
                if day is not None:
                    within = {"range": {"filing_date": {"lte": day.isoformat()}}}


async def _find_archived(
    settings: Settings, batches: AsyncIterator[list[_OutdatedHit]]
) -> AsyncIterator[Sources | ArchiveSources]:
    """Yield the archived files of each batch's submissions, where there are any."""
    place, home = settings.archive_place, settings.absolute_home
    store: ArchiveStore = open_archive(place)
    async for batch in batches:
        paths = [path_of(hit.id, digest) for hit in batch for digest in hit.source.wanted_hashes]
        if place.folder is None:
            yield ArchiveSources(store, place.url, home, paths=paths)
            continue
        yield await asyncio.to_thread(_files, place.folder, paths, home)


def _files(folder: Path, paths: list[str], home: Path) -> Sources:
    """Return the files of a folder at these paths, where they exist."""
    return Sources([folder / path for path in paths if (folder / path).exists()], home)


class _Progress(ProgressLine):
    """The progress of all batches of an update, as a context."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total
        self._began = time.monotonic()

    def of(self, before: Summary) -> "Callable[[SourceList, Summary], _BatchProgress]":
        """Return the display of the next batch, after the ones that `before` counts."""
        done, refused = before.seen, len(before.refusals)
        return lambda _, summary: _BatchProgress(self, done, refused, summary)

    def count(self, seen: int, refused: int) -> None:
        """Show how much is done, and how long the rest takes."""
        if self.due:
            pace = format_pace(seen, self._total, time.monotonic() - self._began, "submissions")
            self.show(f"{seen} of {self._total} outdated submissions, {refused} refused; {pace}")


class _BatchProgress:
    def __init__(self, whole: _Progress, done: int, refused: int, summary: Summary) -> None:
        self._whole, self._done, self._refused, self._summary = whole, done, refused, summary

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self) -> None:
        """Show the progress of the update."""
        summary = self._summary
        self._whole.count(self._done + summary.seen, self._refused + len(summary.refusals))


_EXAMPLES = 3
_BEGAN = "loading_again_since"


class Remaining(NamedTuple):
    """The number of submissions not loaded since the run began, and accession numbers of some."""

    number: int
    examples: list[str]


async def reload_all(
    engine: Engine, settings: Settings, sources: SourceList, workers: int, wanted: FilingFilter
) -> tuple[Summary, Remaining]:
    """Reload the loaded submissions that these sources have; the run ends when none remains.

    Users are not notified. At the end the mappings record that all entries are up to date.
    """
    run = _Run(engine, settings)
    since = await run.begin()
    summary = await load(
        engine, settings, sources, workers, wanted, alerts=False, reload=Reload(since)
    )
    remaining = await run.count_remaining(since)
    if not remaining.number:
        await run.end()
    return summary, remaining


class _Run:
    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._alias = read_alias(settings.prefix, "ledger")
        self._indices = Indices(engine, settings)
        self._retry = Retry(settings.load_patience)

    async def begin(self) -> datetime:
        """Return when the current run began; begin one if there is none."""
        await self._retry(self._indices.set_up)
        meta = await self._meta()
        if _BEGAN in meta:
            return datetime.fromisoformat(meta[_BEGAN])
        now = datetime.now(UTC)
        await self._put({**meta, _BEGAN: now.isoformat()})
        return now

    async def count_remaining(self, since: datetime) -> Remaining:
        """Count submissions last loaded before `since`, or left pending by a load before it."""
        before = {"lt": since.isoformat()}
        never = {"bool": {"must_not": [{"exists": {"field": "loaded_at"}}]}}
        query = {
            "bool": {
                "filter": [{"terms": {"status": ["loaded", "pending"]}}],
                "should": [
                    {"range": {"loaded_at": before}},
                    {"bool": {"filter": [never, {"range": {"seen_at": before}}]}},
                ],
                "minimum_should_match": 1,
            }
        }
        body = {"query": query, "size": _EXAMPLES, "_source": False, "track_total_hits": True}
        await self._retry(self._engine.refresh, "ledger")
        reply = await self._retry(self._engine.search, "ledger", body, IdHit)
        return Remaining(reply.total, [hit.id for hit in reply.hits.hits])

    async def end(self) -> None:
        """Record that all entries are stored anew, and forget the run."""
        await self._retry(self._indices.all_stored_anew)
        meta = await self._meta()
        meta.pop(_BEGAN, None)
        await self._put(meta)

    async def _meta(self) -> dict[str, Any]:
        path = f"/{self._alias}/_mapping"
        (index,) = (await self._retry(self._engine.administer, "GET", path)).values()
        return dict(index["mappings"].get("_meta", {}))

    async def _put(self, meta: dict[str, Any]) -> None:
        path = f"/{self._alias}/_mapping"
        await self._retry(self._engine.administer, "PUT", path, {"_meta": meta})
