"""An installation of this service, on which the peers work."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

from bench.installation import Installation, remove
from bench.peers.timing import MANY
from bench.peers.wire import Wire
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices

_HERE = {"127.0.0.1", "localhost", "::1"}


class Opened(NamedTuple):
    """An empty installation, a key for each client, and Elasticsearch's process if it is here.

    `wire` goes to Elasticsearch.
    """

    settings: Settings
    wire: Wire
    keys: Sequence[str]
    process: psutil.Process | None
    version: str

    def other(self, name: str) -> str:
        """Return a name for an index of a peer, which goes with the installation."""
        return f"{self.settings.prefix}other-{name}"


@asynccontextmanager
async def installed_for_peers(settings: Settings) -> AsyncIterator[Opened]:
    """Everything goes at the end, the indices of peers too."""
    engine = Engine.from_settings(settings)
    try:
        await remove(engine, settings.prefix)
        await Indices(engine, settings).set_up()
        installation = Installation(settings, engine)
        keys = [await installation.key(f"bench-{number}") for number in range(MANY + 1)]
        nodes = (await engine.administer("GET", "/_nodes/process"))["nodes"].values()
        version = next(iter(nodes))["version"]
        process = _process(settings, [node["process"]["id"] for node in nodes])
        with closing(Wire(str(settings.es_url))) as wire:
            yield Opened(settings, wire, keys, process, version)
    finally:
        await remove(engine, settings.prefix)
        await engine.close()


def _process(settings: Settings, ids: list[int]) -> psutil.Process | None:
    """Return the process of the only node, where it runs on this machine."""
    if len(ids) > 1 or urlsplit(str(settings.es_url)).hostname not in _HERE:
        return None
    return psutil.Process(ids[0]) if psutil.pid_exists(ids[0]) else None
