"""Where the archive's files lie: in a folder, or in an object store.

A file is named by the hash of its content, so it never changes; it is whole or not there.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol


class ListedFile(NamedTuple):
    """A file's path in the archive, and when it was written, in nanoseconds since 1970."""

    path: str
    modified: int


class ArchiveStore(Protocol):
    """The calls block, so an event loop makes them in a thread; threads may share a store.

    Paths are relative, with `/`. All raise OSError where a folder's disk fails, ArchiveUnavailable
    where an object store does, FileNotFoundError where a file that is asked for is not there.
    """

    def pieces(self, path: str, offset: int, length: int) -> Iterator[bytes]:
        """These bytes of a file, fewer where it ends before, and no others are read."""
        ...

    def put(self, path: str, content: Iterable[bytes], *, replace: bool) -> bool:
        """Write a file that comes in pieces; False where one is there that shall not be replaced.

        After the return it outlasts a crash. Nobody ever sees a part of it.
        """
        ...

    def below(self, start: str) -> Iterator[ListedFile]:
        """The files whose paths begin with `start`, by path."""
        ...

    def delete_all(self, start: str) -> int:
        """Delete the files whose paths begin with `start`, and what was left over of them."""
        ...
