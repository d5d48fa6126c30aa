"""Bulk bodies to Elasticsearch: bounded by bytes, with back-off, every refusal counted."""

import asyncio
from collections.abc import Iterable

import msgspec

from edgar_search.engine import BulkItem, Engine
from edgar_search.errors import EngineFault, EngineUnavailable, OperationTooLarge
from ingest.operations import chunks

# Far below http.max_content_length (100 MB), large enough that a request's own cost vanishes.
BODY_BYTES = 8_000_000
REQUESTS_IN_FLIGHT = 2
# Waits in seconds before an operation is sent again; then the load stops. About three minutes.
BACK_OFF = (1, 2, 4, 8, 15, 30, 30, 30, 30, 30)
# A full queue, and a shard that is not ready: not the operation's fault.
_BUSY = frozenset({429, 503})


class BulkWriter:
    """Sends operations and returns what was refused for good, by document id."""

    def __init__(self, engine: Engine, back_off: tuple[float, ...] = BACK_OFF) -> None:
        self._engine = engine
        self._back_off = back_off
        self._slots = asyncio.Semaphore(REQUESTS_IN_FLIGHT)

    async def write(self, pieces: Iterable[bytes]) -> dict[str, str]:
        """Write all operations; those refused, as a reason for each document's id.

        When it returns, everything else is acknowledged. Raises EngineUnavailable when
        Elasticsearch stayed away or overloaded through all waits.
        """
        bodies = chunks(pieces, BODY_BYTES)
        refusals: dict[str, str] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for body in bodies:
                    await self._slots.acquire()
                    group.create_task(self._send_and_release(body, refusals))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return refusals

    async def write_all(self, pieces: Iterable[bytes]) -> None:
        """The same for operations that nothing in a filing could make wrong; EngineFault if so."""
        refusals = await self.write(pieces)
        if refusals:
            raise EngineFault("; ".join(list(refusals.values())[:3]))

    async def _send_and_release(self, body: bytes, refusals: dict[str, str]) -> None:
        try:
            refusals.update(await self._send(body))
        finally:
            self._slots.release()

    async def _send(self, body: bytes) -> dict[str, str]:
        refusals: dict[str, str] = {}
        for wait in (*self._back_off, None):
            try:
                failed = await self._engine.bulk(body)
            except OperationTooLarge:
                return refusals | await self._send_halves(body)
            except EngineUnavailable:
                if wait is None:
                    raise
            else:
                busy = [(place, item) for place, item in failed if item.status in _BUSY]
                refusals |= {
                    item.id: _reason(item) for _, item in failed if item.status not in _BUSY
                }
                if not busy:
                    return refusals
                never = any(item.never_fits(len(body)) for _, item in busy)
                body = _only(body, [place for place, _ in busy])
                if never:
                    return refusals | await self._send_halves(body)
            if wait is not None:
                await asyncio.sleep(wait)
        raise EngineUnavailable("Elasticsearch stayed overloaded; start the load again later")

    async def _send_halves(self, body: bytes) -> dict[str, str]:
        """Send in two what is too large at once; a single operation is refused."""
        operations = _operations(body)
        if len(operations) == 1:
            key = _key(operations[0])
            return {key: f"{key} is too large for this Elasticsearch ({len(body)} bytes)"}
        middle = len(operations) // 2
        first = await self._send(b"".join(operations[:middle]))
        return first | await self._send(b"".join(operations[middle:]))


def _reason(item: BulkItem) -> str:
    error = item.error.type if item.error else "unknown"
    return f"Elasticsearch refused {item.id} ({item.status} {error})"


def _only(body: bytes, places: list[int]) -> bytes:
    """The operations at these places: what a rejection for overload lets us send again."""
    operations = _operations(body)
    return b"".join(operations[place] for place in places)


def _operations(body: bytes) -> list[bytes]:
    lines = body.splitlines(keepends=True)
    operations = []
    place = 0
    while place < len(lines):
        length = 1 if lines[place].startswith(b'{"delete"') else 2
        operations.append(b"".join(lines[place : place + length]))
        place += length
    return operations


def _key(operation: bytes) -> str:
    (target,) = msgspec.json.decode(operation.partition(b"\n")[0]).values()
    return str(target["_id"])
