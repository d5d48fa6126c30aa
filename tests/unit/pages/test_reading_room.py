"""The processes in which filed bytes are read, and their ends."""

import asyncio
import operator
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import psutil
import pytest

from edgar_search.document.filed_layout import make_view
from edgar_search.document.reading_room import ReadingOf, ReadingRoom
from edgar_search.errors import TooCostlyToRead
from edgar_search.text.versions import DocumentKind
from tests.support.waiting import until

pytestmark = pytest.mark.anyio
SECONDS = 1
MOSS = ReadingOf("0000320193-24-000001-1", "moss", "1")
# A match that holds the interpreter's lock for longer than anybody waits.
MATCH: Callable[..., Any] = re.fullmatch
ENDLESS = ("(a+)+", "a" * 60 + "b")


@asynccontextmanager
async def opened(seconds: int = SECONDS) -> AsyncIterator[ReadingRoom]:
    room = ReadingRoom(seconds)
    try:
        yield room
    finally:
        room.close()


def are_running(count: int) -> Callable[[], Awaitable[bool]]:
    """Return a condition: this many processes of rooms run."""

    async def holds() -> bool:
        lines = [child.cmdline() for child in psutil.Process().children() if child.is_running()]
        return sum("edgar_search.document.room_process" in line for line in lines) == count

    return holds


async def test_what_is_read_there_is_what_is_read_here() -> None:
    body = "<p>“moss” &amp; <b>fern</b> \U0001f33f</p><table><tr><td>17</table>".encode()
    text = "“moss” & fern \U0001f33f\n\n17"
    here = make_view(DocumentKind.HTML, body, text)
    async with opened() as room:
        there = await room.run(MOSS, make_view, DocumentKind.HTML, body, text)
    spans = [(place, place + 1) for place in range(len(text))]
    assert here.places is not None and there.places is not None
    filed = [list(here.places.filed_runs(*span)) for span in spans]
    assert [list(there.places.filed_runs(*span)) for span in spans] == filed
    assert any(filed)
    assert (there.parts, there.kind, there.size) == (here.parts, here.kind, here.size)


@pytest.mark.parametrize(
    ("work", "given", "reason"),
    [
        (MATCH, ENDLESS, "takes more than 1 s of a core or 1 GB of memory"),
        (operator.mul, (b"moss", 500_000_000), "takes more than 1 s of a core or 1 GB of memory"),
        (operator.truediv, (1, 0), "cannot be read"),
    ],
)
async def test_what_is_too_costly_is_ended_and_refused_at_once_from_then_on(
    work: Callable[..., Any], given: tuple[Any, Any], reason: str
) -> None:
    async with opened() as room:
        with pytest.raises(TooCostlyToRead, match=reason):
            await room.run(MOSS, work, *given)
        before = time.perf_counter()
        with pytest.raises(TooCostlyToRead, match=reason):
            await room.run(MOSS._replace(account="fern"), work, *given)
        assert time.perf_counter() - before < SECONDS / 2
        # Another document is read as ever.
        view = await room.run(MOSS._replace(about="2"), make_view, DocumentKind.HTML, b"<p>moss")
        assert view.is_html


async def test_a_reader_who_leaves_ends_the_process_and_others_are_served_meanwhile() -> None:
    async with opened(60) as room:
        reading = asyncio.create_task(room.run(MOSS, MATCH, *ENDLESS))
        await until(are_running(1))
        fern = MOSS._replace(account="fern")
        view = await room.run(fern, make_view, DocumentKind.PLAIN, b"moss")
        assert not view.is_html
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await until(are_running(1))
    await until(are_running(0))
