"""Changes of stored documents that never lose an update: compare and set, and retry.

A change is made to the document as read, and written only if nobody else has written it meanwhile;
otherwise it is read and changed again. The function that makes a change must therefore be pure: it
may be called several times, and if it raises an error, nothing is written.
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
    """A number of tries while other writers win, waiting up to `wait` seconds between them.

    `refusal` is the message of EngineUnavailable after the last one.
    """

    most: int
    wait: float
    refusal: str


class Change(NamedTuple, Generic[S]):
    """A document before and after a change; None if it did not exist."""

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
    """Store the result of `change` for the document of this id, creating it if it does not exist.

    `change` gets None for a new document. If it returns None or an equal document, nothing is
    written. `visible` is as for `Engine.create`. Raises the errors of `change`, and
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
    """Call `once` again as long as it raises Conflict, and return its result."""
    for _ in range(tries.most):
        try:
            return await once()
        except Conflict:
            await asyncio.sleep(random.uniform(0, tries.wait))
    raise EngineUnavailable(tries.refusal)


async def change_many(
    documents: Sequence[Stored[S]],
    change: Callable[[Stored[S]], S | None],
    write: Callable[[Sequence[tuple[Stored[S], S]]], Awaitable[Collection[str]]],
    read: Callable[[Sequence[str]], Awaitable[Sequence[Stored[S]]]],
    most: int | None = None,
) -> list[str]:
    """Store the result of `change` for each document; None leaves it as it is.

    `write` returns the ids of documents that others wrote first, and waits if needed; these are
    read and changed again, up to `most` times in all. Returns the ids that still conflict then.
    """
    tried = 0
    while True:
        tried += 1
        new = [(stored, changed) for stored in documents if (changed := change(stored)) is not None]
        overtaken = await write(new) if new else ()
        again = [stored.id for stored, _ in new if stored.id in overtaken]
        if not again or tried == most:
            return again
        documents = await read(again)
