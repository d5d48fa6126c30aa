"""The connections of one worker: their number, their pace, and their end.

On SIGTERM a worker says at once that it is not ready, and keeps answering for a while; only then
the server around it hears of the signal, closes its socket and ends the requests under way.

All bounds here are a worker's own, as its descriptors are.
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
    """Hold SIGTERM back from the server around for `seconds`; call it in its event loop.

    Nothing is held back if nobody handles that signal, or in another thread than the main one.
    SIGINT, as of Ctrl-C, stops at once in any case.
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
        # A service manager tells every process of the service, and the parent tells its workers
        # once more: only the first time counts.
        if state.begun:
            return
        state.begun = True
        _log.info("told to stop: not ready any more, and stopping in %g s", seconds)
        loop.call_soon_threadsafe(loop.call_later, seconds, stop, number, None)

    return on_signal


# The interval of looks for overdue connections; time-outs are late by as much at most.
SWEEP_SECONDS = 0.5
# The number of refused clients that are listened to until they have read the refusal.
MAX_LEAVING = 32
# Descriptors for anything but clients and Elasticsearch: files, the log, sockets of the loop.
_OTHER_DESCRIPTORS = 64
# A provider gives one customer this much of IPv6.
_IPV6_CUSTOMER = 64
# The interval of log lines with the number of refused connections.
_REPORT_SECONDS = 10.0


class Bounds(Struct, frozen=True):
    """Limits of a connection's cost; times in seconds, `body_rate` in bytes a second."""

    total: int
    for_each_address: int
    header_timeout: float
    body_timeout: float
    body_rate: int
    keep_alive: float
    trusted: Networks

    @classmethod
    def from_settings(cls, settings: Settings, descriptors: int) -> "Bounds":
        """Return the settings' bounds, lower if the process may not open as many descriptors."""
        reserve = settings.es_connections + _OTHER_DESCRIPTORS + MAX_LEAVING
        room = max(descriptors - reserve, descriptors // 2, 1)
        each = settings.connections_per_address
        return cls(
            total=min(settings.connections, room),
            # One address must not take all the room.
            for_each_address=each if settings.connections <= room else min(each, room // 2 or 1),
            header_timeout=settings.header_timeout,
            body_timeout=settings.body_timeout,
            body_rate=settings.body_rate,
            keep_alive=settings.keep_alive,
            trusted=trusted_networks(settings.trusted_proxies),
        )


class Connection(Protocol):
    """A connection that is looked after here; `deadline` is a time of the event loop."""

    deadline: float

    def expire(self, now: float) -> None:
        """Act on a deadline that is over."""


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
        """Within the descriptors that this process may open."""
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
        """Count a connection; False if it has no room. The caller must `leave` it in any case."""
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
        """Hold a client without room until it has read why; return False if too many are held."""
        if len(self._leaving) >= MAX_LEAVING:
            return False
        self._leaving.add(connection)
        return True

    def leave(self, connection: Connection) -> None:
        """The connection is closed."""
        self._leaving.discard(connection)
        key = self._held.pop(connection, None)
        if key is not None:
            self._addresses[key] -= 1
            if not self._addresses[key]:
                del self._addresses[key]

    async def run_forever(self) -> None:
        """End overdue connections, for as long as the worker lives."""
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
    """Return the addresses that one customer of a provider has, as a key; None for another text."""
    address = address_of(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_CUSTOMER), strict=False))
    return None if address is None else str(address)
