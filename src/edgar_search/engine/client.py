"""Elasticsearch clients, made from settings, and the nodes that they see."""

import asyncio
import errno
import logging
import os
import ssl
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.elasticsearch_py import (
    AiohttpHttpNode,
    AsyncElasticsearch,
    BaseNode,
    ConnectionTimeout,
    NodeConnectionError,
    NodePool,
    Serializer,
    TransportError,
)
from edgar_search.errors import SettingsError
from edgar_search.http_client import WaitObserver
from edgar_search.metrics.meters import POOL_WAITS
from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses

# Operations that accept a preference for shard copies.
_PREFERRING = frozenset({"_search", "_mget", "_pit"})


class Shard(Struct):
    """One copy of a shard."""

    index: str
    shard: int
    node: str | None = None
    state: str = ""


class ShardCopies(Struct):
    """The copies of all shards that one node of the cluster knows, a list for each shard."""

    shards: list[list[Shard]] = []

    @property
    def nodes(self) -> frozenset[str]:
        """The ids of the nodes that hold a copy that can be searched."""
        return frozenset(self.first_on_each())

    def first_on_each(self) -> dict[str, Shard]:
        """Return one copy for each node that holds any."""
        first: dict[str, Shard] = {}
        for copies in self.shards:
            for copy in copies:
                if copy.node is not None and copy.state == "STARTED":
                    first.setdefault(copy.node, copy)
        return first


class Preference(NamedTuple):
    """Data nodes that hang, and the nodes to ask instead if they hold a copy."""

    avoided: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The value of the request parameter `preference`."""
        return "_prefer_nodes:" + ",".join(sorted(self.asked))

    def betters(self, other: "Preference") -> bool:
        """Return True if a request that waits with the `other` preference would gain by this one.

        The other may ask a node that hangs: one that it does not know to hang, or the holder of the
        only other copy, chosen to avoid a node that answers again by now.
        """
        newly_asked = self.asked - other.asked if other.avoided else frozenset()
        return bool(self.avoided - other.avoided or newly_asked)


def can_avoid(method: str, path: str) -> bool:
    """Return True if the request can be told which copies to ask."""
    first, _, below = path.removeprefix("/").partition("/")
    operation = below.partition("/")[0]
    # A search without an index reads a point in time, which already has its copies.
    return first == "_msearch" or operation in _PREFERRING or (method, operation) == ("GET", "_doc")


def avoid_hanging_nodes(
    path: str, options: dict[str, Any], preference: Preference
) -> dict[str, Any]:
    """Make a request prefer other copies, by its `params` or its `body`."""
    if path == "/_msearch":
        lines = options["body"].splitlines()
        for number in range(0, len(lines), 2):
            head = msgspec.json.decode(lines[number])
            lines[number] = msgspec.json.encode(head | {"preference": preference.text})
        return options | {"body": b"\n".join(lines) + b"\n"}
    return options | {"params": {**(options.get("params") or {}), "preference": preference.text}}


_log = logging.getLogger(__name__)

# The answer of a node that has not joined a cluster, or has lost it.
NOT_JOINED = "cluster_block_exception"
_UNAVAILABLE = 503
_NODE_LOG = logging.getLogger("elastic_transport.node")
_failed_at: ContextVar["WatchedNode | None"] = ContextVar("failed_at", default=None)


class NotReached(NodeConnectionError):
    """No connection to the node could be made, so nothing was sent."""


class Attempt:
    """One attempt to send a request, with its node.

    `reads` is true if it may be given up and sent again. `preference` names the data nodes to ask;
    it is None if the request cannot have one.
    """

    __slots__ = ("began", "limit", "node", "only", "preference", "reads", "timer")

    def __init__(
        self,
        *,
        reads: bool = False,
        preference: Preference | None = None,
        only: BaseNode | None = None,
    ) -> None:
        self.reads = reads
        self.preference = preference
        self.only = only
        self.node: BaseNode | None = only
        self.began = 0.0
        self.limit = asyncio.timeout(None)
        self.timer: asyncio.TimerHandle | None = None


# The attempt of this task; the pool writes the chosen node into it.
ATTEMPT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


class WatchedNode(AiohttpHttpNode):
    """A node that records whether it answered its last request, even with a refusal.

    `newest_answered` is when the latest answered request began, `answered_at` when the last answer
    came.
    """

    answered = True
    late = False
    newest_answered = answered_at = float("-inf")
    _under_way = 0
    _waits: WaitObserver | None = None

    def _create_aiohttp_session(self) -> None:
        super()._create_aiohttp_session()
        assert self.session is not None
        self._waits = WaitObserver(self.session, POOL_WAITS.observe)

    async def perform_request(  # type: ignore[override]
        self, *args: Any, **kwargs: Any
    ) -> Any:
        self._under_way += 1
        if self._waits is not None:
            # Only requests under way hold connections, so below this number one is free.
            self._waits.of_next(may_wait=self._under_way > self.config.connections_per_node)
        try:
            return await self._perform(*args, **kwargs)
        finally:
            self._under_way -= 1

    def _log_request(self, *args: Any, **kwargs: Any) -> None:
        # The library decodes both bodies and sorts all headers before it checks the level.
        if _NODE_LOG.isEnabledFor(logging.DEBUG):
            super()._log_request(*args, **kwargs)

    async def _perform(self, *args: Any, **kwargs: Any) -> Any:
        began = asyncio.get_running_loop().time()
        try:
            reply = await super().perform_request(*args, **kwargs)
        except TransportError as error:
            self.answered = False
            self.late = isinstance(error, ConnectionTimeout)
            _failed_at.set(self)
            # Other errors may come from a connection over which something was already sent.
            if any(getattr(cause, "errno", None) == errno.ECONNREFUSED for cause in error.errors):
                raise NotReached(error.message, errors=error.errors) from None
            raise
        self.newest_answered = max(self.newest_answered, began)
        self.answered_at = asyncio.get_running_loop().time()
        refuses = reply.meta.status == _UNAVAILABLE
        # A node that has lost its cluster takes no requests, so it counts as away.
        self.answered = not refuses or NOT_JOINED.encode() not in reply.body
        _failed_at.set(self if refuses else None)
        return reply


class WatchedPool(NodePool):
    """Nodes that take requests in turn, leaving out the ones that do not answer.

    The log gets one line when a node is left out and one when it is back, however many requests
    failed. `on_change` tells `watch.py` that something is wrong; the watch finds out which node is
    back.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left_out: set[BaseNode] = set()
        self.on_change: Callable[[], None] = lambda: None
        self._beside: dict[BaseNode, BaseNode] = {}

    @property
    def answering(self) -> int:
        """The number of nodes in use."""
        return len(self) - len(self.left_out)

    def beside(self, node: BaseNode) -> BaseNode:
        """Return the same node with its own connections, so that no other request delays it."""
        if node not in self._beside:
            self._beside[node] = self._node_class(node.config)
        return self._beside[node]

    def get(self) -> BaseNode:
        """Return the next node in turn, skipping the one where this task's last request failed."""
        attempt = ATTEMPT.get()
        if attempt is not None and attempt.only is not None:
            return attempt.only
        nodes = [node for node in self.all() if node not in self.left_out] or self.all()
        if len(nodes) > 1:
            nodes = [node for node in nodes if node is not _failed_at.get()]
        node = self._node_selector.select(nodes)
        if attempt is not None:
            attempt.node = node
        return node

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        """Leave the node out unless it answered: a node that refuses a request is alive."""
        assert isinstance(node, WatchedNode)
        if node.late and not node.answered:
            # The request may be slow by itself, or another node may hang.
            self.on_change()
        elif not node.answered:
            self.leave_out(node)

    def mark_live(self, node: BaseNode) -> None:
        """Use the node again at once if there is no other node."""
        if not self.answering:
            self.take_back(node)

    def leave_out(self, node: BaseNode) -> None:
        """Stop using the node until it is taken back; an only node is always used."""
        if len(self) > 1 and node in self.all() and node not in self.left_out:
            self.left_out.add(node)
            _log.warning(
                "%s does not answer; %d of %d nodes do", _name(node), self.answering, len(self)
            )
            self.on_change()

    def take_back(self, node: BaseNode) -> None:
        """Use the node again."""
        if node in self.left_out:
            self.left_out.remove(node)
            _log.warning("%s answers again", _name(node))

    async def close_beside(self) -> None:
        """Close the connections made by `beside`; the transport closes the pool's own."""
        for node in self._beside.values():
            assert isinstance(node, WatchedNode)
            await node.close()


def _name(node: BaseNode) -> str:
    return f"Elasticsearch at {node.host}:{node.port}"


# A bulk request may wait for indexing; a search never does.
BULK_TIMEOUT = 120.0
# A change of templates, indices or aliases waits for the master, which makes one at a time.
ADMINISTRATION_TIMEOUT = 120.0


class BytesSerializer(Serializer):
    """Encodes with msgspec and leaves replies as bytes, which the engine decodes into a type.

    Decoding a 24 kB reply takes 20 us into Structs, and 70 us into dicts by the standard library.
    """

    mimetype = "application/json"

    def dumps(self, data: Any) -> bytes:
        return data if isinstance(data, bytes) else msgspec.json.encode(data)

    def loads(self, data: bytes) -> bytes:
        return data


def make_client(settings: Settings) -> AsyncElasticsearch:
    """Make a client for the nodes of `settings.es_url`, for use in one event loop.

    It retries nothing, because the engine and the loader know which requests may be repeated.
    Raises SettingsError for an unusable address or certificate authority, and for credentials that
    exclude each other.
    """
    if settings.es_url is None:
        raise SettingsError("EDGAR_SEARCH_ES_URL is needed here")
    addresses = es_addresses(settings.es_url)
    options = _credentials(settings) | _authority(settings, addresses)
    # The client's own spans contain whole paths, and so ids of accounts and hashes of keys.
    os.environ["OTEL_PYTHON_INSTRUMENTATION_ELASTICSEARCH_ENABLED"] = "false"
    # The client logs each failure; our log has one line for each change of a node.
    logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
    serializer = BytesSerializer()
    return AsyncElasticsearch(
        list(addresses),
        node_class=WatchedNode,
        node_pool_class=WatchedPool,
        # Requests beyond this number wait inside the client, and their time-out runs meanwhile.
        connections_per_node=settings.es_connections,
        request_timeout=settings.es_timeout,
        max_retries=0,
        retry_on_timeout=False,
        retry_on_status=(),
        serializers={"application/json": serializer, "application/x-ndjson": serializer},
        **options,
    )


def _credentials(settings: Settings) -> dict[str, Any]:
    if settings.es_api_key and settings.es_user:
        raise SettingsError("set EDGAR_SEARCH_ES_API_KEY or EDGAR_SEARCH_ES_USER, not both")
    if settings.es_password and not settings.es_user:
        raise SettingsError("EDGAR_SEARCH_ES_USER is needed if EDGAR_SEARCH_ES_PASSWORD is set")
    if settings.es_api_key:
        return {"api_key": settings.es_api_key}
    if settings.es_user:
        return {"basic_auth": (settings.es_user, settings.es_password or "")}
    return {}


def _authority(settings: Settings, addresses: tuple[str, ...]) -> dict[str, Any]:
    path, name = settings.es_ca, "EDGAR_SEARCH_ES_CA"
    if path is None:
        return {}
    if not addresses[0].startswith("https:"):
        raise SettingsError(f"{name} is for addresses that begin with https://")
    try:
        path.read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except ssl.SSLError:
        raise SettingsError(f"{name}: {path} is not a certificate in PEM") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(f"{name}: {path} cannot be read: {reason}") from None
    return {"ca_certs": str(path)}
