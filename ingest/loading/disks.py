"""Free space, looked at by the load itself: Elasticsearch does so only now and then.

A disk that fills up to its last byte takes shards with it, and searches; so a load stops before.
"""

import asyncio
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.engine import BLOCKED, Engine
from edgar_search.errors import EdgarSearchError, EngineRefuses
from edgar_search.settings import Settings

# Looked at again no sooner than after this many seconds: a load writes some 10 MB in one.
LOOK_SECONDS = 2.0
# How long a look waits for Elasticsearch, which may be what the load waits for.
ASK_SECONDS = 2.0


class Disk(NamedTuple):
    """A folder and the bytes that are free there; `whose` says who writes to it."""

    whose: str
    path: str
    free: int


class DiskFull(EngineRefuses):
    """A load stops: a disk that it writes to has too little room."""


class Disks:
    """The disks that a load of this installation writes to."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._needed = settings.free_bytes
        archive = settings.archive_place.folder if settings.archive else None
        self._folders = [("the home", settings.absolute_home)]
        self._folders += [("the archive", archive)] if archive is not None else []
        self._looked = float("-inf")
        # Which the loader's least role may not ask.
        self._may_ask = True

    async def check(self) -> None:
        """DiskFull where one has too little room; looks at most once in a while."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            await self.look()

    async def look(self) -> None:
        """The same at once."""
        if not self._needed:
            return
        self._looked = time.monotonic()
        for disk in (*self._own(), *await self._elasticsearchs()):
            if disk.free < self._needed:
                raise DiskFull(
                    f"the disk is full: {disk.path} ({disk.whose}) has {disk.free} bytes free, a"
                    f" load needs {self._needed} (EDGAR_SEARCH_FREE_BYTES); make room, then start"
                    " the load again, it goes on where it stopped"
                )

    async def explain(self, error: EngineRefuses) -> EngineRefuses:
        """The same with what is free on which disk, where Elasticsearch takes no writes.

        Raises DiskFull where one has too little room.
        """
        await self.look()
        disks = await self._elasticsearchs() if str(error) == BLOCKED else []
        found = "; ".join(f"{disk.path} has {disk.free} bytes free" for disk in disks)
        return EngineRefuses(f"{error} ({found})") if found else error

    def _own(self) -> Iterator[Disk]:
        for whose, folder in self._folders:
            there = _existing(folder)
            yield Disk(whose, str(there), shutil.disk_usage(there).free)

    async def _elasticsearchs(self) -> list[Disk]:
        """Those of its data nodes; none where that cannot be known, for want of rights or time."""
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


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(each for each in (folder, *folder.parents) if each.exists())
