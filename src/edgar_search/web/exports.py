"""Exports: the current page in memory, and the next one being fetched.

Each page is a request to Elasticsearch with its own slot; a client that does not read occupies the
connection, and two pages in memory.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import Call
from edgar_search.access.quota import QuotaStatus
from edgar_search.api.context import Context
from edgar_search.api.export import (
    EXPORT,
    ROWS_OF,
    ExportParams,
    export_cursor,
    export_params,
    records_of,
    row_params,
    writer_for,
)
from edgar_search.api.files.records import (
    MOST_IN_A_WORKBOOK,
    Progress,
    Writer,
    document_records,
    filing_record,
    filings_in,
    match_records,
    require_parquet,
    too_many_for_a_workbook,
)
from edgar_search.api.finding import names_of
from edgar_search.api.parameters.reader import Raw
from edgar_search.api.screen import AskedScreen, read_rows
from edgar_search.api.search import SectionsOfHits
from edgar_search.document.matches import DocumentMatches
from edgar_search.document.sections import best_places, sections_at
from edgar_search.errors import BadRequest, EdgarSearchError, ReadTooSlowly
from edgar_search.search.criteria import SECTION, DocumentSearch, Operands
from edgar_search.search.cursors import Cursor, CursorPosition
from edgar_search.search.index_versions import require_for_texts
from edgar_search.search.language import Node
from edgar_search.search.pagination import Export, ExportPage, Step, begin_export
from edgar_search.search.results import DocumentHit
from edgar_search.search.rows import RowSearch, begin_row_export
from edgar_search.search.screens import begin_screen_export
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.long_answers import READ_RATE, LongResponse, retried
from edgar_search.web.service import Service, service

_log = logging.getLogger(__name__)
T = TypeVar("T")

# This many records count as a call, and a cursor follows them.
RECORDS_OF_A_CALL = 1_000
# Records in a batch: after each batch an export can end with a position to continue from.
_BATCH = 100
# Bytes given to the connection at once: about as many as it buffers before the client must read.
_PIECE = 65_536


def calls_for(records: int) -> int:
    """Return how many calls `records` count as; at least one, for the request itself."""
    return max(1, -(-records // RECORDS_OF_A_CALL))


class Delivery:
    """The records of an export as bytes, from its first page on, charged as calls."""

    def __init__(
        self,
        service: Service,
        call: Call[Any],
        context: Context,
        export: Export[Any],
        params: ExportParams,
        writer: Writer,
        question: dict[str, list[str]],
        place: CursorPosition,
        first: ExportPage[Any],
        cursor: str = "",
    ) -> None:
        self._service = service
        self._call = call
        self._context = context
        self._export = export
        self._params = params
        self._writer = writer
        self._question = question
        self._page: ExportPage[Any] | None = first
        # The number of records sent, including earlier answers, and the same at the last cursor.
        self.records = self._noted = place.records
        # Records sent that count: for matches, the documents that contain them.
        self._counted = 0
        self._pending: list[DocumentHit] = []
        # The position after the last record sent; the current page follows `_page_place`.
        self._place: CursorPosition | None = None
        self._page_place = place
        # The cursor with which the client can continue: its own, until a later one exists.
        self.cursor = cursor
        self._resumed = bool(cursor)
        self.reserved = calls_for(first.step.total - place.rows - place.documents)
        self.complete = False
        # True if the client reads too slowly: the export ends at the next resumable position.
        self.too_slow = False

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the file in pieces, each fetched after the one before it was sent.

        Raises the errors of `Call.check_again`, because the caller is checked before each piece.
        """
        async with aclosing(self._pieces()) as pieces:
            async for piece in pieces:
                await self._call.check_again()
                yield piece

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        if not self._resumed:  # The client already has the beginning of the file.
            yield self._writer.begin()
        while self._page is not None:
            page, self._page = self._page, None
            place = page.step.place
            ahead = None
            if place is not None:
                ahead = asyncio.create_task(self._retry(partial(self._export.page, place)))
            try:
                async with aclosing(self._batches(page)) as batches:
                    async for records in batches:
                        data = self._writer.write(records)
                        for start in range(0, len(data), _PIECE):
                            yield data[start : start + _PIECE]
                        self.records += len(records)
                        if self._params.what != "matches":
                            self._counted += len(records)
                        if self._place:
                            await self._go_on(self._place)
                        if self._place and self.records - self._noted >= RECORDS_OF_A_CALL:
                            yield await self._note(self._place)
                if place is not None and ahead is not None:
                    self._page_place = place
                    del page
                    self._page = await ahead
            finally:
                if ahead is not None:
                    ahead.cancel()
        # A workbook is written at the end, which takes seconds.
        yield await asyncio.to_thread(self._writer.note, Progress(self.records, True))
        self.complete = True

    async def _go_on(self, place: CursorPosition) -> None:
        """Keep the snapshot for the rest of the records; raises ReadTooSlowly for a slow client."""
        if self.too_slow:
            if self._writer.resumable:
                await self._seal(place)
            raise ReadTooSlowly(READ_RATE)
        await self._export.keep()

    def failed(self, error: EdgarSearchError) -> bytes:
        """Return the control record to send if the rest cannot be sent."""
        message = str(error) if error.status != 500 else "internal error"
        return self._writer.note(Progress(self.records, False, self.cursor, message))

    async def end(self) -> None:
        """Return unused calls, and close the snapshot unless a cursor refers to it."""
        unsent = self.reserved - calls_for(self._counted)
        status = self._call.quota_status
        if unsent > 0 and isinstance(status, QuotaStatus):
            try:
                account = self._call.account
                await self._service.admission.quota.return_calls(account, status, unsent)
            except EdgarSearchError as error:
                _log.warning("%d reserved calls of an account are lost: %s", unsent, error)
        if self.complete or not self.cursor:
            await self._export.close()

    async def _retry(self, work: Callable[[], Awaitable[T]]) -> T:
        return await retried(self._service, self._call, work, self._params.slots)

    async def _batches(self, page: ExportPage[Any]) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the records of a page; each batch is requested once the previous one has been sent.

        `_place` becomes the position after them, from which an export can continue.
        """
        if self._params.row is not None:
            rows = [self._params.row(hit.source) for hit in page.step.hits]
            for start in range(0, len(rows), _BATCH):
                self._place = _place_in(page.step, start + len(rows[start : start + _BATCH]))
                yield rows[start : start + _BATCH]
        elif self._params.screen is not None:
            async with aclosing(self._rows(page.step, self._params.screen)) as screened:
                async for batch in screened:
                    yield batch
        elif self._params.what == "matches":
            self._place = page.step.place
            async with aclosing(self._matches_of(page.step)) as batches:
                async for matches in batches:
                    yield matches
        elif self._params.what == "documents":
            assert isinstance(self._params.search, DocumentSearch)
            sections: SectionsOfHits = {}
            if SECTION in self._params.search.details:
                places = best_places(page.found)
                read = partial(sections_at, self._export.engine, places)
                sections = await self._retry(read)
            records = document_records(
                page,
                self._params.search.details,
                sections,
                snippets=self._params.snippets,
            )
            for start in range(0, len(records), _BATCH):
                batch = records[start : start + _BATCH]
                self._place = _place_in(page.step, start + len(batch))
                yield batch
        else:
            for filings in self._filings(page.step):
                yield filings

    async def _rows(
        self, step: Step[DocumentHit], screen: AskedScreen
    ) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the rows of a screen, whose cells are read some rows at a time."""
        size, engine = screen.rows_at_once, self._export.engine
        for start in range(0, len(step.hits), size):
            hits = step.hits[start : start + size]
            rows = await self._retry(
                partial(read_rows, self._context, engine, screen.columns, hits)
            )
            self._place = _place_in(step, start + len(hits))
            yield rows

    def _filings(self, step: Step[DocumentHit]) -> Iterator[Sequence[Any]]:
        # Documents of this step in earlier filings: some may belong to the last one.
        sent = -len(self._pending)
        filings = filings_in([*self._pending, *step.hits])
        # The last filing may continue in the next page.
        self._pending = filings.pop() if step.more else []
        for start in range(0, len(filings), _BATCH):
            batch = filings[start : start + _BATCH]
            sent += sum(map(len, batch))
            self._place = _place_in(step, sent)
            yield list(map(filing_record, batch))

    async def _matches_of(self, step: Step[DocumentHit]) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the matches in the documents of a page, except those of an earlier answer.

        No batch goes beyond the next cursor: a document may have any number of matches.
        """
        search = self._params.search
        assert isinstance(search, DocumentSearch)
        query = (step.respelling.criteria if step.respelling else search.criteria).query
        assert query is not None
        begin, sent = self._page_place, self._page_place.matches
        for number, hit in enumerate(step.hits[begin.documents :], begin.documents):
            async with aclosing(self._matches(query, search.operands, hit, sent)) as batches:
                async for matches in batches:
                    while matches:
                        room = min(_BATCH, RECORDS_OF_A_CALL - (self.records - self._noted))
                        batch, matches = matches[:room], matches[room:]
                        sent += len(batch)
                        self._place = structs.replace(begin, documents=number, matches=sent)
                        yield batch
            self._counted += 1
            sent = 0

    async def _matches(
        self, query: Node, operands: Operands, hit: DocumentHit, after: int
    ) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the matches in a document, a few at a time, each few with their own slot."""
        in_document = DocumentMatches(
            self._export.engine,
            hit.document_id,
            query,
            operands,
            after,
        )
        try:
            while matches := await self._retry(in_document.some):
                assert in_document.text is not None
                yield match_records(
                    hit, matches, in_document.text.sha256, with_sides=self._params.with_sides
                )
        finally:
            await in_document.close()

    async def _note(self, place: CursorPosition) -> bytes:
        """Return a control record with the cursor after the last record sent."""
        self._noted = self.records
        if not self._writer.resumable:
            return b""
        await self._seal(place)
        return self._writer.note(Progress(self.records, cursor=self.cursor))

    async def _seal(self, place: CursorPosition) -> None:
        """Make the cursor that continues after the last record sent."""
        place = structs.replace(place, records=self.records)
        cursor = Cursor(EXPORT.path, self._question, place)
        self.cursor = await self._service.pagination.signer.sign(cursor, self._call.account)


def _place_in(step: Step[Any], number: int) -> CursorPosition | None:
    """Return the position after the first `number` hits of a step; None at the very end."""
    return step.after(number) if step.more or number < len(step.hits) else None


async def export(request: Request, call: V1Call) -> Response:
    """GET /v1/export"""
    return await start_export(request, call, call.raw)


async def start_export(
    request: Request, call: Call[Any], raw: Raw, *, for_spreadsheet: bool = False
) -> Response:
    """Return the answer to an export with these parameters; its tables may be meant for people."""
    text = export_cursor(raw)
    place: CursorPosition | None = None
    question = {name: list(values) for name, values in raw.items() if name != "cursor"}
    if text is not None:
        cursor = await service(request).pagination.signer.verify(text, call.account)
        if cursor.endpoint != EXPORT.path:
            raise BadRequest(f"`cursor` belongs to {cursor.endpoint}; begin without a cursor")
        place, question = cursor.place, cursor.question
    if records_of(question) in ROWS_OF:
        params = await row_params(context_of(request, call), question)
    else:
        names = await names_of(service(request).context, question)
        params = export_params(question, names)
    if params.format == "parquet":
        require_parquet()
    await call.share.weigh(params.slots)
    # The library that a writer needs takes a second to be loaded.
    writer = await asyncio.to_thread(writer_for, params, for_spreadsheet)
    delivery = await _begin_export(request, call, params, writer, question, place, text or "")
    name = f"edgar-search-{params.what}.{params.format}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Total-Count": str(call.result_count),
    }
    return LongResponse(delivery, writer.media_type, headers)


async def _begin_export(
    request: Request,
    call: Call[Any],
    params: ExportParams,
    writer: Writer,
    question: dict[str, list[str]],
    place: CursorPosition | None,
    cursor: str,
) -> Delivery:
    """Begin an export with its first page, reserving the calls for all its records."""
    # Visitors share an account, but each has separate snapshots.
    state = service(request)
    pagination = state.pagination.for_account(call.caller.owner)
    if params.what == "matches":
        await require_for_texts(state.engine)
    key = "" if place is None else place.snapshot
    begun: Export[Any]
    if isinstance(params.search, RowSearch):
        stored = ROWS_OF[params.what].stored
        begun = await begin_row_export(pagination, params.search, stored, key)
    elif params.screen:
        begun = await begin_screen_export(
            pagination,
            state.context,
            params.search,
            key,
            by_company=params.screen.by_company,
        )
    else:
        begun = await begin_export(
            pagination,
            state.context,
            params.search,
            key,
            with_snippets=params.snippets,
        )
    try:
        place = place or begun.beginning
        first = await begun.page(place)
        if params.format == "xlsx" and first.step.total > MOST_IN_A_WORKBOOK:
            raise BadRequest(too_many_for_a_workbook(f"{first.step.total:,}"))
        context = context_of(request, call)
        delivery = Delivery(
            state, call, context, begun, params, writer, question, place, first, cursor
        )
        if delivery.reserved > 1:
            await state.admission.reserve(call, delivery.reserved - 1)
    except BaseException:
        if not key:
            await begun.close()
        raise
    call.result_count = first.step.total
    return delivery
