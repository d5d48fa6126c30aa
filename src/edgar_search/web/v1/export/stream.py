"""An export on its way to the client: a page in memory, and the next one being fetched.

Nothing is asked of Elasticsearch but a page, with a share of its own; a client that does not read
keeps the connection and what is in memory of two pages.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from edgar_search.access.limits.meter import Standing
from edgar_search.errors import (
    ClientGone,
    EdgarSearchError,
    StoredByOlderVersion,
    TextChanging,
    Unavailable,
)
from edgar_search.search.hits import DocumentHit
from edgar_search.search.walks.exports import Export, ExportPage
from edgar_search.search.walks.place import Cursor, Place
from edgar_search.web.counted_call import CountedCall
from edgar_search.web.disconnect import while_connected
from edgar_search.web.state import Service
from edgar_search.web.v1.export.answers import (
    document_records,
    filing_record,
    filings_in,
    match_records,
)
from edgar_search.web.v1.export.endpoints import EXPORT
from edgar_search.web.v1.export.formats import Progress, Writer
from edgar_search.web.v1.export.parameters import ExportParams

_log = logging.getLogger(__name__)

T = TypeVar("T")

# A call is counted for so many records, and after as many there is a cursor.
RECORDS_OF_A_CALL = 1_000
# What is given to the connection at once: about what it takes before the client must read.
_PIECE = 65_536
# So long it is tried to get a page, in seconds; the snapshot outlasts it.
PATIENCE = 60.0


def calls_for(records: int) -> int:
    """The calls that so many records count as; one at least, which is the request's own."""
    return max(1, -(-records // RECORDS_OF_A_CALL))


class Delivery:
    """The records of an export, from its first page on, as bytes; and what they were counted as."""

    def __init__(
        self,
        service: Service,
        call: CountedCall,
        export: Export,
        params: ExportParams,
        writer: Writer,
        question: dict[str, list[str]],
        place: Place,
        first: ExportPage,
        cursor: str = "",
    ) -> None:
        self._service = service
        self._call = call
        self._export = export
        self._params = params
        self._writer = writer
        self._question = question
        self._page: ExportPage | None = first
        # Records that were sent, before this answer too, and after how many there was a cursor.
        self.records = self._noted = place.records
        # What was sent and counts: of matches the documents that they are in.
        self._counted = 0
        self._pending: list[DocumentHit] = []
        self._place: Place | None = None
        # With which the client can go on: the one that it came with, until there is a later one.
        self.cursor = cursor
        self._resumed = bool(cursor)
        self.reserved = calls_for(first.total - place.rows)
        self.complete = False

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """All that is to be sent; what is asked for has been sent before."""
        if not self._resumed:  # The client has what a file begins with.
            yield self._writer.begin()
        while self._page is not None:
            page, self._page = self._page, None
            ahead = None if page.place is None else asyncio.create_task(self._next(page.place))
            try:
                async with aclosing(self._batches(page)) as batches:
                    async for records in batches:
                        data = self._writer.write(records)
                        for start in range(0, len(data), _PIECE):
                            yield data[start : start + _PIECE]
                        self.records += len(records)
                if self._place is not None and self.records - self._noted >= RECORDS_OF_A_CALL:
                    yield await self._note(self._place)
                del page
                if ahead is not None:
                    self._page = await ahead
            finally:
                if ahead is not None:
                    ahead.cancel()
        yield self._writer.note(Progress(self.records, True))
        self.complete = True

    def failed(self, error: EdgarSearchError) -> bytes:
        """What is sent where the rest cannot be."""
        message = str(error) if error.status != 500 else "internal error"
        return self._writer.note(Progress(self.records, False, self.cursor, message))

    async def end(self) -> None:
        """Give back what was reserved and not sent; close a snapshot that nobody can go on with."""
        unsent = self.reserved - calls_for(self._counted)
        standing = self._call.standing
        if unsent > 0 and isinstance(standing, Standing):
            try:
                account = self._call.account
                await self._service.admission.quota.give_back(account, standing, unsent)
            except EdgarSearchError as error:
                _log.warning("%d reserved calls of an account are lost: %s", unsent, error)
        if self.complete or not self.cursor:
            await self._export.close()

    async def _next(self, place: Place) -> ExportPage:
        """The page after a place."""
        snippets = self._params.snippets
        return await self._tried(lambda: self._export.page(place, with_snippets=snippets))

    async def _tried(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work` with a share; tried again while Elasticsearch is busy or away."""
        admission, account, plan = self._service.admission, self._call.account, self._call.plan
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while True:
            try:
                async with admission.shares.share(account, plan):
                    return await work()
            except (StoredByOlderVersion, TextChanging):
                raise  # Of a snapshot it stays so.
            except Unavailable as error:
                if loop.time() > until:
                    raise
                await asyncio.sleep(min(error.retry_after, 1.0))

    async def _batches(self, page: ExportPage) -> AsyncGenerator[Sequence[Any], None]:
        """The records of a page; what was asked for before has been sent.

        `_place` becomes the place after them, where an export can go on from it.
        """
        self._place = page.place
        if self._params.what == "matches":
            for hit in page.hits:
                async with aclosing(self._matches(hit)) as batches:
                    async for matches in batches:
                        yield matches
                self._counted += 1
            return
        if self._params.what == "documents":
            records: Sequence[Any] = document_records(page, self._params.search.details)
        else:
            records = self._filings(page)
        yield records
        self._counted += len(records)

    def _filings(self, page: ExportPage) -> Sequence[Any]:
        filings = filings_in([*self._pending, *page.hits])
        # The last one may go on in the next page.
        self._pending = [] if page.place is None else filings.pop()
        if page.place is not None and filings:
            rows = page.place.rows - len(self._pending)
            self._place = structs.replace(page.place, after=filings[-1][-1].sort, rows=rows)
        else:
            self._place = None
        return list(map(filing_record, filings))

    async def _matches(self, hit: DocumentHit) -> AsyncGenerator[Sequence[Any], None]:
        """The matches in a document, some at a time, each with a share of its own."""
        found = self._export.matches(hit.document_id)
        try:
            while matches := await self._tried(found.some):
                assert found.text is not None
                yield match_records(hit, matches, found.text.sha256)
        finally:
            await found.close()

    async def _note(self, place: Place) -> bytes:
        """A control record with the cursor after what was sent."""
        self._noted = self.records
        if not self._writer.resumable:
            return b""
        place = structs.replace(place, records=self.records)
        cursor = Cursor(EXPORT.path, self._question, place)
        self.cursor = await self._service.walks.seal.seal(cursor, self._call.account)
        return self._writer.note(Progress(self.records, cursor=self.cursor))


class ExportResponse(Response):
    """An answer of unknown length; one that cannot be sent whole ends as a connection cut off."""

    def __init__(self, delivery: Delivery, media_type: str, headers: dict[str, str]) -> None:
        self._delivery = delivery
        self.status_code = 200
        self.background = None
        # With its character set, where it has one: Starlette would add another.
        self.init_headers({"Content-Type": media_type, **headers})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
            else:
                await while_connected(Request(scope, receive), self._send(send))
        except ClientGone:
            _log.info("an export was left after %d records", self._delivery.records)
        finally:
            await asyncio.shield(self._delivery.end())

    async def _send(self, send: Send) -> None:
        async def body(data: bytes, *, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        try:
            async with aclosing(self._delivery.pieces()) as pieces:
                async for piece in pieces:
                    if piece:  # A writer may keep back what it was given.
                        await body(piece)
        except EdgarSearchError as error:
            _log.warning("an export was cut off: %s", error)
            await body(self._delivery.failed(error))
            return  # Without an end, by which the client knows that something is missing.
        await body(b"", more=False)
