"""Bulk files: `submissions.zip`, `companyfacts.zip`, days of the feed, names with CIKs.

They are generated while they are sent, with one entity or chunk of a submission in memory. A call
is charged for each 10 MB; a file is truncated if its calls, key or engine run out.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.original import open_submission
from edgar_search.errors import EdgarSearchError, NotFound, ReadTooSlowly
from edgar_search.financials.facts import ciks_with_facts
from edgar_search.search.entities import entities_after
from edgar_search.search.filing_lists import days_of_filings, filings_of_day, filings_of_entity
from edgar_search.search.filings import filing_of
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import StoredFiling
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.edgar.lists import day_of, quarter_of
from edgar_search.web.edgar.mirror import folder_of, routes_at
from edgar_search.web.edgar.packing import TarGzip, ZipStream
from edgar_search.web.edgar.submissions import (
    columns,
    older_files,
    older_filings,
    submissions_file,
)
from edgar_search.web.edgar.xbrl import facts_file
from edgar_search.web.long_answers import READ_RATE, LongResponse, retried
from edgar_search.web.responses import json_response
from edgar_search.web.service import Service, service

_ZIP, _GZIP, _TEXT = "application/zip", "application/gzip", "text/plain; charset=iso-8859-1"
# Entities in one request.
_PAGE = 500
# A company's facts or filings cost as much as several searches.
_SLOTS = 2
_DAY = re.compile(r"(\d{8})\.nc\.tar\.gz", re.ASCII)
T = TypeVar("T")
Pieces: TypeAlias = AsyncGenerator[bytes, None]


class Turns:
    """The service during a long answer: each of its requests waits for its own slot."""

    def __init__(self, state: Service, call: V1Call) -> None:
        self.state = state
        self._call = call

    async def ask(self, work: Callable[[], Awaitable[T]], slots: int = 1) -> T:
        """Return the result of `work`, once it gets its slots."""
        return await retried(self.state, self._call, work, slots)


class BulkAnswer:
    """Pieces of any length for a client, charged as calls."""

    def __init__(self, state: Service, call: V1Call, made: Pieces) -> None:
        self._state = state
        self._call = call
        self._made = made
        self._sent = 0
        self.too_slow = False

    async def pieces(self) -> Pieces:
        """Yield the pieces.

        Raises the errors of `Call.check_again` and `Admission.reserve`, and ReadTooSlowly.
        """
        async with aclosing(self._made) as stream:
            async for piece in stream:
                if not piece:
                    continue
                await self._call.check_again()
                if self.too_slow:
                    raise ReadTooSlowly(READ_RATE)
                self._sent += len(piece)
                await self._state.admission.charge_bytes(self._call, self._sent)
                yield piece

    def failed(self, error: EdgarSearchError) -> bytes:
        """Return nothing: a file without its end is visibly truncated."""
        return b""

    async def end(self) -> None:
        """Stop the generator of the pieces."""
        await self._made.aclose()


def _sent(request: Request, call: V1Call, made: Pieces, media_type: str) -> Response:
    state = service(request)
    headers = {"Cache-Control": "private, no-cache"}
    return LongResponse(BulkAnswer(state, call, made), media_type, headers)


async def submissions_zip(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/daily-index/bulkdata/submissions.zip"""
    return _sent(request, call, _submissions(Turns(service(request), call)), _ZIP)


async def facts_zip(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/daily-index/xbrl/companyfacts.zip"""
    return _sent(request, call, _facts(Turns(service(request), call)), _ZIP)


async def names(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/cik-lookup-data.txt"""
    return _sent(request, call, _names(Turns(service(request), call)), _TEXT)


async def _entities(turns: Turns) -> AsyncGenerator[StoredEntity, None]:
    cik = ""
    while page := await turns.ask(partial(entities_after, turns.state.engine, cik, _PAGE)):
        for entity in page:
            yield entity
        cik = page[-1].cik


async def _names(turns: Turns) -> Pieces:
    """Yield a line for each name that an entity has or had, by CIK; EDGAR's file is by name."""
    async with aclosing(_entities(turns)) as entities:
        async for entity in entities:
            former = [former_name.name for former_name in entity.former_names or ()]
            listed = dict.fromkeys(filter(None, [entity.name, *former]))
            lines = (f"{' '.join(name.split())}:{entity.cik}:\n" for name in listed)
            yield "".join(lines).encode("latin-1", "replace")


async def _submissions(turns: Turns) -> Pieces:
    state = turns.state
    with ZipStream(datetime.now(UTC)) as packed:
        async with aclosing(_entities(turns)) as entities:
            async for entity in entities:
                cik = entity.cik
                total = (await turns.ask(partial(filings_of_entity, state.engine, cik, 0, 0))).total
                ask = partial(submissions_file, state, entity, total)
                recent = await turns.ask(ask, _SLOTS)
                yield await asyncio.to_thread(_member, packed, f"CIK{cik}.json", recent)
                for part in range(1, older_files(total) + 1):
                    older = await turns.ask(partial(older_filings, state.engine, cik, part))
                    name = f"CIK{cik}-submissions-{part:03}.json"
                    yield await asyncio.to_thread(
                        _member, packed, name, partial(columns, cik, older)
                    )
        for piece in packed.end():
            yield piece


async def _facts(turns: Turns) -> Pieces:
    state, cik = turns.state, ""
    with ZipStream(datetime.now(UTC)) as packed:
        while page := await turns.ask(partial(ciks_with_facts, state.engine, cik, _PAGE)):
            for cik in page:
                make = await turns.ask(partial(facts_file, state, cik), _SLOTS)
                if make is not None:
                    yield await asyncio.to_thread(_member, packed, f"CIK{cik}.json", make)
        for piece in packed.end():
            yield piece


def _member(packed: ZipStream, name: str, make: Callable[[], Any]) -> bytes:
    return packed.member(name, bytes(json_response(make()).body))


async def feed(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/Feed/{year}/{quarter}/{file}: the submissions of a day, or the days."""
    first, last = quarter_of(request)
    name = request.path_params["file"]
    if name in ("", "index.json"):
        await context_of(request, call).weigh(_SLOTS)
        days = await days_of_filings(service(request).engine, first, last)
        call.result_count = len(days)
        return await folder_of(request, [f"{day:%Y%m%d}.nc.tar.gz" for day in days])
    match = _DAY.fullmatch(name)
    day = day_of(match[1]) if match else None
    if day is None or not first <= day <= last:
        raise NotFound("the name is such as 20240105.nc.tar.gz, of a day of this quarter")
    numbers = [
        filing.accession_number for filing in await filings_of_day(service(request).engine, day)
    ]
    if not numbers:
        raise NotFound(f"no filing of {day} is loaded")
    call.result_count = len(numbers)
    return _sent(request, call, _submitted(Turns(service(request), call), numbers), _GZIP)


async def _submitted(turns: Turns, numbers: list[str]) -> Pieces:
    packed = TarGzip()
    for number in numbers:
        ask = partial(filing_of, turns.state.engine, number)
        try:
            filing = await turns.ask(ask)
        except NotFound:  # It was deleted after the list was made.
            continue
        if filing.archive is not None:
            async for piece in iterate_in_threadpool(_packed(packed, turns.state, filing)):
                yield piece
    yield packed.end()


def _packed(packed: TarGzip, state: Service, filing: StoredFiling) -> Iterator[bytes]:
    """Yield the archive member of a submission, with EDGAR's name for the same content."""
    assert filing.archive is not None
    chunks = open_submission(state.archive, filing).chunks
    beginning = next(chunks, b"")
    ending = "nc" if beginning.lstrip().startswith(b"<SUBMISSION>") else "txt"
    size = sum(member[3] for member in filing.archive.members)
    moment = filing.accepted_at or datetime.combine(filing.filing_date, datetime.min.time(), UTC)
    name = f"{filing.accession_number}.{ending}"
    return packed.member(name, size, moment, chain([beginning], chunks))


routes = [
    *routes_at("/Archives/edgar/daily-index/bulkdata/submissions.zip", submissions_zip),
    *routes_at("/Archives/edgar/daily-index/xbrl/companyfacts.zip", facts_zip),
    *routes_at("/Archives/edgar/cik-lookup-data.txt", names),
    *routes_at("/Archives/edgar/Feed/{year}/{quarter}/{file:path}", feed),
]
