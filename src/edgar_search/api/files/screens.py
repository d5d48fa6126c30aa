"""A page of a screen as a file: each of its columns, and one for the sources of each."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from edgar_search.api.files.records import (
    Column,
    ColumnKind,
    CommaSeparated,
    ParquetFile,
    Progress,
    WorkbookFile,
    Writer,
    require_parquet,
)
from edgar_search.api.screen import CellSource, ScreenHead, ScreenReply, ScreenRow

_KINDS: dict[str, ColumnKind] = {
    "text": "text",
    "day": "day",
    "amount": "decimal",
    "ratio": "number",
    "count": "count",
}


class _CellColumn(Column):
    """A column with the values of cells."""

    def of(self, record: ScreenRow) -> Any:
        cell = record.cells[self.path[0]]
        if cell.value is None:
            return cell.text
        convert: Callable[[Decimal], Any] = {"number": float, "count": int}.get(self.kind, Decimal)
        return convert(cell.value)


class _SourceColumn(Column):
    """A column with the sources of cells, as text."""

    def of(self, record: ScreenRow) -> str | None:
        sources = record.cells[self.path[0]].sources
        return "; ".join(map(source_text, sources)) or None


def source_text(source: CellSource) -> str:
    """Write a source as text: a position in a document, or a fact with its period."""
    position = ""
    if source.document_id is not None and source.start is not None:
        position = f"{source.document_id} {source.start}-{source.end}"
        position += f" {source.text_sha256}" if source.text_sha256 else ""
    if source.item is None:
        filed = None if source.value is None else f"{source.value}"
        return " ".join(filter(None, (filed, source.unit, position)))
    period = "/".join(filter(None, (source.period_start, source.period_end)))
    return " ".join(filter(None, (source.item, f"{source.value}", source.unit, period, position)))


def screen_file(answer: ScreenReply, form: str) -> tuple[bytes, str]:
    """Write a page of a screen as `csv`, `xlsx` or `parquet`; return the file and its media type.

    Raises BadRequest if pyarrow, which Parquet needs, is not installed.
    """
    columns = file_columns(answer.columns)
    writer: Writer
    if form == "csv":
        writer = CommaSeparated(columns, for_spreadsheet=True)
    elif form == "xlsx":
        writer = WorkbookFile(columns)
    else:
        require_parquet()
        writer = ParquetFile(columns)
    body = writer.begin() + writer.write(answer.items)
    return body + writer.note(Progress(len(answer.items), True)), writer.media_type


def file_columns(heads: Sequence[ScreenHead]) -> list[Column]:
    """Return the columns of a file for the columns of a screen."""
    return list(_columns(heads))


def _columns(heads: Sequence[ScreenHead]) -> Iterable[Column]:
    named = {head.name for head in heads}
    for name in ("document_id", "accnum"):
        if name not in named:
            yield Column(name, "text")
    for head in heads:
        yield _CellColumn(head.name, _KINDS[head.kind], (head.name,))
        if head.origin != "header":
            yield _SourceColumn(f"{head.name} source", "text", (head.name,))
