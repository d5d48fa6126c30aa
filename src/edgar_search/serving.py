"""The service as a process: uvicorn with the settings that the measurements ask for."""

import logging

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# After a request to stop, requests under way may take this many seconds.
GRACE_SECONDS = 10


class JsonProtocol(HttpToolsProtocol):
    """uvicorn's protocol, whose answer to what is no HTTP at all is JSON too."""

    def send_400_response(self, msg: str) -> None:
        body = b'{"error":"the request is not valid HTTP, or its URI or headers are too long"}'
        head = (
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n"
            b"content-length: %d\r\n\r\n" % len(body)
        )
        self.transport.write(head + body)
        self.transport.close()


def serve(host: str, port: int, workers: int) -> None:
    """Serve until a signal to stop; settings come from the environment."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    # The client logs a line for each request, with the account's searches in it.
    logging.getLogger("elastic_transport").setLevel(logging.WARNING)
    uvicorn.run(
        "edgar_search.app:from_environ",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop",
        http=JsonProtocol,
        # uvicorn's own lines hold the query, and with it keys.
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
