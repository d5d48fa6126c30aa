"""The service as a process: uvicorn with settings chosen by measurement."""

import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from edgar_search.metrics.log_format import log_config
from edgar_search.metrics.meters import shared_by_workers

# After a request to stop, requests under way may take this many seconds.
GRACE_SECONDS = 10
# A worker that is silent for this many seconds is replaced. One that starts on a busy machine is
# silent for a while: with uvicorn's 5 seconds it would be replaced again and again. During this
# time uvicorn notices neither that a starting worker was killed, nor a signal to stop.
HEALTH_SECONDS = 60

APP = "edgar_search.app:from_environ"
_OPTIONS: dict[str, Any] = {
    "factory": True,
    "loop": "uvloop",
    "http": "edgar_search.web.protocol:PacedProtocol",
    "ws": "none",
    # Our own setting says which proxies to trust.
    "proxy_headers": False,
    # uvicorn's own lines contain the query, and with it keys.
    "access_log": False,
    "server_header": False,
    "timeout_graceful_shutdown": GRACE_SECONDS,
    "timeout_worker_healthcheck": HEALTH_SECONDS,
}


class AnnouncedServer(uvicorn.Server):
    """uvicorn's server, which reports when it has begun to answer."""

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
    """Return uvicorn's options; with `json_logs` each log line is a JSON object."""
    # Each worker is a process that sets up its own logging with this.
    return {**_OPTIONS, "log_config": log_config(json_logs=json_logs)}


def serve_announced(host: str, port: int, announce: Callable[[int], None]) -> None:
    """Serve with one worker until a signal; `announce` gets the port as soon as it answers."""
    config = uvicorn.Config(APP, host=host, port=port, **server_options(json_logs=False))
    server = AnnouncedServer(
        config, lambda: announce(server.servers[0].sockets[0].getsockname()[1])
    )
    server.run()
