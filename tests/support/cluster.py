"""A cluster of Elasticsearch on loopback, whose nodes can be killed and started again."""

import json
import os
import shutil
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from edgar_search.engine.embedded import folders, install, process
from edgar_search.engine.embedded.folders import EngineFolders
from tests.support.engines import FRUGAL, embedded_settings, new_home

START_SECONDS = 240.0  # three nodes on two busy cores
# Tests write little, to whatever disk there is.
_LIKE_TESTS = {
    "cluster.routing.allocation.disk.threshold_enabled": False,
    "node.store.allow_mmap": False,
}


class Node(NamedTuple):
    """One node: its files and its port."""

    where: EngineFolders
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Cluster:
    """Nodes that were started once.

    `home` is their distribution, `runtime` the Java that they run on, with `options`.
    """

    def __init__(self, nodes: list[Node], home: Path, runtime: Path, options: str) -> None:
        self.nodes = nodes
        self._home = home
        self._java = runtime
        self._options = options

    @property
    def addresses(self) -> str:
        """The addresses, as the setting has them."""
        return ",".join(node.url for node in self.nodes)

    def start(self, node: Node) -> None:
        """Start a node, without awaiting it."""
        process.start(self._home, self._java, node.where, self._options)

    def kill(self, node: Node) -> None:
        """End a node without a chance to say so."""
        process.signal_all(process.all_of(node.where), kill=True)
        while not process.has_ended(node.where):
            pass  # it looks for 0.2 seconds

    def stop(self, node: Node) -> None:
        """Ask a node to end, and await it."""
        process.signal_all(process.all_of(node.where), kill=False)
        while not process.has_ended(node.where):
            pass

    def freeze(self, node: Node) -> None:
        """Stop a node where it is; its connections stay open and nothing on them is answered."""
        for pid in process.all_of(node.where):
            os.kill(pid, signal.SIGSTOP)

    def thaw(self, node: Node) -> None:
        """Let a frozen node continue."""
        for pid in process.all_of(node.where):
            os.kill(pid, signal.SIGCONT)

    def master(self) -> Node:
        """Return the node that is the elected master."""
        (elected,) = _asked(f"{self.nodes[0].url}/_cat/master?format=json")
        return self.nodes[int(elected["node"].removeprefix("node-"))]

    def await_green(self, asked: Node, nodes: int | None = None) -> None:
        """Wait until all nodes are there, or this many, and all copies of all shards at rest."""
        count = nodes or len(self.nodes)
        rest = "wait_for_no_relocating_shards=true"
        wait = f"wait_for_status=green&wait_for_nodes={count}&{rest}&timeout=5s"
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            health = _asked(f"{asked.url}/_cluster/health?{wait}")
            if health and health["status"] == "green" and not health["timed_out"]:
                return
            time.sleep(0.5)
        raise AssertionError(f"the cluster is not green: {asked.where.log.read_text()[-2_000:]}")


@contextmanager
def running_cluster(
    count: int = 3,
    heap: str = "512m",
    *,
    first: int | None = None,
    options: str = FRUGAL,
    more: Mapping[str, Any] = _LIKE_TESTS,
    folder: Path | None = None,
) -> Iterator[Cluster]:
    """Yield a cluster that is removed at the end.

    Only the `first` nodes are started, or all. Their Java has these `options`, `more` are settings
    beside the necessary ones, and `folder`, which goes too, has their files.
    """
    folder = folder or new_home()
    usual = embedded_settings()
    engine = install.choose(usual)
    ports, transports = _free_ports(count), _free_ports(count)
    nodes: list[Node] = []
    home = runtime = Path()
    for number, port in enumerate(ports):
        own = msgspec.structs.replace(usual, home=folder / f"node-{number}")
        folders.control_folder(own).mkdir(parents=True)
        where = folders.prepare(own)
        if not nodes:
            home = install.find_or_unpack(engine.version, usual, where, print)
            runtime = install.reachable_copy(engine.java, where, print)
        process.write(home, where, port, engine.modules)
        _join(where, number, port, transports, more)
        nodes.append(Node(where, port))
    cluster = Cluster(nodes, home, runtime, f"-Xms{heap} -Xmx{heap} {options}")
    begun = nodes[:first]
    try:
        for node in begun:
            cluster.start(node)
        cluster.await_green(nodes[0], len(begun))
        yield cluster
    finally:
        for node in nodes:
            cluster.kill(node)
            shutil.rmtree(node.where.folder, ignore_errors=True)  # may be outside the home
        shutil.rmtree(folder, ignore_errors=True)


def _join(
    where: EngineFolders,
    number: int,
    port: int,
    transports: list[int],
    more: Mapping[str, Any],
) -> None:
    """Tell a node of the others, where one of its own would be alone."""
    told: dict[str, Any] = {
        "cluster.name": "edgar-search-test",
        "node.name": f"node-{number}",
        "discovery.seed_hosts": [f"127.0.0.1:{transport}" for transport in transports],
        "cluster.initial_master_nodes": [f"node-{each}" for each in range(len(transports))],
        "transport.port": transports[number],
        "network.host": "127.0.0.1",
        "http.port": port,
        "path.logs": str(where.logs),
        "xpack.security.enabled": False,
        "action.auto_create_index": False,
        **more,
    }
    text = "".join(f"{name}: {json.dumps(value)}\n" for name, value in told.items())
    (where.config / "elasticsearch.yml").write_text(text)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _asked(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=15) as reply:
            return json.load(reply)
    except OSError:
        return None
