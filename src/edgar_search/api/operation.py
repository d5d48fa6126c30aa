"""Operations: from parameters to one answer, whose JSON is Version 1 of the API.

Pages, tools, commands, exports and workbooks render the answer: they select, format, link and lay
out its facts, and compute none themselves.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct, UnsetType

from edgar_search.api.context import Context
from edgar_search.api.cursor import BEGIN, CURSOR, sign_next, walk_of
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.api.parameters.reader import Raw
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Start


class Answer(Protocol):
    """An answer that reports its number of results, for the call history."""

    @property
    def result_count(self) -> int | None:
        """The number of results that the history shows; None if it shows none."""


class WalkedAnswer(Answer, Protocol):
    """An answer that may be a page of a walk by cursor."""

    next_cursor: str | None | UnsetType


P = TypeVar("P")
A = TypeVar("A", bound=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True)
W = TypeVar("W", bound=WalkedAnswer)


class AnyOperation(Protocol[A_co]):
    """An operation of either kind."""

    @property
    def endpoint(self) -> Endpoint:
        """The path, the parameters and the type of the answer."""

    async def answer(self, context: Context, raw: Raw) -> A_co:
        """Answer a request; raises the errors of its reader and of its subject."""


class Operation(Struct, Generic[P, A], frozen=True):
    """An operation: `read` turns parameters into criteria, `run` criteria into an answer.

    `read` raises BadRequest for a wrong parameter, and NotFound for a ticker without a company.
    """

    endpoint: Endpoint
    read: Callable[[Context, Raw], Awaitable[P]]
    run: Callable[[Context, P], Awaitable[A]]

    async def answer(self, context: Context, raw: Raw) -> A:
        """Answer a request."""
        return await self.run(context, await self.read(context, raw))


class Page(NamedTuple, Generic[W]):
    """An answer, and the position after it; None at the end."""

    answer: W
    place: CursorPosition | None


class WalkedOperation(Struct, Generic[P, W], frozen=True):
    """An operation whose result can be walked through by cursor.

    `run` answers a page of a walk given its start, or without a start the window of the criteria.
    """

    endpoint: Endpoint
    read: Callable[[Context, Raw], Awaitable[P]]
    run: Callable[[Context, P, Start | None], Awaitable[Page[W]]]

    async def answer(self, context: Context, raw: Raw) -> W:
        """Answer a request: on a walk with the cursor of the next page, None at the end."""
        walk = await walk_of(context, raw, self.endpoint)
        if walk is None:
            return (await self.run(context, await self.read(context, raw), None)).answer
        page = await self.run(context, await self.read(context, walk.question), walk.start)
        page.answer.next_cursor = await sign_next(context, self.endpoint, walk, page.place)
        return page.answer

    async def pages(self, context: Context, raw: Raw) -> AsyncIterator[W]:
        """Walk through the whole result without cursors, which would need a stored secret."""
        walk = await walk_of(context, {**raw, CURSOR.name: [BEGIN]}, self.endpoint)
        assert walk is not None
        asked, start = await self.read(context, walk.question), walk.start
        while True:
            page = await self.run(context, asked, start)
            yield page.answer
            if page.place is None:
                return
            start = Start(page.place)
