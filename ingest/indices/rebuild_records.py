"""Records of rebuilds: their progress, and which indices they block for writes."""

import os
import socket
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.index_names import Kind
from edgar_search.errors import Conflict, SettingsError
from edgar_search.stored.installation import StoredRebuild

# The most records of one installation: a few kinds in some dozens of years.
_MOST = 1_000
_UNKNOWN = "no rebuild holds it by its record; remove `index.blocks.write` of that index"


class Record(Struct):
    """One rebuild as a search finds it."""

    id: str = field(name="_id")
    source: StoredRebuild = field(name="_source")


class RebuildRecord:
    """The record of one partition of one kind, written by one process.

    Raises SettingsError instead of overwriting another process's record.
    """

    def __init__(self, engine: Engine, kind: Kind, partition: str) -> None:
        self._engine = engine
        self.name = f"{kind}.{partition}"
        self._stored: Stored[StoredRebuild] | None = None

    @property
    def value(self) -> StoredRebuild | None:
        """The record as last read or written."""
        return self._stored.source if self._stored else None

    async def read(self) -> StoredRebuild | None:
        """Read the record as it is now."""
        self._stored = await self._engine.get("rebuilds", self.name, StoredRebuild)
        return self.value

    async def write(self, record: StoredRebuild) -> None:
        """Write the first record, or the successor of the one last read."""
        try:
            if self._stored is None:
                self._stored = await self._engine.create("rebuilds", self.name, record)
            else:
                self._stored = await self._engine.replace("rebuilds", self._stored, record)
        except Conflict:
            if await self.read() != record:  # If equal, only the reply to the write was lost.
                raise SettingsError(
                    f"{self.name}: another process is rebuilding it; `edgar-ingest indices status`"
                    " names it"
                ) from None

    async def change(self, **changes: Any) -> StoredRebuild:
        """Write the record with these fields changed."""
        assert self.value is not None
        changed = msgspec.structs.replace(self.value, **changes)
        await self.write(changed)
        return changed

    async def remove(self) -> None:
        """Delete the record, if it exists."""
        if self._stored is not None:
            await self._engine.delete("rebuilds", self._stored)
            self._stored = None


def this_process() -> str:
    """Return the name of this process as the holder of a lock or a block."""
    return f"process {os.getpid()} on {socket.gethostname()}"


async def all_records(engine: Engine) -> list[Record]:
    """Return all records, ordered by name."""
    await engine.refresh("rebuilds")
    body = {"query": {"match_all": {}}, "size": _MOST}
    reply = await engine.search("rebuilds", body, Record)
    return sorted(reply.hits.hits, key=lambda record: record.id)


async def describe_write_blocks(engine: Engine) -> str:
    """Describe in one line which index is blocked for writes, by whom and since when."""
    records = await all_records(engine)
    lines = [describe_write_block(record) for record in records if record.source.blocked]
    return "; ".join(lines) or _UNKNOWN


def describe_write_block(record: Record) -> str:
    """Describe the write block that a record describes."""
    rebuild = record.source
    assert rebuild.blocked_at is not None
    since = rebuild.blocked_at.astimezone(UTC)
    seconds = (datetime.now(UTC) - since).total_seconds()
    return (
        f"{rebuild.blocked} is held by {rebuild.holder} since {since:%Y-%m-%d %H:%M:%S} UTC"
        f" ({seconds:.0f} s); `edgar-ingest indices resume {record.id}` takes it over,"
        f" `edgar-ingest indices abandon {record.id}` lifts it"
    )
