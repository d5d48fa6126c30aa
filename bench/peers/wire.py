"""Requests over HTTP by many threads, over connections that are kept."""

import http.client
from collections import deque
from urllib.parse import urlsplit

_TIMEOUT = 300.0


class Busy(Exception):
    """The server has too much to do."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"try again after {seconds} s")
        self.seconds = seconds


class Wire:
    """A server; raises Busy for a 503, AssertionError for other replies but 2xx."""

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        # Threads take the one that was used last.
        self._idle: deque[http.client.HTTPConnection] = deque()

    def close(self) -> None:
        """Close what waits for its next request."""
        while self._idle:
            self._idle.pop().close()

    def get(self, path: str, headers: dict[str, str] | None = None) -> bytes:
        """Return the body of the reply to a GET."""
        return self.ask("GET", path, None, headers or {})

    def ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        """Return the body of a reply.

        Once more where the server has closed a connection that waited.
        """
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = http.client.HTTPConnection(self._host, timeout=_TIMEOUT)
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            connection.close()
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
        data = reply.read()
        self._idle.append(connection)
        if reply.status == 503:
            raise Busy(float(reply.headers.get("Retry-After", "1")))
        assert reply.status < 300, f"{method} {path}: {reply.status} {data[:500]!r}"
        return data
