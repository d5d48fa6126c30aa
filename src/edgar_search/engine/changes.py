"""Changes of stored documents, of which none is lost: compare and set, and retry.

A change is made to the document as read, and written only if nobody else has written it meanwhile,
otherwise it is read and changed again. So the function that makes a change is pure: it may be
called several times, and if it raises an error, nothing is written.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Generic, NamedTuple, TypeVar

from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.index_names import Kind
from edgar_search.errors import Conflict, EngineUnavailable

S = TypeVar("S")
T = TypeVar("T")


class Tries(NamedTuple):
    """A number of tries while others come first, with waits of up to `wait` seconds between them.

    `refusal` is what EngineUnavailable says after the last one.
    """

    most: int
    wait: float
    refusal: str


class Change(NamedTuple, Generic[S]):
    """A document before and after a change; None if there was none."""

    before: S | None
    after: S | None


async def change(
    engine: Engine,
    kind: Kind,
    key: str,
    source: type[S],
    change: Callable[[S | None], S | None],
    tries: Tries,
    *,
    visible: bool = True,
) -> Change[S]:
    """Store the result of `change` for the document of this id, which is created if there is none.

    `change` gets None if there is none. If it returns None or an equal document, nothing is
    written. `visible` is that of `Engine.create`. Raises the errors of `change`, and
    EngineUnavailable.
    """

    async def once() -> Change[S]:
        return await change_once(engine, kind, key, source, change, visible=visible)

    return await retry_on_conflict(once, tries)


async def change_once(
    engine: Engine,
    kind: Kind,
    key: str,
    source: type[S],
    change: Callable[[S | None], S | None],
    *,
    visible: bool = True,
) -> Change[S]:
    """Change a document in one try; raises Conflict if another write came first."""
    stored = await engine.get(kind, key, source)
    before = None if stored is None else stored.source
    after = change(before)
    if after is None or after == before:
        return Change(before, before)
    if stored is None:
        await engine.create(kind, key, after, visible=visible)
    else:
        await engine.replace(kind, stored, after, visible=visible)
    return Change(before, after)


async def retry_on_conflict(once: Callable[[], Awaitable[T]], tries: Tries) -> T:
    """Return the result of `once`, which is called again while it raises Conflict."""
    for _ in range(tries.most):
        try:
            return await once()
        except Conflict:
            await asyncio.sleep(random.uniform(0, tries.wait))
    raise EngineUnavailable(tries.refusal)


async def change_many(
    found: Sequence[Stored[S]],
    change: Callable[[Stored[S]], S | None],
    write: Callable[[Sequence[tuple[Stored[S], S]]], Awaitable[Collection[str]]],
    read: Callable[[Sequence[str]], Awaitable[Sequence[Stored[S]]]],
    most: int | None = None,
) -> list[str]:
    """Store the result of `change` for each document found; None leaves it as it is.

    `write` returns the ids of documents that others wrote first, and waits if needed; these are
    read and changed again, up to `most` times in all. Returns the ids of those left after that.
    """
    tried = 0
    while True:
        tried += 1
        new = [(stored, made) for stored in found if (made := change(stored)) is not None]
        overtaken = await write(new) if new else ()
        again = [stored.id for stored, _ in new if stored.id in overtaken]
        if not again or tried == most:
            return again
        found = await read(again)
