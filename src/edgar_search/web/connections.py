"""The connections of one worker: their number, their pace, and their end.

On SIGTERM a worker immediately reports that it is not ready, and keeps answering for a while; only
then does the server receive the signal, close its socket and end running requests.

All limits here apply to one worker, like its descriptors.
"""

import asyncio
import logging
import resource
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_network
from types import FrameType
from typing import Any, Protocol

from msgspec import Struct

from edgar_search.settings import Settings
from edgar_search.settings.values import Networks, address_of, is_in, trusted_networks

_log = logging.getLogger(__name__)


class Draining:
    """The state of a worker; `begun` is true once it was told to stop."""

    def __init__(self) -> None:
        self.begun = False


@contextmanager
def draining(seconds: float) -> Iterator[Draining]:
    """Delay SIGTERM to the server for `seconds`; call it in the server's event loop.

    Nothing is delayed if that signal has no handler, or outside the main thread. SIGINT, as from
    Ctrl-C, always stops at once.
    """
    state = Draining()
    stop = signal.getsignal(signal.SIGTERM)
    if not callable(stop) or threading.current_thread() is not threading.main_thread():
        yield state
        return
    signal.signal(signal.SIGTERM, _delay_stop(state, seconds, stop))
    try:
        yield state
    finally:
        signal.signal(signal.SIGTERM, stop)


def _delay_stop(
    state: Draining, seconds: float, stop: Callable[[int, FrameType | None], Any]
) -> Callable[[int, FrameType | None], None]:
    loop = asyncio.get_running_loop()

    def on_signal(number: int, frame: FrameType | None) -> None:
        # A service manager signals every process of the service, and the parent signals its workers
        # again, so only the first signal counts.
        if state.begun:
            return
        state.begun = True
        _log.info("told to stop: not ready any more, and stopping in %g s", seconds)
        loop.call_soon_threadsafe(loop.call_later, seconds, stop, number, None)

    return on_signal


# The interval of checks for overdue connections; timeouts are late by at most this much.
SWEEP_SECONDS = 0.5
# How many refused clients are kept until they have read the refusal.
MAX_LEAVING = 32
# Descriptors for anything but clients and Elasticsearch: files, the log, sockets of the loop.
_OTHER_DESCRIPTORS = 64
# Providers assign a block of IPv6 addresses with this prefix length to one customer.
_IPV6_CUSTOMER = 64
# The interval of log lines that count refused connections.
_REPORT_SECONDS = 10.0
# How long the headers of a request may take, and its body in addition to the time at `_BODY_RATE`,
# in bytes a second: a hundred times less than a bad mobile connection has.
_HEADER_SECONDS = _BODY_SECONDS = 10.0
_BODY_RATE = 10_000


class Bounds(Struct, frozen=True):
    """Limits on the cost of a connection; times in seconds, `body_rate` in bytes a second."""

    total: int
    for_each_address: int
    header_timeout: float
    body_timeout: float
    body_rate: int
    keep_alive: float
    trusted: Networks

    @classmethod
    def from_settings(cls, settings: Settings, descriptors: int) -> "Bounds":
        """Return the settings' limits, lowered if the process may open fewer descriptors."""
        reserve = settings.es_connections + _OTHER_DESCRIPTORS + MAX_LEAVING
        room = max(descriptors - reserve, descriptors // 2, 1)
        per_address = settings.connections_per_address
        return cls(
            total=min(settings.connections, room),
            # One address must not take all the room.
            for_each_address=per_address
            if settings.connections <= room
            else min(per_address, room // 2 or 1),
            header_timeout=_HEADER_SECONDS,
            body_timeout=_BODY_SECONDS,
            body_rate=_BODY_RATE,
            keep_alive=settings.keep_alive,
            trusted=trusted_networks(settings.trusted_proxies),
        )


class Connection(Protocol):
    """A monitored connection; `deadline` is a time of the event loop."""

    deadline: float

    def expire(self, now: float) -> None:
        """Act on a deadline that has passed."""


class Connections:
    """The connections of one worker."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.turned_away = 0
        self._held: dict[Connection, str | None] = {}
        self._leaving: set[Connection] = set()
        self._addresses: Counter[str] = Counter()

    @classmethod
    def from_settings(cls, settings: Settings) -> "Connections":
        """Make the connections, limited to the descriptors that this process may open."""
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        bounds = Bounds.from_settings(settings, descriptors)
        if bounds.total < settings.connections:
            _log.warning(
                "of %d connections, only %d are possible: the process may open %d file descriptors",
                settings.connections,
                bounds.total,
                descriptors,
            )
        return cls(bounds)

    def admit(self, connection: Connection, host: str | None) -> bool:
        """Count a connection, or return False if there is no room.

        The caller must always `leave` it.
        """
        key = self._key_of(host)
        full = len(self._held) >= self.bounds.total
        if full or (key is not None and self._addresses[key] >= self.bounds.for_each_address):
            self.turned_away += 1
            return False
        self._held[connection] = key
        if key is not None:
            self._addresses[key] += 1
        return True

    def see_off(self, connection: Connection) -> bool:
        """Keep a refused client until it has read why; return False if too many are kept."""
        if len(self._leaving) >= MAX_LEAVING:
            return False
        self._leaving.add(connection)
        return True

    def leave(self, connection: Connection) -> None:
        """Count a connection as closed."""
        self._leaving.discard(connection)
        key = self._held.pop(connection, None)
        if key is not None:
            self._addresses[key] -= 1
            if not self._addresses[key]:
                del self._addresses[key]

    async def run_forever(self) -> None:
        """Close overdue connections, for as long as the worker lives."""
        loop = asyncio.get_running_loop()
        reported_at, reported = loop.time(), 0
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            self.sweep(now)
            if self.turned_away > reported and now - reported_at >= _REPORT_SECONDS:
                _log.warning("%d connections were refused", self.turned_away - reported)
                reported_at, reported = now, self.turned_away

    def sweep(self, now: float) -> None:
        """End the connections that are overdue at this time of the event loop."""
        for connection in [c for c in (*self._held, *self._leaving) if c.deadline <= now]:
            connection.expire(now)

    def _key_of(self, host: str | None) -> str | None:
        """Return the key for counting connections; None for a proxy, which has many clients."""
        address = address_of(host) if host is not None else None
        if address is None or is_in(address, self.bounds.trusted):
            return None
        return customer_of(str(address))


def customer_of(host: str) -> str | None:
    """Return a key for the block of addresses that a provider assigns to one customer.

    None if the text is not an address.
    """
    address = address_of(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_CUSTOMER), strict=False))
    return None if address is None else str(address)
