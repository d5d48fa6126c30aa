"""Limits for a process that reads filed bytes: no network, no files, limited memory and CPU."""

import ctypes
import os
import resource
from contextlib import suppress

MEMORY_BYTES = 1_073_741_824
_FILES = 64
_NICENESS = 10
# Flags of the system call that gives a process a network of its own without interfaces.
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000


def bound_this_process() -> None:
    """Limit this process, for good, in everything but CPU time."""
    os.nice(_NICENESS)
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        # A lower limit stays in force.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK)


def allow_seconds(seconds: int) -> None:
    """Give this process this many seconds of CPU time from now; after them, the system kills it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + 1 + seconds
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, most))
