"""Two documents compared, or the same section of both, in a child process that can be ended."""

import asyncio
from typing import NamedTuple

import msgspec

from edgar_search.document.child_process import run_module
from edgar_search.document.comparison import ChangedPassage
from edgar_search.document.sections import piece_of
from edgar_search.document.text import Passages, retry_if_reloaded
from edgar_search.errors import BadRequest
from edgar_search.search.context import SearchContext

MOST_CHARS = 2_000_000
_MODULE = "edgar_search.document.comparison"
# The slowest texts that were tried take 5 s.
_SECONDS = 20.0
# Characters of text that a comparison gets for each search slot.
_CHARS_OF_A_SLOT = 250_000


class Side(NamedTuple):
    """One of two texts; `start` and `end` are its position in the document's text."""

    document_id: str
    sha256: str
    start: int
    end: int
    section: str
    content: str

    def at(self, position: int) -> int:
        """Convert a position in the content to one in the whole text."""
        return self.start + position


async def read_side(context: SearchContext, name: str, document_id: str, section: str) -> Side:
    """Read a document's text, or a section of it, for the parameter `name`.

    Raises NotFound, and BadRequest if it has more than MOST_CHARS.
    """
    engine = context.engine

    async def read() -> Side:
        piece = await piece_of(
            engine, document_id, start=None, length=MOST_CHARS + 1, section=section
        )
        if piece.end - piece.start > MOST_CHARS:
            hint = "" if section else "; give `section`"
            raise BadRequest(
                f"`{name}`: compared texts may have at most {MOST_CHARS:,} characters, and the"
                f" text of {document_id} has {piece.last - piece.start:,}{hint}"
            )
        content = await Passages(engine, piece.text).whole(piece.start, piece.end)
        return Side(
            piece.text.document_id,
            piece.text.sha256,
            piece.start,
            piece.end,
            piece.section.item if piece.section else "",
            content,
        )

    return await retry_if_reloaded(engine, read)


def comparison_slots(first: Side, second: Side) -> int:
    """Return how many search slots a comparison takes."""
    return 1 + (len(first.content) + len(second.content)) // _CHARS_OF_A_SLOT


async def compare_sides(first: Side, second: Side) -> list[ChangedPassage]:
    """Return the passages that differ, by their positions in both contents.

    Raises BadRequest if that takes too long. The process is killed if the caller is cancelled.
    """
    if first.content == second.content:
        return []
    try:
        async with asyncio.timeout(_SECONDS):
            sent = await asyncio.to_thread(msgspec.msgpack.encode, (first.content, second.content))
            status, output = await run_module(_MODULE, sent)
    except TimeoutError:
        raise _too_different() from None
    if status:
        raise _too_different()
    return await asyncio.to_thread(msgspec.msgpack.decode, output, type=list[ChangedPassage])


def _too_different() -> BadRequest:
    return BadRequest(
        f"`from` and `to`: these texts take more than {_SECONDS:g} s or too much memory to"
        f" compare; give `section`, or other documents"
    )
