"""Operations of bulk requests as NDJSON; pure."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.index_names import WHOLE, Kind, write_alias

# Operations travel to the loader in pieces of about this size.
CHUNK_BYTES = 2_000_000


class Revision(NamedTuple):
    """What a stored document must still be for a write to go through; None: not there yet."""

    seq_no: int
    primary_term: int


def operation(kind: Kind, prefix: str, partition: str, key: str, document: Struct) -> bytes:
    """The two NDJSON lines that store a document under its id, whatever is there."""
    target = {"_index": write_alias(prefix, kind, partition), "_id": key}
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


def deletion(kind: Kind, prefix: str, partition: str, key: str) -> bytes:
    """The NDJSON line that deletes a document by its id."""
    return _line({"delete": {"_index": write_alias(prefix, kind, partition), "_id": key}})


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


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"
