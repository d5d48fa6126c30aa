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
    """An answer that reports its number of results to the history of calls."""

    @property
    def result_count(self) -> int | None:
        """The number of results that the history shows, or None."""


class WalkedAnswer(Answer, Protocol):
    """An answer that may be one page of a walk by cursor."""

    next_cursor: str | None | UnsetType


P = TypeVar("P")
A = TypeVar("A", bound=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True)
W = TypeVar("W", bound=WalkedAnswer)


class AnyOperation(Protocol[A_co]):
    """An operation, with or without walks by cursor."""

    @property
    def endpoint(self) -> Endpoint:
        """Its path, its parameters and the type of its answer."""

    async def answer(self, context: Context, raw: Raw) -> A_co:
        """Answer a request; raises the errors of `read` and `run`."""


class Operation(Struct, Generic[P, A], frozen=True):
    """An operation: `read` turns parameters into criteria, and `run` criteria into an answer.

    `read` raises BadRequest for a wrong parameter, and NotFound for a ticker without a company.
    """

    endpoint: Endpoint
    read: Callable[[Context, Raw], Awaitable[P]]
    run: Callable[[Context, P], Awaitable[A]]

    async def answer(self, context: Context, raw: Raw) -> A:
        """Answer a request."""
        return await self.run(context, await self.read(context, raw))


class Page(NamedTuple, Generic[W]):
    """An answer, and the position at which the next page begins; None at the end."""

    answer: W
    place: CursorPosition | None


class WalkedOperation(Struct, Generic[P, W], frozen=True):
    """An operation whose result can be walked by cursor.

    `run` answers the page at a walk's start, or, without a start, the page that the criteria ask
    for.
    """

    endpoint: Endpoint
    read: Callable[[Context, Raw], Awaitable[P]]
    run: Callable[[Context, P, Start | None], Awaitable[Page[W]]]

    async def answer(self, context: Context, raw: Raw) -> W:
        """Answer a request; on a walk, with the cursor of the next page, or None at the end."""
        walk = await walk_of(context, raw, self.endpoint)
        if walk is None:
            return (await self.run(context, await self.read(context, raw), None)).answer
        page = await self.run(context, await self.read(context, walk.question), walk.start)
        page.answer.next_cursor = await sign_next(context, self.endpoint, walk, page.place)
        return page.answer

    async def pages(self, context: Context, raw: Raw) -> AsyncIterator[W]:
        """Walk through the whole result without cursors, which need a stored secret."""
        walk = await walk_of(context, {**raw, CURSOR.name: [BEGIN]}, self.endpoint)
        assert walk is not None
        criteria, start = await self.read(context, walk.question), walk.start
        while True:
            page = await self.run(context, criteria, start)
            yield page.answer
            if page.place is None:
                return
            start = Start(page.place)
