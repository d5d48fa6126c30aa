"""A network in which every address is this machine's, so that a listener sees whoever asks any.

`python -m tests.support.every_address` makes it in a namespace of its own, which needs `unshare`
and `ip`, and asks all of `FORBIDDEN` and `PUBLIC`, first without the check of addresses and then
with it. It prints which of them the listener was asked at.
"""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from edgar_search.errors import FetchFailed
from edgar_search.http_client import HttpClient, SocketMaker, public_socket

METADATA = (
    *("169.254.169.254", "169.254.170.2", "169.254.42.42", "100.100.100.200", "192.0.0.192"),
    *("168.63.129.16", "[fd00:ec2::254]", "[fd20:ce::254]", "[::ffff:169.254.169.254]"),
    *("[64:ff9b::a9fe:a9fe]", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376"),
)
LOOPBACK = (
    *("localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1", "127.255.255.254"),
    *("2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "[::1]", "[::]"),
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"),
)
PRIVATE = (
    *("10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "198.18.0.1", "240.0.0.1"),
    *(
        "[64:ff9b::7f00:1]",
        "[fc00::1]",
        "[fec0::1]",
        "[2002:7f00:1::1]",
        "[64:ff9b:1::a00:1]",
        "[2001::7f00:1]",
    ),
)
FORBIDDEN = (*METADATA, *LOOPBACK, *PRIVATE)
PUBLIC = ("8.8.8.8", "[2606:4700:4700::1111]")
# A name that is looked up to this address first, and then to one of this machine's.
TURNING, BEFORE, AFTER = "turning.example", "93.184.215.14", "127.0.0.1"
_COMMANDS = (
    "ip link set lo up",
    "ip route add local 0.0.0.0/0 dev lo",
    "ip -6 route add local ::/0 dev lo",
)
_ANSWER = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


class Reached(NamedTuple):
    """The hosts at which the listener was asked, without the check and with it."""

    unchecked: list[str]
    checked: list[str]
    turning: list[bool]


def can_have_every_address() -> bool:
    """Return True if this user may make such a network."""
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*_namespace(), "true"], capture_output=True)
    return tried.returncode == 0


def ask_every_address() -> Reached:
    """Ask all addresses in a network of their own."""
    command = [*_namespace(), sys.executable, "-m", __name__]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return Reached(*json.loads(finished.stdout))


def _namespace() -> list[str]:
    return ["unshare", "--map-root-user", "--net"]


class _Listener:
    """A server at every address, which counts the connections that it gets."""

    def __init__(self) -> None:
        self.connections = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_ANSWER)
        await writer.drain()
        writer.close()

    async def reached(self, host: str, port: int, make_socket: SocketMaker | None) -> bool:
        """Return True if a request to a host comes here."""
        before = self.connections
        async with HttpClient("test", 5.0, make_socket) as client:
            with suppress(FetchFailed):
                await client.post(f"http://{host}:{port}/", b"{}", {})
        return self.connections > before


async def _ask() -> Reached:
    listener = _Listener()
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as made:
        port = made.getsockname()[1]
        async with await asyncio.start_server(listener.answer, sock=made):
            hosts = (*FORBIDDEN, *PUBLIC)
            unchecked = [each for each in hosts if await listener.reached(each, port, None)]
            checked = [each for each in hosts if await listener.reached(each, port, public_socket)]
            turning = await _ask_turning(listener, port)
    return Reached(unchecked, checked, turning)


async def _ask_turning(listener: _Listener, port: int) -> list[bool]:
    """Ask a name three times, whose address changes after the first."""
    places = iter((BEFORE, AFTER, AFTER))

    async def look_up(*given: object, **more: object) -> Sequence[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(places), port))]

    asyncio.get_running_loop().getaddrinfo = look_up  # type: ignore[method-assign, assignment]
    return [
        await listener.reached(TURNING, port, make) for make in (public_socket, public_socket, None)
    ]


def main() -> None:
    """Make the network, ask, and print."""
    for command in _COMMANDS:
        subprocess.run(command.split(), check=True, capture_output=True)
    print(json.dumps(asyncio.run(_ask())))


if __name__ == "__main__":
    main()
