"""Something else that listens on this machine, and remembers who asked it for what."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    """A request: its method, its path, and its headers by their names in small letters."""

    method: str
    path: str
    headers: dict[str, str]


class Elsewhere(ThreadingHTTPServer):
    """The server; it answers everything with nothing."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        self.url = f"http://127.0.0.1:{self.server_port}/elsewhere"


class _Handler(BaseHTTPRequestHandler):
    server: Elsewhere

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, self.path, headers))
        self.send_response(204)
        self.end_headers()

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET


@contextmanager
def listening_elsewhere() -> Iterator[Elsewhere]:
    """Yield the server, until its context is left."""
    server = Elsewhere()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
