"""Stores for the archive's files, and the store in a folder.

A file is named by the hash of its content, so it never changes; it is complete or does not exist.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol


class ListedFile(NamedTuple):
    """A file's path in the archive, and when it was written (nanoseconds since 1970)."""

    path: str
    modified: int


class ArchiveStore(Protocol):
    """A store of files; its calls block, so an event loop must call it in a thread.

    Threads may use one store together. Paths are relative, with `/`. Each call raises OSError if a
    folder's disk fails, ArchiveUnavailable if an object store fails, and FileNotFoundError if a
    file does not exist.
    """

    def pieces(self, path: str, offset: int, length: int) -> Iterator[bytes]:
        """Yield these bytes of a file and read no others; fewer if the file ends before."""
        ...

    def put(self, path: str, content: Iterable[bytes], *, replace: bool) -> bool:
        """Write a file from pieces; False if it exists and `replace` is false.

        Once this returns, the file survives a crash. Readers never see it incomplete.
        """
        ...

    def below(self, start: str) -> Iterator[ListedFile]:
        """Yield the files whose paths begin with `start`, by path."""
        ...

    def delete_all(self, start: str) -> int:
        """Delete the files whose paths begin with `start`, and their unfinished parts."""
        ...


# The largest piece in which a file is read.
_PIECE_BYTES = 65_536


class ArchiveFolder:
    """An ArchiveStore in a folder, which is created by the first write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pieces(self, path: str, offset: int, length: int) -> Iterator[bytes]:
        """Yield these bytes of a file."""
        with (self._folder / path).open("rb") as file:
            file.seek(offset)
            while piece := file.read(min(length, _PIECE_BYTES)):
                length -= len(piece)
                yield piece

    def put(self, path: str, content: Iterable[bytes], *, replace: bool) -> bool:
        """Write a temporary file, sync it to disk, and rename it."""
        return _write_durably(self._folder / path, content, replace)

    def below(self, start: str) -> Iterator[ListedFile]:
        """Yield the files whose paths begin with `start`, by path."""
        for path in sorted(self._paths(start)):
            modified = (self._folder / path).stat().st_mtime_ns
            yield ListedFile(path, modified)

    def delete_all(self, start: str) -> int:
        """Delete the files whose paths begin with `start`, and unfinished ones."""
        paths = self._paths(start)
        parent, _, name = start.rpartition("/")
        left_over = (self._folder / parent).glob(f".{name}*")
        for path in (*(self._folder / path for path in paths), *left_over):
            path.unlink(missing_ok=True)
        return len(paths)

    def _paths(self, start: str) -> list[str]:
        found = []
        for parent, folders, names in os.walk(self._folder / start.rpartition("/")[0]):
            folders[:] = [name for name in folders if not name.startswith(".")]
            inside = Path(parent).relative_to(self._folder)
            paths = [(inside / name).as_posix() for name in names if not name.startswith(".")]
            found += [path for path in paths if path.startswith(start)]
        return found


def _write_durably(path: Path, content: Iterable[bytes], replace: bool) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A fixed name, so that the next writer overwrites what a killed process has left.
    temporary = path.parent / f".{path.name}.partial"
    with os.fdopen(_open_locked(temporary), "wb") as file:
        try:
            if not replace and path.exists():
                temporary.unlink()
                return False
            file.truncate()
            file.writelines(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True


def _open_locked(path: Path) -> int:
    """Open and lock a file; if it is renamed before the lock, open the new file of this name."""
    while True:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.exists(path) and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
