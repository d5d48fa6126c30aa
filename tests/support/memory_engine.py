"""The part of the engine that changes need: compare-and-set, and faults."""

import asyncio
from typing import Any

from msgspec import Struct

from edgar_search.engine.engine import BLOCKED, Stored
from edgar_search.errors import Conflict, EngineRefuses, EngineUnavailable


class MemoryEngine:
    """Documents by kind and id, each with its revision.

    `away` makes every request fail, `read_only` every write.
    `lost_replies` is how many writes are kept although their reply
    does not arrive. `overtaken` is how many writes others get in before. Writes hang while
    `takes_writes` is not set.
    """

    def __init__(self) -> None:
        self.documents: dict[tuple[str, str], tuple[Any, int]] = {}
        self.away = False
        self.read_only = False
        self.lost_replies = 0
        self.overtaken = 0
        self.requests = 0
        self.takes_writes = asyncio.Event()
        self.takes_writes.set()

    async def get(self, kind: str, key: str, source: type[Any]) -> Stored[Any] | None:
        self._ask()
        found = self.documents.get((kind, key))
        if found is None:
            return None
        document, revision = found
        return Stored(id=key, found=True, source=document, seq_no=revision, primary_term=1)

    async def create(self, kind: str, key: str, document: Struct, *, visible: bool = True) -> None:
        self._ask()
        await self.takes_writes.wait()
        if (kind, key) in self.documents:
            raise Conflict("there is one")
        self._write(kind, key, document, 0)

    async def replace(
        self, kind: str, stored: Stored[Any], document: Struct, *, visible: bool = True
    ) -> None:
        self._ask()
        await self.takes_writes.wait()
        current, revision = self.documents[kind, stored.id]
        if self.overtaken:
            self.overtaken -= 1
            self.documents[kind, stored.id] = current, revision + 1
        if self.documents[kind, stored.id][1] != stored.seq_no:
            raise Conflict("another write came first")
        self._write(kind, stored.id, document, revision + 1)

    def _ask(self) -> None:
        self.requests += 1
        if self.away:
            raise EngineUnavailable("away")

    def _write(self, kind: str, key: str, document: Struct, revision: int) -> None:
        if self.read_only:
            raise EngineRefuses(BLOCKED)
        self.documents[kind, key] = document, revision
        if self.lost_replies:
            self.lost_replies -= 1
            raise EngineUnavailable("no reply")
