"""Bulk requests to Elasticsearch, bounded by bytes, repeated if it is overloaded."""

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

# Far below http.max_content_length (100 MB), and large enough that the cost of a request is small.
BODY_BYTES = 8_000_000
REQUESTS_IN_FLIGHT = 2
OVERLOADED = "Elasticsearch is overloaded"
_TOO_LARGE = 413


class Refusal(NamedTuple):
    """The reason for a final refusal of an operation."""

    reason: str
    status: int

    @property
    def conflict(self) -> bool:
        """True if a concurrent write came first."""
        return self.status == CONFLICT


class BulkWriter:
    """Sends operations, and returns the refusals by document id."""

    def __init__(self, engine: Engine, retry: Retry) -> None:
        self._engine = engine
        self._retry = retry
        self._slots = asyncio.Semaphore(REQUESTS_IN_FLIGHT)

    async def write(self, pieces: Iterable[bytes]) -> dict[str, Refusal]:
        """Write all operations; return the refusals by document id.

        When it returns, everything else is acknowledged. Raises EngineUnavailable if Elasticsearch
        stayed away or overloaded through all retries, EngineRefuses if its disk is full.
        """
        refusals: dict[str, Refusal] = {}

        async def send(body: bytes) -> None:
            try:
                refusals.update(await self._send(body))
            finally:
                self._slots.release()

        try:
            async with asyncio.TaskGroup() as group:
                for body in bodies(pieces, BODY_BYTES):
                    await self._slots.acquire()
                    group.create_task(send(body))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return refusals

    async def write_all(self, pieces: Iterable[bytes]) -> None:
        """Write operations that no filed content can make invalid.

        Raises EngineFault if one is refused. If a concurrent write came first, its result stays.
        """
        refusals = [
            outcome for outcome in (await self.write(pieces)).values() if not outcome.conflict
        ]
        if refusals:
            raise EngineFault("; ".join(refusal.reason for refusal in refusals[:3]))

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
            operations = operations_in(body)
            body = b"".join(operations[place] for place, _ in busy)
            if never:
                return refusals | await self._send_halves(body)
            await wait(busy_error(item for _, item in busy))

    async def _send_halves(self, body: bytes) -> dict[str, Refusal]:
        """Send a body that is too large in two halves; refuse it if it has a single operation."""
        operations = operations_in(body)
        if len(operations) == 1:
            key = key_of(operations[0])
            reason = f"{key} is too large for this Elasticsearch ({len(body)} bytes)"
            return {key: Refusal(reason, _TOO_LARGE)}
        middle = len(operations) // 2
        first = await self._send(b"".join(operations[:middle]))
        return first | await self._send(b"".join(operations[middle:]))


def busy_error(items: Iterable[BulkItem]) -> EngineUnavailable:
    """Return the error that explains why these operations must be sent again later."""
    if any(item.switching for item in items):
        return IndexSwitching(SWITCHING)
    return EngineUnavailable(OVERLOADED)


Failed = list[tuple[int, BulkItem]]


def _split_failures(failed: Failed) -> tuple[Failed, dict[str, Refusal]]:
    """Separate the operations that may be retried, with their indices, from final refusals by id.

    Raises EngineRefuses if an index does not accept any writes.
    """
    if any(item.blocked for _, item in failed):
        raise EngineRefuses(BLOCKED)
    busy = [(place, item) for place, item in failed if item.busy]
    refused = [item for _, item in failed if not item.busy]
    refusals = {}
    for item in refused:
        error = item.error.type if item.error else "unknown"
        reason = f"Elasticsearch refused {item.id} ({item.status} {error})"
        refusals[item.id] = Refusal(reason, item.status)
    return busy, refusals
