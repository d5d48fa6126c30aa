"""A receiver of webhooks in a process of its own, which answers as its path says."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from standardwebhooks import Webhook

ANSWERS = {
    "/ok": b"HTTP/1.1 204 No Content\r\n\r\n",
    "/500": b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n",
    "/301": b"HTTP/1.1 301 Moved\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n",
    "/410": b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
    "/half": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "/die": b"",
    "/long": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000,
}
SLOW = "/slow"


class Received(NamedTuple):
    """A request as it was received."""

    path: str
    headers: dict[str, str]
    body: str

    @property
    def id(self) -> str:
        """The id of the event."""
        return self.headers["webhook-id"]

    def is_signed_with(self, secret: str) -> bool:
        """Return True if the reference library takes the signature."""
        try:
            Webhook(secret).verify(self.body, self.headers)
        except Exception:
            return False
        return True


class Receiver(NamedTuple):
    """A receiver that runs."""

    base: str
    log: Path

    def received(self, path: str) -> list[Received]:
        """Return the requests to a path, in order, without the part after a second slash."""
        lines = self.log.read_text().splitlines()
        return [each for line in lines if (each := Received(*json.loads(line))).path == path]


@contextmanager
def receiving(folder: Path, port: int = 0) -> Iterator[Receiver]:
    """Yield a receiver on this port or a free one, until this is left; then it is killed.

    Another one in the same folder continues its log.
    """
    log = folder / "received"
    log.touch()
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(log), str(port)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Receiver(f"http://127.0.0.1:{int(process.stdout.readline())}", log)
    finally:
        process.kill()
        process.communicate()


async def _serve(log: Path, port: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {n.lower(): v for n, _, v in (line.partition(": ") for line in head[1:] if line)}
        body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
        path = head[0].split()[1]
        with log.open("a") as file:
            file.write(json.dumps([path, headers, body]) + "\n")
        kind = "/" + path.split("/")[1]
        if kind == SLOW:
            await asyncio.sleep(60)
        writer.write(ANSWERS[kind])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
