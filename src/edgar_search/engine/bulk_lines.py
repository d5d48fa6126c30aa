"""Operations of bulk requests as lines of NDJSON, written and read side by side; pure.

Elasticsearch compares and writes in one step. It refuses an operation with a version (409) if the
document has a later one, even if it has been deleted since. It refuses a guarded operation if
anyone has written the document since it was read.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from edgar_search.engine.replies import Stored

T = TypeVar("T")


def chunks(
    items: Iterable[T],
    most: int | None = None,
    *,
    size: Callable[[T], int] = lambda item: 0,
    most_size: int = 0,
) -> Iterator[list[T]]:
    """Split items, in order, into lists of at most `most` items whose sizes add up to `most_size`.

    If `most` is None, only the size is limited. An item above `most_size` gets a list of its own.
    """
    chunk: list[T] = []
    total = 0
    for item in items:
        length = size(item)
        if chunk and (len(chunk) == most or total + length > most_size):
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += length
    if chunk:
        yield chunk


_DELETE = "delete"


def line(value: Any) -> bytes:
    """Return a value as a line of NDJSON."""
    return msgspec.json.encode(value) + b"\n"


def index(alias: str, key: str, document: Any, version: int | None = None) -> bytes:
    """Return the lines that store a document under its id, replacing any older one."""
    return _action("index", alias, key, _version_condition(version)) + line(document)


def create(alias: str, key: str, document: Any) -> bytes:
    """Return the lines that store a new document; refused (409) if the id is taken."""
    return _action("create", alias, key, {}) + line(document)


def delete(alias: str, key: str, version: int | None = None) -> bytes:
    """Return the line that deletes a document by its id."""
    return _action(_DELETE, alias, key, _version_condition(version))


def guarded_index(alias: str, stored: Stored[Any], document: Any) -> bytes:
    """Return the lines that replace the document that was read."""
    return _action("index", alias, stored.id, _guard_condition(stored)) + line(document)


def guarded_delete(alias: str, stored: Stored[Any]) -> bytes:
    """Return the line that deletes the document that was read."""
    return _action(_DELETE, alias, stored.id, _guard_condition(stored))


def with_version(operations: bytes, old: int, new: int) -> bytes:
    """Return the same operations with another version.

    JSON escapes quotes inside a text, so only action lines match the pattern.
    """
    return operations.replace(_version_mark(old), _version_mark(new))


def bodies(operations: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join operations to request bodies of at most `size` bytes.

    An operation that is larger gets a body of its own.
    """
    return map(b"".join, chunks(operations, size=len, most_size=size))


def operations_in(body: bytes) -> list[bytes]:
    """Split a body into its operations, each with all its lines."""
    lines = body.splitlines(keepends=True)
    operations = []
    place = 0
    while place < len(lines):
        length = 1 if lines[place].startswith(b'{"%b"' % _DELETE.encode()) else 2
        operations.append(b"".join(lines[place : place + length]))
        place += length
    return operations


def key_of(operation: bytes) -> str:
    """Return the id of the document that an operation writes; its first line is enough."""
    (target,) = msgspec.json.decode(operation.partition(b"\n")[0]).values()
    return str(target["_id"])


def _action(name: str, alias: str, key: str, condition: dict[str, Any]) -> bytes:
    return line({name: {"_index": alias, "_id": key, **condition}})


def _version_condition(version: int | None) -> dict[str, Any]:
    # Elasticsearch remembers the version of a deleted document for a while.
    return {} if version is None else {"version": version, "version_type": "external_gte"}


def _version_mark(version: int) -> bytes:
    return b'"version":%d,"version_type":"external_gte"' % version


def _guard_condition(stored: Stored[Any]) -> dict[str, Any]:
    return {"if_seq_no": stored.seq_no, "if_primary_term": stored.primary_term}
