"""Refusals of what is no request yet: whole responses, for no application has seen it."""

from edgar_search.web.middleware import (
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    MAX_URI_BYTES,
    NO_SNIFFING,
    REQUEST_ID,
)

RETRY_SECONDS = 5
# Each header costs time wherever one is looked for. Browsers send about 20, proxies add a few.
MAX_HEADERS = 100
# Chunks of a body, or packets in which it arrives. The parser calls back for each of them, which
# takes as long for one byte as for thousands.
MAX_BODY_PIECES = 4_096
# What stands between the chunks of a body, and after them.
MAX_FRAMING_BYTES = 65_536

NO_HTTP = "400 Bad Request", "the request is not valid HTTP; a URI is percent-encoded"
BODY_OF_UPGRADE = "400 Bad Request", "a request with a body cannot ask for another protocol"
TOO_SLOW = "408 Request Timeout", "the request did not arrive in time"
URI_TOO_LONG = "414 URI Too Long", f"the URI has more than {MAX_URI_BYTES} bytes"
HEADERS_TOO_LONG = (
    "431 Request Header Fields Too Large",
    f"the headers have more than {MAX_HEADER_BYTES} bytes",
)
TOO_MANY_HEADERS = (
    "431 Request Header Fields Too Large",
    f"there are more than {MAX_HEADERS} headers",
)
FRAMING_TOO_LONG = (
    "431 Request Header Fields Too Large",
    f"the sizes and extensions of chunks and the trailers have more than {MAX_FRAMING_BYTES} bytes",
)
BODY_TOO_LARGE = "413 Content Too Large", f"the body has more than {MAX_BODY_BYTES} bytes"
TOO_MANY_PIECES = (
    "413 Content Too Large",
    f"the body comes in more than {MAX_BODY_PIECES} pieces; send larger ones",
)
NO_ROOM = "503 Service Unavailable", "there are too many connections; try again later"

Refusal = tuple[str, str]


def answer(refusal: Refusal, request_id: str, *headers: str) -> bytes:
    """A whole response that ends the connection."""
    status, text = refusal
    body = f'{{"error":"{text}"}}'
    head = (
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"{REQUEST_ID}: {request_id}",
        f"{NO_SNIFFING[0].decode()}: {NO_SNIFFING[1].decode()}",
        *headers,
        "connection: close",
    )
    return "\r\n".join([*head, "", body]).encode()
