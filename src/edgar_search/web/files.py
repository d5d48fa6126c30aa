"""Answers of operations as files for download."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import Call
from edgar_search.api.files.screens import screen_file
from edgar_search.api.files.statements import statements_workbook
from edgar_search.api.files.tables import table_csv, table_workbook
from edgar_search.api.media_types import XLSX
from edgar_search.api.screen import FORMATS, ScreenReply
from edgar_search.api.statements import StatementsReply
from edgar_search.api.tables import TablesReply
from edgar_search.document.reading_room import ReadingOf
from edgar_search.web.responses import file_response
from edgar_search.web.service import service


async def statements_file(answer: StatementsReply) -> Response:
    """Return a workbook named after the accession number."""
    body = await asyncio.to_thread(statements_workbook, answer)
    return file_response(body, XLSX, f"{answer.filing.accession_number}.xlsx")


def _screen_file(form: str) -> Callable[[ScreenReply], Awaitable[Response]]:
    async def answer_file(answer: ScreenReply) -> Response:
        body, media_type = await asyncio.to_thread(screen_file, answer, form)
        return file_response(body, media_type, f"edgar-search-screen.{form}")

    return answer_file


SCREEN_FILES = {form: _screen_file(form) for form in FORMATS[1:]}


async def table_file(
    request: Request, call: Call[Any], answer: TablesReply, form: str, *, raw: bool = False
) -> Response:
    """Return the one table of an answer as `csv` or `xlsx`; `raw` CSV keeps texts as filed.

    Raises as the reading room, because the filer decides how large a table is.
    """
    (table,), room = answer.items, service(request).room
    about = f"{answer.text_sha256} {table.number} {form}"
    reading = ReadingOf(answer.document_id, call.account, about)
    name = f"{answer.document_id}-table-{table.number}.{form}"
    if form == "csv":
        body = await room.run(reading, table_csv, table, raw=raw)
        return file_response(body, "text/csv; charset=utf-8", name)
    return file_response(await room.run(reading, table_workbook, table), XLSX, name)
