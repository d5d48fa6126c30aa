"""All peers that can be had here, this service first."""

import importlib.util
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from bench.peers.in_elasticsearch import ElasticsearchIndex
from bench.peers.installing import Opened
from bench.peers.peer import Peer
from bench.peers.ratios import NOT_CLOSE, OURS
from bench.peers.served import Afternoon, Own, running_afternoon
from bench.peers.wire import Wire
from bench.service import running_service
from edgar_search.engine.index_names import read_alias

# By the module that has it: its class, what it is called where it is missing, and where it comes
# from.
_LIBRARIES = (
    ("bench.peers.in_tantivy", "Tantivy", "tantivy", "`pip install edgar-search[bench]`"),
    ("bench.peers.in_sqlite", "Sqlite", "SQLite FTS5", "a Python whose SQLite has FTS5"),
    ("bench.peers.in_xapian", "Xapian", "Xapian", "Debian's `python3-xapian`, for its Python"),
)


def all_peers(opened: Opened, folder: Path, stack: ExitStack) -> tuple[list[Peer], dict[str, str]]:
    """Return peers without texts, and for what is missing the reason.

    `stack` ends their processes.
    """
    peers: list[Peer] = _own(opened, stack)
    left_out: dict[str, str] = {}
    for module, kind, name, source in _LIBRARIES:
        try:
            made: Any = getattr(importlib.import_module(module), kind)
            peers.append(made(folder / name.split()[0]))
        except Exception as error:
            left_out[name] = f"{type(error).__name__}; it needs {source}"
    wire, process = opened.wire, opened.process
    default = ElasticsearchIndex(wire, opened.other("default"), process, offsets=False)
    peers += [default, ElasticsearchIndex(wire, opened.other("offsets"), process, offsets=True)]
    if importlib.util.find_spec("fastapi"):
        es_url = str(opened.settings.es_url)
        own, url = stack.enter_context(running_afternoon(es_url, default.alias))
        peers.append(Afternoon(own, stack.enter_context(closing(Wire(url))), process))
    else:
        left_out[Afternoon.name] = "ModuleNotFoundError; it needs `pip install edgar-search[bench]`"
    return peers, left_out


def _own(opened: Opened, stack: ExitStack) -> list[Peer]:
    """As it comes, and ranking by BM25 alone, over the same indices."""
    settings = opened.settings
    wire = opened.wire

    def size() -> int:
        names = ",".join(read_alias(settings.prefix, kind) for kind in ("documents", "passages"))
        stats = msgspec.json.decode(wire.get(f"/{names}/_stats/store"))
        return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])

    plain = msgspec.structs.replace(settings, close_matches=0)
    peers: list[Peer] = []
    for name, own, loads in ((OURS, settings, settings), (NOT_CLOSE, plain, None)):
        service = stack.enter_context(running_service(own))
        asked = stack.enter_context(closing(Wire(service.url)))
        peers.append(
            Own(name, service, asked, opened.keys, opened.process, loads, size if loads else int)
        )
    return peers
