"""Exports as Apache Parquet, by pyarrow, which is an extra of this package.

A Parquet file is read from its end, where it says what it holds: one that was cut cannot be read
at all, and so needs no record that says it is complete.
"""

import importlib.util
import io
from collections.abc import Sequence
from datetime import date
from typing import Any

from edgar_search.errors import BadRequest
from edgar_search.web.v1.export.answers import Column
from edgar_search.web.v1.export.formats import Progress

# Records of a row group, which stand in memory until it is written. Readers like them large.
_GROUP = 5_000


class ParquetFile:
    """A Parquet file, written a row group at a time."""

    media_type = "application/vnd.apache.parquet"
    resumable = False

    def __init__(self, columns: Sequence[Column]) -> None:
        # Loading it takes a second and 40 MB, which no worker needs that writes no Parquet.
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
        }
        self._schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns])
        self._sink = _Sink()
        self._file = pyarrow.parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._kept: list[list[Any]] = [[] for _ in columns]

    def begin(self) -> bytes:
        return self._sink.taken()

    def write(self, records: Sequence[Any]) -> bytes:
        for values, column in zip(self._kept, self._columns, strict=True):
            values += [_value(getattr(record, column.name), column) for record in records]
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
    """Where the file is written to: its bytes are taken as they come."""

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
        """What was written since the last time."""
        data = b"".join(self._chunks)
        self._chunks.clear()
        return data


def has_parquet() -> bool:
    """Whether pyarrow is installed."""
    return importlib.util.find_spec("pyarrow") is not None


def require_parquet() -> None:
    """Raise BadRequest where pyarrow is not installed."""
    if not has_parquet():
        raise BadRequest(
            "format: parquet is not installed here; the operator's next step is"
            " `pip install 'edgar-search[parquet]'`; jsonl and csv are possible"
        )


def _value(value: Any, column: Column) -> Any:
    if column.kind == "day":
        return None if value is None else date.fromisoformat(value)
    return value
