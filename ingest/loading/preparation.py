"""Sources to outcomes: what the ledger knows of each, and worker processes that read ahead."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from edgar_search.metrics.spans import span
from edgar_search.settings import Settings
from edgar_search.stored.ledger import LedgerEntry
from ingest.loading.ledger import Ledger
from ingest.loading.ledger_decisions import is_due, known_hashes
from ingest.reading.memory_budget import document_bytes
from ingest.reading.prepare import Outcome, Task
from ingest.reading.workers.workers import Workers
from ingest.sources.filing_filter import FilingFilter
from ingest.sources.paths import accession_in_name
from ingest.sources.source import Source, release

# Files whose ledger entries are asked for at once.
WINDOW = 200
# Copies of members of containers that may lie on disk for it.
WINDOW_BYTES = 100_000_000


async def tasks_of(
    ledger: Ledger, settings: Settings, sources: Iterator[Source], wanted: FilingFilter
) -> AsyncIterator[Task]:
    """A task for each source, with the hashes that the ledger has for the number in its name."""
    archive = settings.archive_place if settings.archive else None
    # Containers are unpacked meanwhile, which the event loop must not wait for.
    while window := await asyncio.to_thread(_window, sources):
        guesses = [(source, accession_in_name(source.name)) for source in window]
        keys = sorted({key for _, key in guesses if key})
        entries = {entry.id: entry.source for entry in await ledger.read(keys)}
        for source, guess in guesses:
            yield Task(
                source=source,
                known=known_hashes(entries.get(guess or ""), ledger.again),
                done=_is_done(ledger, guess, entries),
                prefix=settings.prefix,
                partition=settings.partition,
                partition_from=settings.partition_from,
                max_text_chars=settings.max_text_chars,
                archive=archive,
                wanted=wanted,
                spool=str(ledger.owner.spool),
                submission_bytes=settings.submission_bytes,
                document_bytes=document_bytes(settings.submission_memory),
            )


def _is_done(ledger: Ledger, guess: str | None, entries: dict[str, LedgerEntry | None]) -> bool:
    """Whether everything is being loaded again, but for this submission."""
    return (
        ledger.again is not None
        and guess is not None
        and not is_due(entries.get(guess), ledger.again)
    )


def _window(sources: Iterator[Source]) -> list[Source]:
    """The next sources, bounded by their number and by the copies that were made for them."""
    window: list[Source] = []
    copied = 0
    while len(window) < WINDOW and copied < WINDOW_BYTES:
        source = next(sources, None)
        if source is None:
            break
        window.append(source)
        copied += source.size
    return window


async def outcomes_of(
    workers: Workers, tasks: AsyncIterator[Task], ahead: int
) -> AsyncGenerator[Outcome, None]:
    """Outcomes in the order of tasks, at most `ahead` of them under way."""
    under_way: deque[tuple[Source, asyncio.Task[Outcome]]] = deque()
    try:
        async for task in tasks:
            under_way.append((task.source, asyncio.create_task(_prepared(workers, task))))
            if len(under_way) >= ahead:
                yield await _next(under_way)
        while under_way:
            yield await _next(under_way)
    finally:
        for _, waiting in under_way:
            if not waiting.cancel():
                waiting.exception()  # Else asyncio would complain that nobody asked.


async def _prepared(workers: Workers, task: Task) -> Outcome:
    with span("load.prepare", {"edgar_search.bytes": task.source.size}):
        return await workers.prepare(task)


async def _next(under_way: deque[tuple[Source, asyncio.Task[Outcome]]]) -> Outcome:
    """The outcome of the first; a copy made for it is of no use any more."""
    source, future = under_way.popleft()
    outcome = await future
    release(source)
    return outcome
