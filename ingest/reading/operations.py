"""Bulk operations of a load, in memory or, if there are many, in a file.

This keeps a worker's outcome small on its way to the loader, which holds only the part of a large
submission that it is sending.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from edgar_search.engine import bulk_lines
from edgar_search.engine.bulk_lines import with_version
from edgar_search.engine.index_names import WHOLE, Kind, write_alias
from edgar_search.engine.replies import Stored
from ingest.sources.source import report_write_errors

# Operations travel to the loader in pieces of about this size.
CHUNK_BYTES = 2_000_000


def operation(
    kind: Kind,
    prefix: str,
    partition: str,
    key: str,
    document: Struct,
    epoch: int | None = None,
) -> bytes:
    """Build the operation that stores a document under its id, replacing any other.

    With an `epoch` it is refused (409) if a load with a later one has written the document.
    """
    return bulk_lines.index(write_alias(prefix, kind, partition), key, document, epoch)


def guarded_operation(
    kind: Kind, prefix: str, key: str, document: Struct, stored: Stored[Any] | None
) -> bytes:
    """Build an operation for a kind with one index; it is refused (409) after a concurrent write.

    `stored` is the entry that was read under that id; None or not found if there is none yet.
    """
    alias = write_alias(prefix, kind, WHOLE)
    if stored is None or not stored.found:
        return bulk_lines.create(alias, key, document)
    return bulk_lines.guarded_index(alias, stored, document)


def deletion(kind: Kind, prefix: str, partition: str, key: str, epoch: int | None = None) -> bytes:
    """Build the operation that deletes a document by its id; `epoch` as in `operation`."""
    return bulk_lines.delete(write_alias(prefix, kind, partition), key, epoch)


def rows_key(kind: Kind, document_id: str) -> str:
    """Return the name under which the ledger counts rows of a document; see `parse_rows_key`."""
    return f"{kind} {document_id}"


def parse_rows_key(key: str) -> tuple[Kind, str]:
    """Return the kind and the document; the inverse of `rows_key`."""
    kind, document_id = key.split(" ")
    return cast(Kind, kind), document_id


def replace_load_times(operations: bytes, at: datetime, times: Mapping[str, datetime]) -> bytes:
    """Replace `loaded_at`, now `at`, by other times for some ids."""
    lines = operations.splitlines(keepends=True)
    for place in range(0, len(lines), 2):
        key = bulk_lines.key_of(lines[place])
        if key in times:
            # Inside a text the quotes would be escaped, so this matches only the field.
            old, new = _loaded_at(at), _loaded_at(times[key])
            lines[place + 1] = lines[place + 1].replace(old, new)
    return b"".join(lines)


def _loaded_at(moment: datetime) -> bytes:
    return b'"loaded_at":' + msgspec.json.encode(moment)


# Larger operations go through a file: many submissions may wait for the loader.
SPOOL_BYTES = 4_000_000


class SpooledPieces(Struct, frozen=True):
    """Pieces in a file, one after the other.

    `renumbering` replaces an epoch, `redating` the time of loading for some ids.
    """

    path: str
    sizes: list[int]
    renumbering: tuple[int, int] | None = None
    redating: tuple[datetime, Mapping[str, datetime]] | None = None

    def __iter__(self) -> Iterator[bytes]:
        with open(self.path, "rb") as file:
            for size in self.sizes:
                piece = file.read(size)
                if self.renumbering:
                    piece = with_version(piece, *self.renumbering)
                yield replace_load_times(piece, *self.redating) if self.redating else piece


Pieces = list[bytes] | SpooledPieces


def size(pieces: Pieces) -> int:
    """Return the size of all pieces in bytes."""
    return sum(pieces.sizes) if isinstance(pieces, SpooledPieces) else sum(map(len, pieces))


class OperationCollector:
    """Collects operations, in a file in `folder` if there are many.

    Raises EdgarSearchError if the file cannot be written. Without a folder all stay in memory.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._pieces: list[bytes] = []
        self._sizes: list[int] = []
        self._path: str | None = None

    def add(self, operation: bytes) -> None:
        """Add the lines of one operation."""
        if self._pending and self._pending_bytes + len(operation) > CHUNK_BYTES:
            self._end_piece()
        self._pending.append(operation)
        self._pending_bytes += len(operation)

    def pieces(self) -> Pieces:
        """Return all operations, in pieces of about `CHUNK_BYTES`."""
        if self._pending:
            self._end_piece()
        if self._path is None:
            return self._pieces
        self._spill()
        return SpooledPieces(self._path, self._sizes)

    def _end_piece(self) -> None:
        self._pieces.append(b"".join(self._pending))
        self._sizes.append(len(self._pieces[-1]))
        self._pending, self._pending_bytes = [], 0
        if self._folder is not None and sum(map(len, self._pieces)) > SPOOL_BYTES:
            self._spill()

    def _spill(self) -> None:
        assert self._folder is not None
        with report_write_errors(self._folder):
            if self._path is None:
                os.makedirs(self._folder, exist_ok=True)
                handle, self._path = tempfile.mkstemp(dir=self._folder)
                os.close(handle)
            with open(self._path, "ab") as file:
                file.writelines(self._pieces)
        self._pieces = []


def with_epoch(pieces: Pieces, old: int, new: int) -> Pieces:
    """Return the pieces under another epoch."""
    if isinstance(pieces, SpooledPieces):
        first = pieces.renumbering[0] if pieces.renumbering else old
        return msgspec.structs.replace(pieces, renumbering=(first, new))
    return [with_version(piece, old, new) for piece in pieces]


def with_load_times(pieces: Pieces, at: datetime, times: Mapping[str, datetime]) -> Pieces:
    """Return the pieces with loading times other than `at` for some ids."""
    if isinstance(pieces, SpooledPieces):
        return msgspec.structs.replace(pieces, redating=(at, times))
    return [replace_load_times(piece, at, times) for piece in pieces]


def discard(pieces: Pieces) -> None:
    """Delete the file of pieces after their use."""
    if isinstance(pieces, SpooledPieces):
        Path(pieces.path).unlink(missing_ok=True)
