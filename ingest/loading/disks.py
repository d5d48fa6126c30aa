"""Free disk space, which a load checks itself because Elasticsearch rarely does.

A completely full disk breaks shards, and with them searches, so a load stops before that.
"""

import asyncio
import shutil
import time
from typing import NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.engine import BLOCKED, Engine
from edgar_search.errors import EdgarSearchError, EngineRefuses
from edgar_search.settings import Settings

# Seconds between two checks; a load writes about 10 MB in between.
LOOK_SECONDS = 2.0
# How long a check waits for Elasticsearch, which may be away.
ASK_SECONDS = 2.0


class Disk(NamedTuple):
    """A folder and its free bytes; `whose` names its writer."""

    whose: str
    path: str
    free: int


class DiskFull(EngineRefuses):
    """A disk that a load writes to is nearly full, so the load stops."""


class Disks:
    """The disks that a load of this installation writes to."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._needed = settings.free_bytes
        archive = settings.archive_place.folder if settings.archive else None
        self._folders = [("the home", settings.absolute_home)]
        self._folders += [("the archive", archive)] if archive is not None else []
        self._looked = float("-inf")
        # A loader's role may lack the right to query nodes.
        self._may_ask = True

    async def check(self) -> None:
        """Raise DiskFull if a disk is nearly full; checks at most every `LOOK_SECONDS`."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            await self.look()

    async def look(self) -> None:
        """Check now, and raise DiskFull if a disk is nearly full."""
        if not self._needed:
            return
        self._looked = time.monotonic()
        own = []
        for whose, folder in self._folders:
            there = next(parent for parent in (folder, *folder.parents) if parent.exists())
            own.append(Disk(whose, str(there), shutil.disk_usage(there).free))
        for disk in (*own, *await self._engine_disks()):
            if disk.free < self._needed:
                raise DiskFull(
                    f"the disk is full: {disk.path} ({disk.whose}) has {disk.free} bytes free, a"
                    f" load needs {self._needed} (EDGAR_SEARCH_FREE_BYTES); make room, then start"
                    " the load again; it continues where it stopped"
                )

    async def explain(self, error: EngineRefuses) -> EngineRefuses:
        """Add the free bytes of each disk to an error, if Elasticsearch refuses writes.

        Raises DiskFull if a disk is nearly full.
        """
        await self.look()
        disks = await self._engine_disks() if str(error) == BLOCKED else []
        free_bytes = "; ".join(f"{disk.path} has {disk.free} bytes free" for disk in disks)
        return EngineRefuses(f"{error} ({free_bytes})") if free_bytes else error

    async def _engine_disks(self) -> list[Disk]:
        """Return the disks of Elasticsearch's data nodes; none without the right or time to ask."""
        if not self._may_ask:
            return []
        path = "/_nodes/data:true/stats/fs?filter_path=nodes.*.name,nodes.*.fs.data"
        try:
            async with asyncio.timeout(ASK_SECONDS):
                reply = await self._engine.administer("GET", path)
            nodes = msgspec.convert(reply, _NodesReply).nodes
        except EngineRefuses:
            self._may_ask = False
            return []
        except (EdgarSearchError, TimeoutError, msgspec.ValidationError):
            return []
        return [
            Disk(f"the data of Elasticsearch's node {node.name}", data.path, data.available)
            for node in nodes.values()
            for data in node.fs.data
        ]


class _Data(Struct, frozen=True):
    path: str
    available: int = msgspec.field(name="available_in_bytes")


class _FileSystem(Struct, frozen=True):
    data: tuple[_Data, ...] = ()


class _Node(Struct, frozen=True):
    name: str
    fs: _FileSystem = _FileSystem()


class _NodesReply(Struct, frozen=True):
    nodes: dict[str, _Node] = {}
