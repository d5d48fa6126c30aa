"""A real Redis on a free loopback port, from the machine's `redis-server`."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bench.service import ending

START_SECONDS = 10.0


@contextmanager
def running_redis(*more: str, port: int = 0) -> Iterator[str]:
    """Yield a Redis that keeps nothing, with these options too; its address.

    Skips if redis-server is not installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed; Debian has it in the package redis-server")
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]
        process = subprocess.Popen([program, *options, *more], stdout=subprocess.DEVNULL)
        with ending(process):
            _await(port)
            yield f"redis://127.0.0.1:{port}/0"


def _await(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
