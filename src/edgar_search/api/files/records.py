"""Exports as files: JSON lines, comma-separated values, Apache Parquet.

The first two have control records that report progress: one with a cursor after each thousand rows,
and a last one.

The index of a Parquet file is at its end: a truncated file cannot be read at all, so that no record
need say that it is complete.
"""

import importlib.util
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Context, Decimal
from itertools import groupby
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Protocol, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.files.comma_separated import csv_lines
from edgar_search.api.files.workbooks import RowsWorkbook
from edgar_search.api.media_types import JSON_LINES, XLSX
from edgar_search.api.search import Day, SearchItem, SectionsOfHits, plain_snippet, search_reply
from edgar_search.document.matches import ShownMatch
from edgar_search.document.sections import section_name
from edgar_search.errors import BadRequest
from edgar_search.search.pagination import ExportPage
from edgar_search.search.results import DocumentHit, DocumentPage, relevance

# A decimal keeps its digits as filed; an object or a list of objects is written as JSON.
ColumnKind = Literal["text", "texts", "day", "number", "count", "flag", "decimal", "json"]


class Column(NamedTuple):
    """A field of every record; `path` has the attribute names that lead to it, if they differ."""

    name: str
    kind: ColumnKind
    path: tuple[str, ...] = ()

    def of(self, record: Any) -> Any:
        """Return the field's value in a record; below a list, the values of its items."""
        return _value_at(record, self.path or (self.name,))


def _value_at(record: Any, path: Sequence[str]) -> Any:
    for number, name in enumerate(path):
        if isinstance(record, list):
            return [_value_at(item, path[number:]) for item in record]
        record = None if record is None else getattr(record, name)
    return record


class MatchRecord(Struct):
    """A match in a document, as in `/v1/matches`, with the hash of its text.

    `prefix` and `suffix` are set if the request includes them.
    """

    document_id: str
    accnum: str
    form_type: str
    filing_date: Day
    related_company_names: list[str]
    ciks: list[str]
    filename: str
    start: int
    end: int
    text: str
    before: str
    after: str
    section: str | None
    text_sha256: str
    prefix: str | UnsetType = UNSET
    suffix: str | UnsetType = UNSET


_SIDES = ("prefix", "suffix")


class FilingRecord(Struct):
    """A filing with its matching documents; `score` is the highest of theirs."""

    accnum: str
    form_type: str
    filing_date: Day
    related_company_names: list[str]
    ciks: list[str]
    document_count: int
    document_ids: list[str]
    best_document_id: str
    score: float


_KINDS: dict[Any, ColumnKind] = {
    str: "text",
    date: "day",
    Day: "day",
    float: "number",
    bool: "flag",
    int: "count",
    Decimal: "decimal",
    list[str]: "texts",
}


def row_columns(item: type[Struct], *, flat: bool = False) -> tuple[Column, ...]:
    """Return the columns of rows, derived from their types.

    If `flat`, each field of an object or of a list of objects gets a column.
    """
    return tuple(_columns(item, flat))


def _columns(item: type[Struct], flat: bool, above: Column | None = None) -> Iterator[Column]:
    name, path = ("", ()) if above is None else (f"{above.name}_", above.path)
    hints = get_type_hints(item, include_extras=True)
    for field in msgspec.structs.fields(item):
        hint = hints[field.name]
        # A union with `Annotated` is typing's own, not one of types.
        either = get_origin(hint) in (Union, UnionType)
        (kind,) = {*(get_args(hint) if either else (hint,))} - {NoneType, UnsetType}
        is_list = get_origin(kind) is list
        inner = get_args(kind)[0] if is_list else kind
        otherwise: ColumnKind = "text" if get_origin(kind) is Literal else "json"
        column = Column(name + field.encode_name, _KINDS.get(kind, otherwise), (*path, field.name))
        if flat and isinstance(inner, type) and issubclass(inner, Struct):
            of_list = is_list or (above is not None and above.kind == "texts")
            yield from _columns(inner, flat, column._replace(kind="texts" if of_list else "json"))
        elif flat and (is_list or (above is not None and above.kind == "texts")):
            yield column._replace(kind="texts")
        else:
            yield column


# The fields that every document has, in the order of their columns.
_OF_DOCUMENTS = (
    "document_id",
    "accnum",
    "form_type",
    "filing_date",
    "related_company_names",
    "ciks",
    "filename",
    "score",
)


def document_columns(included: Sequence[str], *, snippets: bool) -> tuple[Column, ...]:
    """Return the columns of documents, including the requested fields."""
    columns = {column.name: column for column in row_columns(SearchItem)}
    names = (*_OF_DOCUMENTS, *(("snippet",) if snippets else ()), *included)
    return tuple(columns[name] for name in names)


def match_columns(*, with_sides: bool) -> tuple[Column, ...]:
    """Return the columns of matches, including context for citations if requested."""
    return tuple(
        column for column in row_columns(MatchRecord) if with_sides or column.name not in _SIDES
    )


def document_records(
    page: ExportPage[DocumentHit],
    included: Sequence[str],
    sections: SectionsOfHits,
    *,
    snippets: bool,
) -> list[SearchItem]:
    """Build a search's items for the hits of a page, with or without `snippets`."""
    found = DocumentPage(page.step.total, page.found, withdrawn=page.withdrawn)
    items = search_reply(found, included, sections=sections).items
    if not snippets:
        for item in items:
            item.snippet = UNSET
    return items


def filing_record(hits: Sequence[DocumentHit]) -> FilingRecord:
    """Build the record of a filing from its matching documents."""
    best = max(hits, key=lambda hit: hit.score)
    fields, entities = best.fields, best.entities
    return FilingRecord(
        accnum=fields.accession_number[0],
        form_type=fields.form_type[0],
        filing_date=fields.filing_date[0],
        related_company_names=[name for _, name in entities],
        ciks=[cik for cik, _ in entities],
        document_count=len(hits),
        document_ids=[hit.document_id for hit in hits],
        best_document_id=best.document_id,
        score=relevance(best.score),
    )


def match_records(
    hit: DocumentHit, matches: Iterable[ShownMatch], text_sha256: str, *, with_sides: bool
) -> list[MatchRecord]:
    """Build records of the matches in a document."""
    fields, entities = hit.fields, hit.entities
    names, ciks = [name for _, name in entities], [cik for cik, _ in entities]
    return [
        MatchRecord(
            document_id=hit.document_id,
            accnum=fields.accession_number[0],
            form_type=fields.form_type[0],
            filing_date=fields.filing_date[0],
            related_company_names=names,
            ciks=ciks,
            filename=fields.file_name[0],
            start=match.start,
            end=match.end,
            text=match.text,
            before=match.before,
            after=match.after,
            section=None if match.section is None else section_name(match.section),
            text_sha256=text_sha256,
            prefix=match.prefix if with_sides else UNSET,
            suffix=match.suffix if with_sides else UNSET,
        )
        for match in matches
    ]


def filings_in(hits: Iterable[DocumentHit]) -> list[list[DocumentHit]]:
    """Group consecutive hits of the same filing."""
    return [list(group) for _, group in groupby(hits, lambda hit: hit.fields.accession_number[0])]


_LIST_SEPARATOR = "; "
# Digits and decimal places in a Parquet file: readers support no more digits, and no form has more
# decimal places.
DECIMAL_DIGITS, DECIMAL_PLACES = 38, 12
_LEAST, _DECIMALS = Decimal(1).scaleb(-DECIMAL_PLACES), Context(prec=DECIMAL_DIGITS)
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class Progress(Struct, omit_defaults=True):
    """A control record; `records` counts the records so far, also those before a cursor.

    The last record sets `complete`: true, or false with the reason.
    """

    records: int
    complete: bool | None = None
    cursor: str = ""
    error: str = ""


class Writer(Protocol):
    """Writes records as bytes of the type `media_type`.

    `resumable` is true if a truncated file can be read as far as it goes.
    """

    media_type: str
    resumable: bool

    def begin(self) -> bytes:
        """Write the bytes before the first record."""

    def write(self, records: Sequence[Any]) -> bytes:
        """Write records; some bytes may be held back until later."""

    def note(self, progress: Progress) -> bytes:
        """Write a control record; nothing follows one that sets `complete`."""


class JsonLines:
    """Writes a JSON object on each line."""

    media_type = JSON_LINES
    resumable = True

    def begin(self) -> bytes:
        return b""

    def write(self, records: Sequence[Any]) -> bytes:
        return _ENCODER.encode_lines(records)

    def note(self, progress: Progress) -> bytes:
        return _ENCODER.encode_lines([progress])


class CommaSeparated:
    """Writes RFC 4180 with all texts quoted, so that lines that begin with `#` are control records.

    A text like a formula gets an apostrophe, unless `raw`. With `for_spreadsheet`, snippets have no
    marks, and a complete file has no control records.
    """

    media_type = "text/csv; charset=utf-8; header=present"
    resumable = True

    def __init__(
        self, columns: Sequence[Column], *, raw: bool = False, for_spreadsheet: bool = False
    ) -> None:
        self._columns = columns
        self._raw = raw
        self._for_spreadsheet = for_spreadsheet

    def begin(self) -> bytes:
        return csv_lines([[column.name for column in self._columns]])

    def write(self, records: Sequence[Any]) -> bytes:
        rows = (
            spreadsheet_rows(records, self._columns)
            if self._for_spreadsheet
            else [[_cell(c.of(record), c) for c in self._columns] for record in records]
        )
        return csv_lines(rows, raw=self._raw)

    def note(self, progress: Progress) -> bytes:
        if self._for_spreadsheet and not progress.error:
            return b""
        return b"#" + _ENCODER.encode(progress) + b"\r\n"


def spreadsheet_rows(records: Sequence[Any], columns: Sequence[Column]) -> list[list[Any]]:
    """Return the cells of records for people, with snippets without marks."""
    return [
        [_readable_cell(_cell(column.of(record), column), column) for column in columns]
        for record in records
    ]


def _readable_cell(cell: Any, column: Column) -> Any:
    if column.name == "snippet":
        return plain_snippet(cell)
    return (
        date.fromisoformat(cell)
        if column.kind == "day" and isinstance(cell, str) and cell
        else cell
    )


def _cell(value: Any, column: Column) -> Any:
    if value is None:
        return ""
    if column.kind == "json":
        return _ENCODER.encode(value).decode()
    if column.kind == "texts":
        return _LIST_SEPARATOR.join(map(_text, value))
    return _text(value) if column.kind == "flag" else value


def _text(value: Any) -> str:
    """Return a list's item as text; "" for None, so that parallel lists stay aligned."""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)


# Rows of a workbook, at most: more would take minutes to write, and nobody reads as many.
MOST_IN_A_WORKBOOK = 50_000


class WorkbookFile:
    """Writes an Excel workbook with one sheet; all bytes come at the end."""

    media_type = XLSX
    resumable = False

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._sheet = RowsWorkbook([column.name for column in columns])

    def begin(self) -> bytes:
        return b""

    def write(self, records: Sequence[Any]) -> bytes:
        rows = spreadsheet_rows(records, self._columns)
        if self._sheet.rows + len(rows) > MOST_IN_A_WORKBOOK:
            raise BadRequest(too_many_for_a_workbook("more"))
        self._sheet.write(rows)
        return b""

    def note(self, progress: Progress) -> bytes:
        return self._sheet.close() if progress.complete is not None else b""


def too_many_for_a_workbook(number: object) -> str:
    """Return the error message for a workbook with this many records."""
    return f"`format=xlsx` has at most {MOST_IN_A_WORKBOOK:,} records, not {number}; take csv"


# Records of a row group, which is kept in memory until it is written. Readers prefer large ones.
_GROUP = 5_000


class ParquetFile:
    """Writes a Parquet file, one row group at a time."""

    media_type = "application/vnd.apache.parquet"
    resumable = False

    def __init__(self, columns: Sequence[Column]) -> None:
        # Loaded here: it takes a second and 40 MB, which only workers with Parquet exports need.
        import pyarrow
        import pyarrow.parquet

        self._arrow = pyarrow
        self._columns = columns
        types = {
            "text": pyarrow.string(),
            "texts": pyarrow.list_(pyarrow.string()),
            "day": pyarrow.date32(),
            "number": pyarrow.float64(),
            "count": pyarrow.int64(),
            "flag": pyarrow.bool_(),
            "decimal": pyarrow.decimal128(DECIMAL_DIGITS, DECIMAL_PLACES),
            "json": pyarrow.string(),
        }
        self._schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns])
        self._sink = _Sink()
        self._file = pyarrow.parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._kept: list[list[Any]] = [[] for _ in columns]

    def begin(self) -> bytes:
        return self._sink.taken()

    def write(self, records: Sequence[Any]) -> bytes:
        for values, column in zip(self._kept, self._columns, strict=True):
            values += [_value(column.of(record), column) for record in records]
        if len(self._kept[0]) >= _GROUP:
            self._write_group()
        return self._sink.taken()

    def note(self, progress: Progress) -> bytes:
        if progress.complete:
            self._write_group()
            self._file.add_key_value_metadata({"records": str(progress.records)})
            self._file.close()
        return self._sink.taken()

    def _write_group(self) -> None:
        if self._kept[0]:
            arrays = [
                self._arrow.array(values, field.type)
                for values, field in zip(self._kept, self._schema, strict=True)
            ]
            self._file.write_table(self._arrow.table(arrays, schema=self._schema))
            self._kept = [[] for _ in self._columns]


class _Sink(io.RawIOBase):
    """Collects the bytes that pyarrow writes."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._chunks.append(bytes(data))
        self._length += len(self._chunks[-1])
        return len(self._chunks[-1])

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        data = b"".join(self._chunks)
        self._chunks.clear()
        return data


def has_parquet() -> bool:
    """Return True if pyarrow is installed."""
    return importlib.util.find_spec("pyarrow") is not None


def require_parquet() -> None:
    """Raise BadRequest if pyarrow is not installed."""
    if not has_parquet():
        raise BadRequest(
            "format: parquet is not installed here; the operator's next step is"
            " `pip install 'edgar-search[parquet]'`; jsonl and csv are possible"
        )


def _parquet_decimal(value: Decimal) -> Decimal | None:
    """Round to Parquet's decimal places; None if too many digits precede the point."""
    # One digit less, which rounding up may need.
    if value.adjusted() >= DECIMAL_DIGITS - DECIMAL_PLACES - 1:
        return None
    return value.quantize(_LEAST, context=_DECIMALS)


def _value(value: Any, column: Column) -> Any:
    if value is None:
        return None
    if column.kind == "decimal":
        return _parquet_decimal(value)
    if column.kind == "day":
        return value if isinstance(value, date) else date.fromisoformat(value)
    return _ENCODER.encode(value).decode() if column.kind == "json" else value
