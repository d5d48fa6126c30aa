"""`edgar-search screen`: reports as a table, read directly from Elasticsearch."""

import argparse
import sys
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal

import msgspec

from edgar_search.api.context import Context
from edgar_search.api.files.records import CommaSeparated
from edgar_search.api.files.screens import file_columns
from edgar_search.api.screen import FIND_SCREEN, SCREEN, ScreenHead, ScreenReply, ScreenRow
from edgar_search.commands.engine import with_engine
from edgar_search.commands.given import OF_SCREEN, given_parameters
from edgar_search.commands.output import print_table
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

_ENCODER = msgspec.json.Encoder(decimal_format="number")
_LONGEST_CELL = 40


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print one page of a screen, or all its rows; raises EdgarSearchError."""
    raw = given_parameters(options, SCREEN, OF_SCREEN)

    async def answers(context: Context) -> AsyncIterator[ScreenReply]:
        if not options.all:
            yield await FIND_SCREEN.answer(context, raw)
            return
        async for answer in FIND_SCREEN.pages(context, raw):
            yield answer

    async def show(engine: Engine) -> None:
        rows = total = 0
        async for answer in answers(Context.of_command(engine, settings)):
            if not rows:
                total = answer.total_count
                for warning in answer.warnings:
                    print(f"edgar-search: {warning}", file=sys.stderr)
            _print(answer, options.format, first=not rows)
            rows += len(answer.items)
        more = "" if rows == total or options.all else "; --all prints all"
        print(f"edgar-search: {rows:,} of {total:,}{more}", file=sys.stderr)

    return with_engine(settings, show)


def _print(answer: ScreenReply, form: str, *, first: bool) -> None:
    if form == "jsonl":
        lines = (_ENCODER.encode(row).decode() for row in answer.items)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    elif form == "csv":
        writer = CommaSeparated(file_columns(answer.columns), for_spreadsheet=True)
        head = writer.begin()
        sys.stdout.write(((head if first else b"") + writer.write(answer.items)).decode())
    else:
        names = [column.name for column in answer.columns]
        rows = [_cells(row, answer.columns) for row in answer.items]
        print_table([["accnum", *names], *rows] if first else rows, sys.stdout)


def _cells(row: ScreenRow, columns: Sequence[ScreenHead]) -> list[str]:
    cells = [row.accnum]
    for column in columns:
        cell = row.cells[column.name]
        text = cell.text or "" if cell.value is None else _number(column, cell.value)
        cells.append("".join(c if c.isprintable() else " " for c in text)[:_LONGEST_CELL])
    return cells


def _number(column: ScreenHead, value: Decimal) -> str:
    return f"{value:.4f}" if column.kind == "ratio" else f"{value:,f}"
