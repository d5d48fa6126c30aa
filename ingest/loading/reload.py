"""Reloads of everything that is loaded: one run, even if it is stopped and started again.

The ledger's mapping keeps the time at which the run began, until everything has been loaded since.
A submission is replaced as another version of it would replace it, so that searches and other
loads continue beside the run.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import read_alias
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.retry import Retry
from ingest.loading.session import load
from ingest.loading.summary import Summary
from ingest.sources.paths import FilingFilter
from ingest.sources.source import SourceList

_EXAMPLES = 3
_BEGAN = "loading_again_since"


class Remaining(NamedTuple):
    """Number of submissions not loaded since the run began, and accession numbers of some."""

    number: int
    examples: list[str]


class _Hit(Struct):
    id: str = field(name="_id")


async def reload_all(
    engine: Engine, settings: Settings, sources: SourceList, workers: int, wanted: FilingFilter
) -> tuple[Summary, Remaining]:
    """Reload the loaded submissions that these sources have; the run ends when none remains.

    Users are not notified. At the end the mappings say that all entries have what the templates
    have.
    """
    run = _Run(engine, settings)
    since = await run.begin()
    summary = await load(
        engine, settings, sources, workers, wanted, alerts=False, reload_since=since
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
        reply = await self._retry(self._engine.search, "ledger", body, _Hit)
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
