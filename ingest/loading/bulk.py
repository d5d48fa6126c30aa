"""Bulk bodies to Elasticsearch: bounded by bytes, with back-off, every refusal counted."""

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from edgar_search.engine.bulk_lines import bodies, key_of, operations_in
from edgar_search.engine.engine import BLOCKED, BulkItem, Engine
from edgar_search.engine.replies import CONFLICT
from edgar_search.engine.requests import SWITCHING
from edgar_search.errors import (
    EngineFault,
    EngineRefuses,
    EngineUnavailable,
    IndexSwitching,
    OperationTooLarge,
)
from ingest.loading.retry import Retry

# Far below http.max_content_length (100 MB), large enough that a request's own cost vanishes.
BODY_BYTES = 8_000_000
REQUESTS_IN_FLIGHT = 2
OVERLOADED = "Elasticsearch is overloaded"
_TOO_LARGE = 413


class Refusal(NamedTuple):
    """Why an operation was refused for good."""

    reason: str
    status: int

    @property
    def conflict(self) -> bool:
        """Whether a concurrent write came first."""
        return self.status == CONFLICT


class BulkWriter:
    """Sends operations and returns what was refused for good, by document id."""

    def __init__(self, engine: Engine, retry: Retry) -> None:
        self._engine = engine
        self._retry = retry
        self._slots = asyncio.Semaphore(REQUESTS_IN_FLIGHT)

    async def write(self, pieces: Iterable[bytes]) -> dict[str, Refusal]:
        """Write all operations; those refused, as a reason for each document's id.

        When it returns, everything else is acknowledged. Raises EngineUnavailable when
        Elasticsearch stayed away or overloaded through all waits, EngineRefuses when its disk is
        full.
        """
        refusals: dict[str, Refusal] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for body in bodies(pieces, BODY_BYTES):
                    await self._slots.acquire()
                    group.create_task(self._send_and_release(body, refusals))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return refusals

    async def write_all(self, pieces: Iterable[bytes]) -> None:
        """The same for operations that nothing in a filing could make wrong; EngineFault if so.

        Where a concurrent write came first, that one stands.
        """
        refusals = [each for each in (await self.write(pieces)).values() if not each.conflict]
        if refusals:
            raise EngineFault("; ".join(refusal.reason for refusal in refusals[:3]))

    async def _send_and_release(self, body: bytes, refusals: dict[str, Refusal]) -> None:
        try:
            refusals.update(await self._send(body))
        finally:
            self._slots.release()

    async def _send(self, body: bytes) -> dict[str, Refusal]:
        refusals: dict[str, Refusal] = {}
        wait = self._retry.begin()
        while True:
            try:
                failed = await self._engine.bulk(body)
            except OperationTooLarge:
                return refusals | await self._send_halves(body)
            except EngineRefuses:
                raise
            except EngineUnavailable as error:
                await wait(error)
                continue
            busy, refused = _split_failures(failed)
            refusals |= refused
            if not busy:
                return refusals
            never = any(item.never_fits(len(body)) for _, item in busy)
            body = _only(body, [place for place, _ in busy])
            if never:
                return refusals | await self._send_halves(body)
            await wait(busy_error(item for _, item in busy))

    async def _send_halves(self, body: bytes) -> dict[str, Refusal]:
        """Send in two what is too large at once; a single operation is refused."""
        operations = operations_in(body)
        if len(operations) == 1:
            key = key_of(operations[0])
            reason = f"{key} is too large for this Elasticsearch ({len(body)} bytes)"
            return {key: Refusal(reason, _TOO_LARGE)}
        middle = len(operations) // 2
        first = await self._send(b"".join(operations[:middle]))
        return first | await self._send(b"".join(operations[middle:]))


def busy_error(items: Iterable[BulkItem]) -> EngineUnavailable:
    """What a load waits for, of the operations that may go through later."""
    if any(item.switching for item in items):
        return IndexSwitching(SWITCHING)
    return EngineUnavailable(OVERLOADED)


Failed = list[tuple[int, BulkItem]]


def _split_failures(failed: Failed) -> tuple[Failed, dict[str, Refusal]]:
    """What may be sent again, with its places, and what is refused for good.

    Raises EngineRefuses where an index takes no writes at all.
    """
    if any(item.blocked for _, item in failed):
        raise EngineRefuses(BLOCKED)
    busy = [(place, item) for place, item in failed if item.busy]
    refused = [item for _, item in failed if not item.busy]
    return busy, {item.id: Refusal(_reason(item), item.status) for item in refused}


def _reason(item: BulkItem) -> str:
    error = item.error.type if item.error else "unknown"
    return f"Elasticsearch refused {item.id} ({item.status} {error})"


def _only(body: bytes, places: list[int]) -> bytes:
    """The operations at these places: what a rejection for overload lets us send again."""
    operations = operations_in(body)
    return b"".join(operations[place] for place in places)
