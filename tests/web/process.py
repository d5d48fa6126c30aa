"""The service as its users start it: a process of its own, asked over a socket."""

import asyncio
import os
import re
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psutil

from tests.web.stub import PREFIX, running_stub

START_SECONDS = 30.0
REPLY_SECONDS = 20.0


class Reply(NamedTuple):
    """One HTTP response as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Process(NamedTuple):
    """A running service; `log` is what it writes to its standard error."""

    port: int
    pid: int
    log: Path

    async def send(self, data: bytes) -> bytes:
        """All that comes back until the service closes the connection, as HTTP says it will."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            return await asyncio.wait_for(reader.read(), REPLY_SECONDS)
        finally:
            writer.close()

    async def ask(self, data: bytes) -> Reply:
        """Return the one response to a request that ends the connection."""
        return parsed(await self.send(data))


def request(target: bytes, *headers: bytes, method: bytes = b"GET", close: bool = True) -> bytes:
    """Return a request as it goes over the wire."""
    lines = [method + b" " + target + b" HTTP/1.1", b"Host: service.test", *headers]
    if close:
        lines.append(b"Connection: close")
    return b"\r\n".join([*lines, b"", b""])


def parsed(data: bytes) -> Reply:
    """Return a whole response, whose body must be as long as it says."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    match = re.fullmatch(r"HTTP/1\.1 ([0-9]{3}) [ -~]*", first)
    assert match is not None, first
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert len(body) == int(headers["content-length"])
    return Reply(int(match[1]), headers, body)


@asynccontextmanager
async def running_service(
    folder: Path,
    workers: int = 1,
    settings: Mapping[str, str] | None = None,
    program: Sequence[str] = ("-m", "edgar_search.cli"),
) -> AsyncIterator[Process]:
    """Yield the command `edgar-search serve` over a stub engine; it must end when it is told to.

    Settings are by their variables' names, without `EDGAR_SEARCH_`.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "log"
    async with running_stub() as stub:
        environ = {
            "EDGAR_SEARCH_ES_URL": stub.url,
            "EDGAR_SEARCH_PREFIX": PREFIX,
            "EDGAR_SEARCH_DEFAULT_PLAN": "unlimited",
            "EDGAR_SEARCH_ALERTS": "false",
            "EDGAR_SEARCH_DRAIN": "0",
            **{f"EDGAR_SEARCH_{name}": value for name, value in (settings or {}).items()},
        }
        arguments = ["serve", "--port", str(port), "--workers", str(workers)]
        with log.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *(*program, *arguments),
                env={**os.environ, **environ},
                stderr=stderr,
            )
        try:
            await _listening(port)
            yield Process(port, process.pid, log)
            process.terminate()
            await asyncio.wait_for(process.wait(), REPLY_SECONDS)
        finally:
            if process.returncode is None:
                # Its workers too, which would continue without it.
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
                process.kill()
                await process.wait()


async def _listening(port: int) -> None:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return
