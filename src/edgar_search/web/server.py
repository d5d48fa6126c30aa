"""The service as a process: uvicorn with the settings that the measurements ask for."""

import errno
import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from edgar_search.errors import SettingsError
from edgar_search.metrics.log_format import log_config
from edgar_search.metrics.meters import shared_by_workers

# These are faults even if other addresses of the same name are free.
_TAKEN = {
    errno.EADDRINUSE: "another process listens there; end it or choose another --port",
    errno.EACCES: "this user may not listen there; choose a --port from 1024",
}
_NO_ADDRESS = "no address of this machine; 0.0.0.0 stands for all of them"


def refuse_unbindable(host: str, port: int) -> None:
    """Raise SettingsError if no server can listen at this host and port, with what would do."""
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        raise SettingsError(f"--host {host}: {_NO_ADDRESS}") from None
    refused = [number for family, *_, address in found if (number := _tried(family, address))]
    taken = [number for number in refused if number in _TAKEN]
    if taken:
        raise SettingsError(f"--host {host} --port {port}: {_TAKEN[taken[0]]}")
    if len(refused) == len(found):
        said = _NO_ADDRESS if refused[0] == errno.EADDRNOTAVAIL else os.strerror(refused[0])
        raise SettingsError(f"--host {host} --port {port}: {said}")


def _tried(family: socket.AddressFamily, address: tuple[object, ...]) -> int:
    """The number of the error with which listening there fails; 0 if it does not."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            # As a server does, which may follow one whose connections are not yet forgotten.
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            tried.bind(address)
    except OSError as error:
        return error.errno or errno.EADDRNOTAVAIL
    return 0


# After a request to stop, requests under way may take this many seconds.
GRACE_SECONDS = 10
# A worker that gives no sign of life for this many seconds is replaced. One that starts on a busy
# machine gives none for a while: with uvicorn's 5 seconds it would be replaced again and again.
HEALTH_SECONDS = 60

APP = "edgar_search.app:from_environ"
_OPTIONS: dict[str, Any] = {
    "factory": True,
    "loop": "uvloop",
    "http": "edgar_search.web.protocol:PacedProtocol",
    "ws": "none",
    # The proxies to believe are a setting of ours.
    "proxy_headers": False,
    # uvicorn's own lines hold the query, and with it keys.
    "access_log": False,
    "server_header": False,
    "timeout_graceful_shutdown": GRACE_SECONDS,
    "timeout_worker_healthcheck": HEALTH_SECONDS,
}


class AnnouncedServer(uvicorn.Server):
    """uvicorn's server, which says when it has begun to answer."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()


def serve(host: str, port: int, workers: int, json_logs: bool = False) -> None:
    """Serve until a signal to stop; settings come from the environment."""
    with shared_by_workers(workers):
        uvicorn.run(
            APP, host=host, port=port, workers=workers, **server_options(json_logs=json_logs)
        )


def server_options(*, json_logs: bool) -> dict[str, Any]:
    """Options of uvicorn; with `json_logs` a line of the log is an object."""
    # Each worker is a process that sets up its own logging, from this.
    return {**_OPTIONS, "log_config": log_config(json_logs=json_logs)}


def serve_announced(host: str, port: int, announce: Callable[[int], None]) -> None:
    """Serve with one worker until a signal; `announce` gets the port as soon as it answers."""
    config = uvicorn.Config(APP, host=host, port=port, **server_options(json_logs=False))
    server = AnnouncedServer(
        config, lambda: announce(server.servers[0].sockets[0].getsockname()[1])
    )
    server.run()
