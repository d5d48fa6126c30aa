"""Private parts of uvicorn that the service relies on, and what breaks if they change."""

import inspect
from functools import reduce
from hashlib import sha256

import pytest
import uvicorn
from uvicorn.protocols.http import httptools_impl

# By member: the digest of its source in uvicorn 0.54.0, and what `web/uvicorn_protocol.py` does
# with it.
RELIED_ON = {
    "HttpToolsProtocol.__init__": (
        "4f0899941034",
        "`cycle`, `flow`, `parser`, `pipeline`, `transport` and `url` are read, `headers` set",
    ),
    "HttpToolsProtocol.connection_made": (
        "6efb565ff3d3",
        "connections are admitted or refused after it",
    ),
    "HttpToolsProtocol.connection_lost": (
        "c91a4c9bf2e2",
        "connections leave before it",
    ),
    "HttpToolsProtocol.data_received": (
        "010a7ae59a5d",
        "it is replaced: bytes are counted, and refusals are JSON",
    ),
    "HttpToolsProtocol.on_message_begin": (
        "96d377fdc7c2",
        "the time for a head begins with it",
    ),
    "HttpToolsProtocol.on_headers_complete": (
        "1ea8589acfad",
        "it makes `cycle`, and puts it into `pipeline` behind an unanswered one",
    ),
    "HttpToolsProtocol.on_body": (
        "dba9c32aeba3",
        "bodies are bounded before it",
    ),
    "HttpToolsProtocol.on_message_complete": (
        "1fbad42dc31f",
        "the time for a body ends with it",
    ),
    "HttpToolsProtocol.on_response_complete": (
        "64e254f28e38",
        "it is replaced by a copy without a timer for each connection",
    ),
    "HttpToolsProtocol._start_asgi_task": (
        "9c08c2571ae9",
        "it is given an application that ends a connection early",
    ),
    "HttpToolsProtocol.pause_writing": (
        "17a8fd215d96",
        "the time in which a client must read begins with it",
    ),
    "HttpToolsProtocol.resume_writing": (
        "7844bbaa8cce",
        "that time ends with it",
    ),
    "RequestResponseCycle.__init__": (
        "4d2f220910c3",
        "`keep_alive`, `disconnected`, `message_event` and `more_body` are set or read",
    ),
    "RequestResponseCycle.receive": (
        "8124ae006be7",
        "it tells the application of a client that has gone by `disconnected`",
    ),
    "RequestResponseCycle.send": (
        "abdd8601b326",
        "`keep_alive` decides about `connection: close` and about who closes",
    ),
}


@pytest.mark.parametrize("member", RELIED_ON)
def test_private_part_of_uvicorn_is_as_it_was(member: str) -> None:
    digest, use = RELIED_ON[member]
    source = inspect.getsource(reduce(getattr, member.split("."), httptools_impl))
    assert sha256(source.encode()).hexdigest().startswith(digest), (
        f"uvicorn {uvicorn.__version__} changed {member}: {use}. Read the change, mend"
        f" `web/uvicorn_protocol.py`, run tests/web/http, then renew the digest"
    )
