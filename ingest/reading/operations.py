"""What a load writes, as operations of bulk requests; pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from edgar_search.engine import bulk_lines
from edgar_search.engine.index_names import WHOLE, Kind, write_alias
from edgar_search.engine.replies import Stored

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
    """What stores a document under its id, whatever is there.

    With an `epoch` it is refused (409) where a load with a later one has written the document.
    """
    return bulk_lines.index(write_alias(prefix, kind, partition), key, document, epoch)


def guarded_operation(
    kind: Kind, prefix: str, key: str, document: Struct, stored: Stored[Any] | None
) -> bytes:
    """The same for a kind of one index, refused (409) where a concurrent write came first.

    `stored` is what was read under that id; None and what was not found are not there yet.
    """
    alias = write_alias(prefix, kind, WHOLE)
    if stored is None or not stored.found:
        return bulk_lines.create(alias, key, document)
    return bulk_lines.guarded_index(alias, stored, document)


def deletion(kind: Kind, prefix: str, partition: str, key: str, epoch: int | None = None) -> bytes:
    """What deletes a document by its id; with an `epoch` as in `operation`."""
    return bulk_lines.delete(write_alias(prefix, kind, partition), key, epoch)


def redated(operations: bytes, at: datetime, times: Mapping[str, datetime]) -> bytes:
    """Operations that store documents `loaded_at` a time, with other times for some ids."""
    lines = operations.splitlines(keepends=True)
    for place in range(0, len(lines), 2):
        key = bulk_lines.key_of(lines[place])
        if key in times:
            # Inside of a text its quotes would be escaped.
            old, new = _loaded_at(at), _loaded_at(times[key])
            lines[place + 1] = lines[place + 1].replace(old, new)
    return b"".join(lines)


def _loaded_at(moment: datetime) -> bytes:
    return b'"loaded_at":' + msgspec.json.encode(moment)
