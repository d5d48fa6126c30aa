"""The time between being told to stop and stopping, in which a balancer finds other instances.

On SIGTERM a worker says at once that it is not ready, and goes on answering for a while; only then
the server around it hears of the signal, closes its socket and ends what is under way.
"""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_log = logging.getLogger(__name__)


class Draining:
    """Whether this worker was told to stop."""

    def __init__(self) -> None:
        self.begun = False


@contextmanager
def draining(seconds: float) -> Iterator[Draining]:
    """Hold SIGTERM back from the server around for so many seconds; call it in its event loop.

    Where nobody handles that signal, or in another thread than the main one, nothing is held back.
    SIGINT, as of Ctrl-C, stops at once in any case.
    """
    state = Draining()
    stop = signal.getsignal(signal.SIGTERM)
    if not callable(stop) or threading.current_thread() is not threading.main_thread():
        yield state
        return
    signal.signal(signal.SIGTERM, _held_back(state, seconds, stop))
    try:
        yield state
    finally:
        signal.signal(signal.SIGTERM, stop)


def _held_back(
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
