"""A load session: set up once, for as many loads as come."""

from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, date, datetime
from typing import Self

from edgar_search.engine.engine import Engine
from edgar_search.metrics.spans import span
from edgar_search.settings import Settings
from ingest.loading.batches import BatchQueue
from ingest.loading.ledger import Ledger
from ingest.loading.owner import Owner
from ingest.loading.preparation import outcomes_of, tasks_of
from ingest.loading.progress import Progress, Shown
from ingest.loading.submission_writer import SubmissionWriter
from ingest.loading.summary import Summary
from ingest.reading.workers.workers import Workers
from ingest.sources.filing_filter import EVERYTHING, FilingFilter
from ingest.sources.source import SourceList

# Prepared submissions that may wait to be written, for each worker: bounds memory.
AHEAD = 3


class LoadSession:
    """Loads into one installation, one after the other.

    Entered, it holds its owner's lock; worker processes start when they are needed and stay. After
    a load that failed both are let go, so that others can take over what it had claimed; the next
    load begins with new ones. `undelete` loads what was deleted, too; without `alerts` no user is
    told of what is loaded; what was loaded before `again` is loaded anew. Raises SettingsError
    where the home cannot be written to.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        workers: int,
        *,
        undelete: bool = False,
        alerts: bool = True,
        again: datetime | None = None,
    ) -> None:
        self._settings = settings
        self._count = workers
        self._owner = Owner(settings.absolute_home)
        self._writer = SubmissionWriter(engine, settings, self._owner, undelete, alerts, again)
        self._workers: Workers | None = None
        self._set_up_on: date | None = None

    def __enter__(self) -> Self:
        self._owner.hold()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._end_workers()
        self._owner.release(ended_well=kind is None)

    @property
    def ledger(self) -> Ledger:
        """The ledger as the session's owner sees it."""
        return self._writer.ledger

    async def set_up(self) -> None:
        """Put templates that differ and make the indices that are missing, unless it was done.

        It is done once a day, because a new month has indices of its own.
        """
        today = datetime.now(UTC).date()
        if self._set_up_on != today:
            with span("load.set_up"):
                await self._writer.set_up()
            self._set_up_on = today

    async def load(
        self,
        sources: SourceList,
        wanted: FilingFilter = EVERYTHING,
        shown: Callable[[SourceList, Summary], Shown] = Progress,
    ) -> Summary:
        """Load every source that is wanted; what is counted as loaded is visible and in the ledger.

        Outcomes are taken in source order, so that of two versions the later one stands. `shown`
        makes what shows how far the load is.
        """
        await self.set_up()
        self._owner.hold()
        try:
            with span("load", {"edgar_search.files": len(sources)}) as whole:
                summary = await self._load(sources, wanted, shown)
                whole.note({"edgar_search.loaded": summary.loaded})
                return summary
        except BaseException:
            self._end_workers()
            self._owner.release(ended_well=False)
            self._set_up_on = None
            raise

    async def _load(
        self,
        sources: SourceList,
        wanted: FilingFilter,
        shown: Callable[[SourceList, Summary], Shown],
    ) -> Summary:
        self._workers = self._workers or _workers(self._count, self._settings)
        summary = Summary()
        tasks = tasks_of(self.ledger, self._settings, iter(sources), wanted)
        progress = shown(sources, summary)
        with progress:
            async with (
                aclosing(outcomes_of(self._workers, tasks, self._count * AHEAD)) as outcomes,
                BatchQueue(self._writer, summary, progress) as batches,
            ):
                async for outcome in outcomes:
                    await batches.take(outcome)
                await batches.finish()
        await self._writer.make_searchable()
        return summary

    def _end_workers(self) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None


async def load(
    engine: Engine,
    settings: Settings,
    sources: SourceList,
    workers: int,
    wanted: FilingFilter = EVERYTHING,
    *,
    undelete: bool = False,
    alerts: bool = True,
    again: datetime | None = None,
) -> Summary:
    """One load in a session of its own."""
    with LoadSession(
        engine, settings, workers, undelete=undelete, alerts=alerts, again=again
    ) as session:
        return await session.load(sources, wanted)


def _workers(count: int, settings: Settings) -> Workers:
    return Workers(count, settings)
