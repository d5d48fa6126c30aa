"""`edgar-search statements` and `edgar-search facts`

They query Elasticsearch directly and print the answers of `/v1/statements` and `/v1/facts`.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TextIO

import msgspec
from msgspec import UNSET

from edgar_search.api.context import Context
from edgar_search.api.facts import FACT_ROWS, FACTS, MAX_FACTS
from edgar_search.api.files.comma_separated import without_formula
from edgar_search.api.statements import (
    FIND_STATEMENTS,
    STATEMENTS,
    LineValue,
    ReportedStatement,
    StatementsReply,
)
from edgar_search.commands.engine import with_engine
from edgar_search.commands.given import OF_FIGURES, given_parameters
from edgar_search.commands.output import print_table
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

_ENCODER = msgspec.json.Encoder(decimal_format="number")
# Columns of facts in a table for people.
_SHOWN = ("name", "form_type", "filing_date", "concept", "start", "end", "value", "unit")
_LONGEST_CELL = 60
Row = Mapping[str, Any]


def run_statements(settings: Settings, options: argparse.Namespace) -> int:
    """Print the statements of a filing; raises EdgarSearchError."""
    raw = given_parameters(options, STATEMENTS, OF_FIGURES)
    if options.company:
        raw["cik" if options.company.isdecimal() else "ticker"] = [options.company]

    async def show(engine: Engine) -> None:
        answer = await FIND_STATEMENTS.answer(Context.of_command(engine, settings), raw)
        if options.format == "text":
            _print_statements(answer, sys.stdout)
        else:
            _print_rows(list(_line_rows(answer)), options.format, sys.stdout)

    return with_engine(settings, show)


def run_facts(settings: Settings, options: argparse.Namespace) -> int:
    """Print one page of facts, or all facts; raises EdgarSearchError."""
    raw = given_parameters(options, FACTS, OF_FIGURES)

    if options.all:
        raw["limit"] = [str(MAX_FACTS)]

    async def show(engine: Engine) -> None:
        context = Context.of_command(engine, settings)
        rows, total = 0, 0
        async for answer in FACT_ROWS.operation.pages(context, raw):
            facts = list(map(_plain, answer.items))
            derived = [] if answer.derived is UNSET else list(map(_plain, answer.derived))
            _print_rows([*derived, *facts], options.format, sys.stdout, head=rows == 0)
            rows, total = rows + len(facts), answer.total_count
            if not options.all:
                break
        more = "" if rows == total else "; --all prints all"
        print(f"edgar-search: {rows:,} of {total:,}{more}", file=sys.stderr)

    return with_engine(settings, show)


def _plain(value: Any) -> dict[str, Any]:
    """Return the fields of an answer as a dict.

    Amounts stay decimals, and nested structs become dicts.
    """
    plain: dict[str, Any] = msgspec.to_builtins(value, builtin_types=(Decimal, date))
    return plain


def _line_rows(reply: StatementsReply) -> Iterator[Row]:
    """Yield a row for each value of a line; a heading gives one row without a value."""
    for statement in reply.statements:
        for index, line in enumerate(statement.lines):
            values: list[LineValue | None] = [*line.values] or [None]
            for value in values:
                yield {
                    "accnum": reply.filing.accession_number,
                    "statement": statement.statement,
                    "line": index,
                    **{name: getattr(line, name) for name in ("concept", "label", "depth")},
                    "negated": line.negated,
                    **({} if value is None else _plain(value)),
                }
    for item in reply.items:
        for each in item.values:
            yield {"accnum": reply.filing.accession_number, "item": item.item, **_plain(each)}


def _print_rows(rows: Sequence[Row], form: str, stream: TextIO, *, head: bool = True) -> None:
    if form == "jsonl":
        stream.writelines(_ENCODER.encode(row).decode() + "\n" for row in rows)
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    if form == "csv":
        writer = csv.writer(stream, lineterminator="\n")
        if head and names:
            writer.writerow(names)
        writer.writerows([without_formula(_cell(row.get(name))) for name in names] for row in rows)
        return
    # Derived facts come first; they have a column only if they were requested.
    columns = (*_SHOWN, "derived") if "derived" in names else _SHOWN
    shown = [[_cell(row.get(name))[:_LONGEST_CELL] for name in columns] for row in rows]
    print_table([list(columns), *shown] if head else shown, stream)


def _print_statements(answer: StatementsReply, stream: TextIO) -> None:
    filing = answer.filing
    head = f"{filing.name}, {filing.form_type} of {filing.filing_date}"
    stream.write(f"{head}, {filing.accession_number}\n")
    for statement in answer.statements:
        stream.write(f"\n{statement.title}\n")
        print_table(list(_table(statement)), stream)


def _table(statement: ReportedStatement) -> Iterator[list[str]]:
    """Yield the head and the lines, with the sign that the filer shows."""
    yield [
        "",
        *(
            f"{period.start}..{period.end}" if period.start else f"{period.end}"
            for period in statement.periods
        ),
    ]
    for line in statement.lines:
        label = "  " * line.depth + line.label[:_LONGEST_CELL]
        amounts = line.amounts(statement.columns)
        yield [label, *("" if amount is None else f"{amount:,}" for amount in amounts)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return _ENCODER.encode(value).decode() if value else ""
    return str(value)
