"""A process of the reading room: it runs one work after another until its pipe closes.

It is a program of its own, `python -m`; its argument is the pipe's file descriptor.
"""

import ctypes
import gc
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import msgspec

from edgar_search.document.process_bounds import allow_seconds, bound_this_process

# Seconds of CPU time for one work. The slowest document of 583 submissions takes one.
WORK_SECONDS = 10
# After work with more bytes than this, memory is returned to the system.
_LARGE = 4_000_000
DONE, FAILED = b"\0", b"\1"


class Work(NamedTuple):
    """A module's function to call with these arguments, within a limit of CPU time."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    seconds: int


class Packing:
    """Packs values of types that `msgspec` cannot encode, by their own methods."""

    @staticmethod
    def encode(value: Any) -> Any:
        """Return the packed form of a value."""
        return value.packed()

    @staticmethod
    def decode(kind: Any, packed: Any) -> Any:
        """Decode a packed value."""
        return kind.unpacked(packed)


def main() -> None:
    """Serve the pipe. Any error of the work is an answer; lack of memory ends the process."""
    pipe = Connection(int(sys.argv[1]))
    bound_this_process()
    while True:
        try:
            sent = pipe.recv_bytes()
        except EOFError:
            return
        size = len(sent)
        try:
            work: Work = pickle.loads(sent)  # only the service writes to the pipe
            del sent
            allow_seconds(work.seconds)
            answer = msgspec.msgpack.encode(
                work.function(*work.args, **work.kwargs), enc_hook=Packing.encode
            )
            del work
        except MemoryError:
            return
        except Exception:
            pipe.send_bytes(FAILED + traceback.format_exc(limit=-5).encode())
            continue
        pipe.send_bytes(DONE + answer)
        if size + len(answer) > _LARGE:
            del answer
            gc.collect()
            # Only glibc has this function.
            with suppress(AttributeError):
                ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main()
