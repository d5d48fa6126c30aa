"""Refusals of what is no request yet: whole responses, for no application has seen it."""

from edgar_search.web.middleware import MAX_HEADER_BYTES, MAX_URI_BYTES, NO_SNIFFING, REQUEST_ID

RETRY_SECONDS = 5

NO_HTTP = "400 Bad Request", "the request is not valid HTTP; a URI is percent-encoded"
BODY_OF_UPGRADE = "400 Bad Request", "a request with a body cannot ask for another protocol"
TOO_SLOW = "408 Request Timeout", "the request did not arrive in time"
URI_TOO_LONG = "414 URI Too Long", f"the URI has more than {MAX_URI_BYTES} bytes"
HEADERS_TOO_LONG = (
    "431 Request Header Fields Too Large",
    f"the headers have more than {MAX_HEADER_BYTES} bytes",
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
