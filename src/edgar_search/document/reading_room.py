"""The reading room: a few permanent processes that parse filed bytes, never the service itself.

A document is a stranger's, and a parser may need far more time or memory than its size suggests.
Then only one process ends, which has no network and no secrets, and the request fails. Work that
was too costly once is refused for an hour.
"""

import asyncio
import logging
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from multiprocessing import connection
from typing import Any, NamedTuple, ParamSpec, TypeVar, get_type_hints

import msgspec
from cachetools import TTLCache

from edgar_search.document.account_turns import AccountTurns
from edgar_search.document.child_process import variables_of_child
from edgar_search.document.process_bounds import MEMORY_BYTES
from edgar_search.document.room_process import DONE, WORK_SECONDS, Packing, Work
from edgar_search.errors import ReadingsAtOnce, ReadingTimedOut, TooCostlyToRead

_log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

_MODULE = "edgar_search.document.room_process"
_PROCESSES = 2
# Seconds that work may wait for a free process, and that it may take on a busy machine.
_WAIT, _SECONDS = 10.0, 30.0
# Bytes of an answer, at most: a part with thousands of marks takes a few million.
_MOST_ANSWERED = 100_000_000
_MOST_REMEMBERED = 10_000


class ReadingOf(NamedTuple):
    """A document to read for an account, and whatever else decides the cost of reading it."""

    document_id: str
    account: str
    about: str


class ReadingRoom:
    """Processes that read for the service, as many as are needed, two at most."""

    def __init__(self, seconds: int = WORK_SECONDS) -> None:
        self._seconds = seconds
        self._turns = AccountTurns(_PROCESSES)
        self._idle: list[_Reader] = []
        self._alive: set[_Reader] = set()
        self._costly: TTLCache[str, str] = TTLCache(_MOST_REMEMBERED, TooCostlyToRead.retry_after)
        self._late: TTLCache[str, None] = TTLCache(_MOST_REMEMBERED, ReadingTimedOut.retry_after)

    async def run(
        self, of: ReadingOf, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work`, a module's function, in one of the processes; return its result.

        Raises TooCostlyToRead, ReadingsAtOnce, ReadingTimedOut.
        """
        key = f"{work.__qualname__} {of.document_id} {of.about}"
        self._refuse_known(key)
        async with self._turns.turn(of.account, _WAIT, ReadingsAtOnce()):
            # Another request may just have found it too costly.
            self._refuse_known(key)
            reader = self._idle.pop() if self._idle else self._start()
            try:
                async with asyncio.timeout(_SECONDS):
                    answer: T = await asyncio.to_thread(
                        reader.ask, Work(work, args, kwargs, self._seconds)
                    )
            except _Ended:
                self._alive.discard(reader)
                self._costly[key] = message = (
                    f"to read {of.document_id} takes more than {self._seconds} s of a core or"
                    f" {MEMORY_BYTES >> 30} GB of memory"
                )
                raise TooCostlyToRead(message) from None
            except _Failed as failed:
                self._idle.append(reader)
                self._costly[key] = message = f"{of.document_id} cannot be read"
                _log.error("%s failed\n%s", key, failed)
                raise TooCostlyToRead(message) from None
            except BaseException as error:
                self._alive.discard(reader)
                asyncio.get_running_loop().run_in_executor(None, reader.end)
                if isinstance(error, TimeoutError):
                    self._late[key] = None
                    raise ReadingTimedOut(_SECONDS) from None
                raise
            self._idle.append(reader)
            return answer

    def close(self) -> None:
        """End all processes."""
        for reader in self._alive:
            reader.end()

    def _refuse_known(self, key: str) -> None:
        if (message := self._costly.get(key)) is not None:
            raise TooCostlyToRead(message)
        if key in self._late:
            raise ReadingTimedOut(_SECONDS)

    def _start(self) -> "_Reader":
        reader = _Reader()
        self._alive.add(reader)
        return reader


class _Ended(Exception):
    """The process has ended: at a limit, or for lack of memory."""


class _Failed(Exception):
    """The work raised an unexpected error; the text is its traceback."""


class _Reader:
    """A process, and this end of its pipe."""

    def __init__(self) -> None:
        self._pipe, theirs = connection.Pipe()
        self._process = subprocess.Popen(
            (sys.executable, "-m", _MODULE, str(theirs.fileno())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=variables_of_child(),
            pass_fds=(theirs.fileno(),),
        )
        theirs.close()

    def ask(self, work: Work) -> Any:
        """Return the result of work; raises _Ended and _Failed. Blocks, so call it in a thread."""
        try:
            self._pipe.send_bytes(pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
            answer = self._pipe.recv_bytes(_MOST_ANSWERED)
        except (EOFError, OSError):
            self.end()
            raise _Ended from None
        if not answer.startswith(DONE):
            raise _Failed(answer[1:].decode("utf-8", "replace"))
        return _decoder(work.function).decode(memoryview(answer)[1:])

    def end(self) -> None:
        """Kill the process; a thread that waits for it gets the end of the pipe."""
        self._process.kill()
        self._process.wait()


@cache
def _decoder(work: Callable[..., Any]) -> "msgspec.msgpack.Decoder[Any]":
    return msgspec.msgpack.Decoder(get_type_hints(work)["return"], dec_hook=Packing.decode)
