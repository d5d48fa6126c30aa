"""The nodes of a cluster as a client sees them: which answer, and what the log says of them."""

import errno
import logging
from contextvars import ContextVar
from typing import Any

from edgar_search.engine.elasticsearch_py import (
    AiohttpHttpNode,
    BaseNode,
    NodeConnectionError,
    NodePool,
    TransportError,
)
from edgar_search.http_client import ToldWaits
from edgar_search.metrics.meters import POOL_WAITS

_log = logging.getLogger(__name__)

# A node that does not answer is asked again after so many seconds, twice as many each time.
FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
# What a node answers that has not joined a cluster, or has lost it.
NOT_JOINED = "cluster_block_exception"
_UNAVAILABLE = 503
_failed_at: ContextVar["WatchedNode | None"] = ContextVar("failed_at", default=None)


class NotReached(NodeConnectionError):
    """No connection to the node could be made, so nothing was sent."""


class WatchedNode(AiohttpHttpNode):
    """A node that knows whether the request that ended last was answered, be it with a refusal."""

    answered = True
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
        try:
            reply = await super().perform_request(*args, **kwargs)
        except TransportError as error:
            self.answered = False
            _failed_at.set(self)
            # Other errors may also be of a connection over which something was sent.
            if any(getattr(cause, "errno", None) == errno.ECONNREFUSED for cause in error.errors):
                raise NotReached(error.message, errors=error.errors) from None
            raise
        refuses = reply.meta.status == _UNAVAILABLE
        # One that has lost its cluster takes nothing, as if it were not there.
        self.answered = not refuses or NOT_JOINED.encode() not in reply.body
        _failed_at.set(self if refuses else None)
        return reply


class WatchedPool(NodePool):
    """Nodes that take requests in turn, without those that do not answer.

    The log has a line when one goes and one when it is back, however many requests met it.
    """

    @property
    def answering(self) -> int:
        """How many nodes are asked."""
        return len(self._alive_nodes)

    def get(self) -> BaseNode:
        """The node whose turn it is; another one than where this task's last request failed."""
        node = super().get()
        return super().get() if node is _failed_at.get() else node

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        """Leave the node out for a while, unless it answered: one that refuses lives."""
        assert isinstance(node, WatchedNode)
        # Requests that were under way when it went fail together, and count once.
        if node.answered or node.config not in self._alive_nodes:
            return
        first = node.config not in self._dead_consecutive_failures
        super().mark_dead(node, _now)
        if first and len(self) > 1:
            _log.warning(
                "%s does not answer; %d of %d nodes do", _name(node), self.answering, len(self)
            )

    def mark_live(self, node: BaseNode) -> None:
        """Take the node back, if it was left out."""
        back = node.config in self._dead_consecutive_failures
        super().mark_live(node)
        if back and len(self) > 1:
            _log.warning("%s answers again", _name(node))


def _name(node: BaseNode) -> str:
    return f"Elasticsearch at {node.host}:{node.port}"
