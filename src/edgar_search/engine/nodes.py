"""The nodes of a cluster as a client sees them: which answer, and what the log says of them."""

import asyncio
import errno
import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from edgar_search.engine.copies import Preference
from edgar_search.engine.elasticsearch_py import (
    AiohttpHttpNode,
    BaseNode,
    ConnectionTimeout,
    NodeConnectionError,
    NodePool,
    TransportError,
)
from edgar_search.http_client import ToldWaits
from edgar_search.metrics.meters import POOL_WAITS

_log = logging.getLogger(__name__)

# What a node answers that has not joined a cluster, or has lost it.
NOT_JOINED = "cluster_block_exception"
_UNAVAILABLE = 503
_failed_at: ContextVar["WatchedNode | None"] = ContextVar("failed_at", default=None)


class NotReached(NodeConnectionError):
    """No connection to the node could be made, so nothing was sent."""


class Attempt:
    """One sending of a request: to which node, and what may be done if that hangs.

    `reads` says that it may be given up and sent again; `preference` which data nodes it asks, None
    if it cannot be told.
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


# What the request of this task is; the pool writes into it which node has it.
ATTEMPT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


class WatchedNode(AiohttpHttpNode):
    """A node that knows whether the request that ended last was answered, be it with a refusal.

    `newest_answered` is when the latest of the requests began that it has answered, `answered_at`
    when it answered last.
    """

    answered = True
    late = False
    newest_answered = answered_at = float("-inf")
    _under_way = 0
    _waits: ToldWaits | None = None

    def _create_aiohttp_session(self) -> None:
        super()._create_aiohttp_session()
        assert self.session is not None
        self._waits = ToldWaits(self.session, POOL_WAITS.observe)

    async def perform_request(  # type: ignore[override]
        self, *args: Any, **kwargs: Any
    ) -> Any:
        self._under_way += 1
        if self._waits is not None:
            # None has a connection that is not under way, so with so many there is one left.
            self._waits.of_next(may_wait=self._under_way > self.config.connections_per_node)
        try:
            return await self._answered(*args, **kwargs)
        finally:
            self._under_way -= 1

    async def _answered(self, *args: Any, **kwargs: Any) -> Any:
        began = asyncio.get_running_loop().time()
        try:
            reply = await super().perform_request(*args, **kwargs)
        except TransportError as error:
            self.answered = False
            self.late = isinstance(error, ConnectionTimeout)
            _failed_at.set(self)
            # Other errors may also be of a connection over which something was sent.
            if any(getattr(cause, "errno", None) == errno.ECONNREFUSED for cause in error.errors):
                raise NotReached(error.message, errors=error.errors) from None
            raise
        self.newest_answered = max(self.newest_answered, began)
        self.answered_at = asyncio.get_running_loop().time()
        refuses = reply.meta.status == _UNAVAILABLE
        # One that has lost its cluster takes nothing, as if it were not there.
        self.answered = not refuses or NOT_JOINED.encode() not in reply.body
        _failed_at.set(self if refuses else None)
        return reply


class WatchedPool(NodePool):
    """Nodes that take requests in turn, without those that do not answer.

    The log has a line when one goes and one when it is back, however many requests met it. Which
    one is back is found out by `watch.py`, which `on_change` calls when something is amiss.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left_out: set[BaseNode] = set()
        self.on_change: Callable[[], None] = lambda: None
        self._beside: dict[BaseNode, BaseNode] = {}

    @property
    def answering(self) -> int:
        """How many nodes are asked."""
        return len(self) - len(self.left_out)

    def beside(self, node: BaseNode) -> BaseNode:
        """The same node with connections of its own, which never waits behind other requests."""
        if node not in self._beside:
            self._beside[node] = self._node_class(node.config)
        return self._beside[node]

    def get(self) -> BaseNode:
        """The node whose turn it is; another one than where this task's last request failed."""
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
        """Leave the node out, unless it answered: one that refuses lives."""
        assert isinstance(node, WatchedNode)
        if node.late and not node.answered:
            # It may be the request that takes its time, or another node.
            self.on_change()
        elif not node.answered:
            self.leave_out(node)

    def mark_live(self, node: BaseNode) -> None:
        """Take the node back at once, if no other one is asked."""
        if not self.answering:
            self.take_back(node)

    def leave_out(self, node: BaseNode) -> None:
        """Ask it no more until it is taken back; a single node is asked in any case."""
        if len(self) > 1 and node in self.all() and node not in self.left_out:
            self.left_out.add(node)
            _log.warning(
                "%s does not answer; %d of %d nodes do", _name(node), self.answering, len(self)
            )
            self.on_change()

    def take_back(self, node: BaseNode) -> None:
        """Ask it again."""
        if node in self.left_out:
            self.left_out.remove(node)
            _log.warning("%s answers again", _name(node))

    async def close_beside(self) -> None:
        """Close the connections of `beside`; the pool's own are the transport's."""
        for node in self._beside.values():
            assert isinstance(node, WatchedNode)
            await node.close()


def _name(node: BaseNode) -> str:
    return f"Elasticsearch at {node.host}:{node.port}"
