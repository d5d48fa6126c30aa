"""Nodes that hang: detecting them, giving up their requests, and using them again.

A request that waits longer than `SLOW` starts the watch. It sends a tiny request to each address,
and to each data node through an address that answers. A late address is left out. A late data node
is avoided: Elasticsearch itself would send it requests for shards until the master removes it, for
half a minute. Reads that wait there are given up and sent again elsewhere. If nothing hangs, a slow
request continues: it is slow because of its query.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from edgar_search.engine.client import (
    ATTEMPT,
    NOT_JOINED,
    Attempt,
    Preference,
    Shard,
    ShardCopies,
    WatchedNode,
    WatchedPool,
)
from edgar_search.engine.elasticsearch_py import (
    ApiError,
    AsyncElasticsearch,
    BaseNode,
    SerializationError,
    TransportError,
)
from edgar_search.engine.replies import decode, error_text
from edgar_search.errors import EdgarSearchError
from edgar_search.metrics.current_request import NOBODY

# The watch checks for hanging nodes after this many seconds without an answer.
SLOW = 0.3
# A node hangs if a tiny request takes longer than `LATE` and others are `TIMES` times quicker.
# Otherwise, all are busy: each has up to `LATEST`, and hangs after `MISSES` late answers. All of
# this is well within the time in which a value in memory must be read again: `freshness.py`.
LATE, TIMES, LATEST = 0.5, 4.0, 1.5
MISSES = 2
# Seconds between two checks: while a node hangs, and while none does.
AGAIN, REST = 0.5, 1.0
# A node is used again after this many timely answers in a row.
PROMPT = 2
# After this many checks without any answer, no request waits any longer: by then no value in memory
# is fresh, so all requests fail anyway.
SILENT = 3
_JSON = {"accept": "application/json", "content-type": "application/json"}
# If this process is this many seconds late for its own timer, it may have unread answers.
_STILL = 0.1
# The errors of a request that got no answer.
_FAULTS = (TransportError, SerializationError, TimeoutError)
_LEAST = {"size": 0, "query": {"match_none": {}}}

K = TypeVar("K")
V = TypeVar("V")


class GivenUp(Exception):
    """A read was given up because its node hangs and another one can answer."""


class Watch:
    """One client's watch over its nodes."""

    def __init__(self, client: AsyncElasticsearch, pool: WatchedPool, prefix: str) -> None:
        self.preference = Preference()
        self._client = client
        self._pool = pool
        self._shards = f"/{prefix}*/_search_shards?local=true&filter_path=shards"
        self._under_way: set[Attempt] = set()
        self._prompt: Counter[BaseNode | str] = Counter()
        self._missed: Counter[BaseNode | str] = Counter()
        self._silent = 0
        self._looked_at = float("-inf")
        self._watching: asyncio.Task[None] | None = None
        self._closed = False
        pool.on_change = self._watch_from_now

    @property
    def is_silent(self) -> bool:
        """True if no address has answered in the last checks."""
        return self._silent >= SILENT

    async def close(self) -> None:
        """Stop the watch, and any check under way."""
        self._closed = True
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        await self._pool.close_beside()

    @asynccontextmanager
    async def attend(self, attempt: Attempt) -> AsyncIterator[None]:
        """Watch a request while it waits for its answer; raises GivenUp."""
        loop = asyncio.get_running_loop()
        token = ATTEMPT.set(attempt)
        attempt.began = loop.time()
        attempt.timer = loop.call_later(SLOW, self._slow, attempt)
        self._under_way.add(attempt)
        try:
            async with attempt.limit:
                yield
        except TimeoutError:
            if attempt.limit.expired():
                raise GivenUp from None
            raise
        finally:
            attempt.timer.cancel()
            self._under_way.discard(attempt)
            ATTEMPT.reset(token)

    def _slow(self, attempt: Attempt) -> None:
        """Check for nodes that hang, unless they were checked a moment ago."""
        loop = asyncio.get_running_loop()
        attempt.timer = loop.call_later(REST, self._slow, attempt)
        if not self._give_up_if_hung(attempt) and loop.time() - self._looked_at > REST:
            self._watch_from_now()

    def _give_up_if_hung(self, attempt: Attempt) -> bool:
        at_hanging = attempt.node in self._pool.left_out and self._pool.answering
        for_hanging = attempt.preference is not None and self.preference.betters(attempt.preference)
        if not attempt.reads or not (at_hanging or for_hanging):
            return False
        attempt.reads = False  # Give it up only once.
        attempt.limit.reschedule(0)
        return True

    def _watch_from_now(self) -> None:
        if not self._closed and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """Check for hanging nodes repeatedly, as long as there are any."""
        loop = asyncio.get_running_loop()
        while True:
            await self._look()
            self._looked_at = loop.time()
            for attempt in list(self._under_way):
                if self._looked_at - attempt.began >= SLOW:
                    self._give_up_if_hung(attempt)
            if not (self._pool.left_out or self.preference.avoided or self._silent):
                return
            await asyncio.sleep(AGAIN)

    async def _look(self) -> None:
        """Find out which addresses and data nodes are late."""
        nodes, began = self._pool.all(), asyncio.get_running_loop().time()
        views: dict[BaseNode, ShardCopies] = {}
        late: asyncio.Task[Preference] | None = None
        took: list[float] = []
        try:
            async for node, view in results_in_time(
                {node: self._view(node) for node in nodes}, took
            ):
                views[node] = view
                self._silent = 0
                if not self._pool.answering:
                    self._pool.take_back(node)
                # A node that was away may not know yet that the others have gone on without it.
                if late is None and node not in self._pool.left_out:
                    late = asyncio.create_task(self._late_data_nodes(node, view))
            busy = _are_busy(took)
            # A node may have answered another request in time.
            silent = {
                node
                for node in nodes
                if node not in views and not _answers_since(node, began, busy)
            }
            if len(silent) == len(nodes):
                self._silent += 1
            self._learn_addresses(views, silent, busy)
            self.preference = await late if late is not None else self.preference
        finally:
            if late is not None:
                late.cancel()
                await asyncio.wait({late})

    def _learn_addresses(
        self, views: dict[BaseNode, ShardCopies], silent: set[BaseNode], busy: bool
    ) -> None:
        known = {view.nodes for node, view in views.items() if node not in self._pool.left_out}
        for node in self._pool.all():
            if self._is_late(node, node not in silent, busy) and views:
                self._pool.leave_out(node)
        for node in self._pool.left_out & views.keys():
            # Until it sees the same nodes as the others, its copies may be old.
            agrees = not known or views[node].nodes in known
            self._prompt[node] = self._prompt[node] + 1 if agrees else 0
            if self._prompt[node] >= PROMPT:
                self._pool.take_back(node)

    def _is_late(self, node: BaseNode | str, answered: bool, busy: bool) -> bool:
        """Record whether a node answered; return True if it has been late often enough."""
        self._missed[node] = 0 if answered else self._missed[node] + 1
        if not answered:
            self._prompt[node] = 0
        return self._missed[node] >= (MISSES if busy else 1)

    async def _late_data_nodes(self, through: BaseNode, view: ShardCopies) -> Preference:
        """Find the data nodes to avoid, through one address."""
        copies = view.first_on_each()
        if len(copies) < 2:
            return Preference()
        asking = {node: self._ask_copy(through, copy) for node, copy in copies.items()}
        took: list[float] = []
        answered = {node async for node, _ in results_in_time(asking, took)}
        if not answered:  # Then the data nodes are not the problem.
            return Preference()
        busy = _are_busy(took)
        late = {node for node in copies if self._is_late(node, node in answered, busy)}
        for node in answered:
            self._prompt[node] += 1
        avoided = {node for node in self.preference.avoided if self._prompt[node] < PROMPT} | late
        # Some node must be asked, preferably one that has answered once.
        preferred = copies.keys() - avoided or answered
        return Preference(frozenset(copies.keys() - preferred), frozenset(preferred))

    async def _view(self, node: BaseNode) -> ShardCopies:
        """Read which copies an address knows; none if it refuses."""
        try:
            reply = await self._ask(node, "GET", self._shards)
            return ShardCopies() if reply is None else decode(reply, ShardCopies)
        except EdgarSearchError:
            return ShardCopies()

    async def _ask_copy(self, through: BaseNode, copy: Shard) -> None:
        preference = f"_shards:{copy.shard}|_only_nodes:{copy.node}"
        path = f"/{copy.index}/_search"
        await self._ask(through, "POST", path, {"preference": preference}, _LEAST)

    async def _ask(
        self,
        node: BaseNode,
        method: str,
        path: str,
        params: dict[str, str] | None = None,
        body: object = None,
    ) -> bytes | None:
        """Return this node's reply, or None if it refuses. Raises _FAULTS."""
        ATTEMPT.set(Attempt(only=self._pool.beside(node)))
        headers = {**_JSON, "x-opaque-id": NOBODY}
        try:
            reply = await self._client.perform_request(
                method, path, params=params, headers=headers, body=body
            )
        except ApiError as error:
            if error_text(error.body, "type") == NOT_JOINED:
                raise TimeoutError from None
            return None
        return reply.body if isinstance(reply.body, bytes) else None


def _are_busy(took: list[float]) -> bool:
    """Return True if the nodes that answered are so slow that `LATE` would be too strict."""
    return max(took, default=LATEST) * TIMES > LATE


def _answers_since(node: BaseNode, moment: float, busy: bool) -> bool:
    """Return True if a node has answered a request sent since; if all are busy, any request."""
    assert isinstance(node, WatchedNode)
    return (node.answered_at if busy else node.newest_answered) >= moment


async def results_in_time(
    asking: Mapping[K, Coroutine[Any, Any, V]], took: list[float]
) -> AsyncIterator[tuple[K, V]]:
    """Yield results as they arrive, leaving out late and failed ones.

    Their seconds are appended to `took`.
    """
    loop = asyncio.get_running_loop()
    tasks = {asyncio.create_task(request): key for key, request in asking.items()}
    waiting, began, until = set(tasks), loop.time(), LATEST
    try:
        while waiting:
            end = began + until
            done, waiting = await asyncio.wait(
                waiting, timeout=max(0.0, end - loop.time()), return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                stood_still = loop.time() - end
                if stood_still < _STILL:
                    return
                began += stood_still + _STILL  # This process was late itself.
            for task in done:
                if not isinstance(task.exception(), _FAULTS):
                    took.append(loop.time() - began)
                    until = min(LATEST, max(LATE, TIMES * took[-1]))
                    yield tasks[task], task.result()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
