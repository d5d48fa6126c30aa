"""Clients whose network is gone while their streams are open: nothing tells the service."""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from edgar_search.settings import Settings
from tests.torture.service import Target, new_key

pytestmark = [pytest.mark.anyio, pytest.mark.long]
# A ping, which is the first that is not received, and the time that the service then waits.
MOST_SECONDS = 15 + 30 + 15
# The plan `free` has so many streams.
STREAMS = 2


@contextmanager
def cut_off(ports: list[int]) -> Iterator[None]:
    """Drop whatever is sent from and to these ports of the loopback interface."""
    rules = [
        ("INPUT", "-i", "lo", "-p", "tcp", side, str(port), "-j", "DROP")
        for port in ports
        for side in ("--sport", "--dport")
    ]
    made = []
    try:
        for rule in rules:
            command = subprocess.run(["iptables", "-A", *rule], capture_output=True)
            if command.returncode != 0:
                pytest.skip("packets cannot be dropped here")
            made.append(rule)
        yield
    finally:
        for rule in made:
            subprocess.run(["iptables", "-D", *rule], check=True)


def open_stream(target: Target, key: str) -> tuple[socket.socket, bytes]:
    """Return a connection with a stream, and what it began with."""
    client = socket.create_connection(("127.0.0.1", target.port), timeout=20)
    client.sendall(f"GET /v1/stream HTTP/1.1\r\nHost: test\r\nX-API-Key: {key}\r\n\r\n".encode())
    return client, client.recv(4096)


@pytest.mark.skipif(shutil.which("iptables") is None, reason="packets cannot be dropped here")
async def test_streams_of_clients_that_are_gone_are_free_again_within_a_minute(
    settings: Settings, target: Target
) -> None:
    key = new_key(settings, "half open", "free")
    opened = [await asyncio.to_thread(open_stream, target, key) for _ in range(STREAMS)]
    assert all(b" 200 " in began for _, began in opened)
    with cut_off([client.getsockname()[1] for client, _ in opened]):
        until = time.monotonic() + MOST_SECONDS
        while True:
            client, began = await asyncio.to_thread(open_stream, target, key)
            client.close()
            if b" 200 " in began:
                break
            assert b" 429 " in began
            assert time.monotonic() < until, "the streams are not free"
            await asyncio.sleep(3)
    for client, _ in opened:
        client.close()
    assert not target.faults()
