"""Requests for what a client has already."""

from starlette.requests import Request


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has this version; of a POST nobody keeps the answer."""
    if request.method == "POST":
        return False
    header = ",".join(request.headers.getlist("if-none-match"))
    known = [each.strip().removeprefix("W/") for each in header.split(",")]
    return etag in known or known == ["*"]
