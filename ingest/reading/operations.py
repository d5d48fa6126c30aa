"""Operations of bulk requests as NDJSON; pure."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.index_names import WHOLE, Kind, write_alias

# Operations travel to the loader in pieces of about this size.
CHUNK_BYTES = 2_000_000


class Revision(NamedTuple):
    """What a stored document must still be for a write to go through; None: not there yet."""

    seq_no: int
    primary_term: int


def operation(
    kind: Kind,
    prefix: str,
    partition: str,
    key: str,
    document: Struct,
    epoch: int | None = None,
) -> bytes:
    """The two NDJSON lines that store a document under its id, whatever is there.

    With an `epoch` they are refused (409) where a load with a later one has written the document.
    """
    target = _target(kind, prefix, partition, key, epoch)
    return _line({"index": target}) + _line(document)


def guarded_operation(
    kind: Kind, prefix: str, key: str, document: Struct, revision: Revision | None
) -> bytes:
    """The same for a kind of one index, refused (409) where a concurrent write came first."""
    target: dict[str, Any] = {"_index": write_alias(prefix, kind, WHOLE), "_id": key}
    if revision is None:
        return _line({"create": target}) + _line(document)
    target |= {"if_seq_no": revision.seq_no, "if_primary_term": revision.primary_term}
    return _line({"index": target}) + _line(document)


def deletion(kind: Kind, prefix: str, partition: str, key: str, epoch: int | None = None) -> bytes:
    """The NDJSON line that deletes a document by its id; with an `epoch` as in `operation`."""
    return _line({"delete": _target(kind, prefix, partition, key, epoch)})


def copy_operation(alias: str, key: str, source: dict[str, Any], version: int) -> bytes:
    """The two NDJSON lines that store a copy, unless a newer one is there."""
    target = {"_index": alias, "_id": key, "version": version, "version_type": "external_gte"}
    return _line({"index": target}) + _line(source)


def renumbered(operations: bytes, old: int, new: int) -> bytes:
    """The same operations under another epoch.

    Inside a text the quotes of JSON are escaped, so only the lines of actions have the pattern.
    """
    return operations.replace(_epoch_mark(old), _epoch_mark(new))


def chunks(operations: Iterable[bytes], size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Operations joined to pieces of about `size` bytes; one that is larger is a piece alone."""
    pending: list[bytes] = []
    length = 0
    for lines in operations:
        if pending and length + len(lines) > size:
            yield b"".join(pending)
            pending, length = [], 0
        pending.append(lines)
        length += len(lines)
    if pending:
        yield b"".join(pending)


def _target(kind: Kind, prefix: str, partition: str, key: str, epoch: int | None) -> dict[str, Any]:
    target: dict[str, Any] = {"_index": write_alias(prefix, kind, partition), "_id": key}
    if epoch is not None:
        # Elasticsearch compares and writes in one step, and remembers it for deletions too.
        target |= {"version": epoch, "version_type": "external_gte"}
    return target


def _epoch_mark(epoch: int) -> bytes:
    return b'"version":%d,"version_type":"external_gte"' % epoch


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def redated(operations: bytes, at: datetime, times: Mapping[str, datetime]) -> bytes:
    """Operations that store documents `loaded_at` a time, with other times for some ids."""
    lines = operations.splitlines(keepends=True)
    for place in range(0, len(lines), 2):
        ((_, target),) = msgspec.json.decode(lines[place]).items()
        if target["_id"] in times:
            # Inside of a text its quotes would be escaped.
            old, new = _loaded_at(at), _loaded_at(times[target["_id"]])
            lines[place + 1] = lines[place + 1].replace(old, new)
    return b"".join(lines)


def _loaded_at(moment: datetime) -> bytes:
    return b'"loaded_at":' + msgspec.json.encode(moment)
