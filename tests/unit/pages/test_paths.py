"""Paths that come from outside: to go to, and to be told from those of the API."""

from unittest.mock import AsyncMock

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message

from edgar_search.web.middleware import Cors
from edgar_search.web.pages.browser import own_path, see_other
from edgar_search.web.pages.routes import FIRST_PARTS


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/search?query=a#b", "/search?query=a#b"),
        ("/document/\u65e5\u672c", "/document/\u65e5\u672c"),
        ("", "/"),
        ("search", "/"),
        ("//elsewhere.example", "/"),
        ("//[", "/"),
        ("//\u2100", "/"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example/", "/"),
        ("/a\nb", "/"),
    ],
)
def test_only_a_path_of_this_service_is_gone_to(text: str, path: str) -> None:
    assert own_path(text) == path


def test_any_path_can_be_sent_as_a_header() -> None:
    assert see_other("/document/\u65e5?a=%20b&c=d").headers["location"] == (
        "/document/%E6%97%A5?a=%20b&c=d"
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "known"),
    [("/", True), ("/search", True), ("/v1/search", False), ("*", False), ("", False)],
)
async def test_pages_are_told_from_the_api_which_other_origins_may_read(
    path: str, known: bool
) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    origin = [(b"origin", b"https://elsewhere.example")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": origin}
    cors = Cors(PlainTextResponse("found"), users=False, but=FIRST_PARTS, allow_origins=["*"])
    await cors(scope, AsyncMock(), send)
    assert ("access-control-allow-origin" in Headers(raw=sent[0]["headers"])) is not known
