"""Stores for the archive's files, and the store in a folder.

A file is named by the hash of its content, so it never changes; it is complete or does not exist.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol


class ListedFile(NamedTuple):
    """A file's path in the archive, and when it was written, in nanoseconds since 1970."""

    path: str
    modified: int


class ArchiveStore(Protocol):
    """A store of files; its calls block, so an event loop makes them in a thread.

    Threads may share a store. Paths are relative, with `/`. All calls raise OSError if a folder's
    disk fails, ArchiveUnavailable if an object store does, FileNotFoundError if a file does not
    exist.
    """

    def pieces(self, path: str, offset: int, length: int) -> Iterator[bytes]:
        """Yield these bytes of a file, fewer if it ends before; no others are read."""
        ...

    def put(self, path: str, content: Iterable[bytes], *, replace: bool) -> bool:
        """Write a file that comes in pieces; False if one exists that must not be replaced.

        After the return it survives a crash. Nobody ever sees a part of it.
        """
        ...

    def below(self, start: str) -> Iterator[ListedFile]:
        """Yield the files whose paths begin with `start`, by path."""
        ...

    def delete_all(self, start: str) -> int:
        """Delete the files whose paths begin with `start`, and their unfinished parts."""
        ...


# The largest piece of a file that is read.
_PIECE_BYTES = 65_536


class ArchiveFolder:
    """An ArchiveStore in a folder, which is made when something is written."""

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
        """Write a file under another name, sync it to the disk, and move it into place."""
        return _write_durably(self._folder / path, content, replace)

    def below(self, start: str) -> Iterator[ListedFile]:
        """Yield the files whose paths begin with `start`, by path."""
        for path in sorted(self._paths(start)):
            modified = (self._folder / path).stat().st_mtime_ns
            yield ListedFile(path, modified)

    def delete_all(self, start: str) -> int:
        """Delete these files, and unfinished ones of killed processes."""
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
    # One name, so that the next writer replaces the rest of a killed process.
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
    """Open and lock a file; if it was moved meanwhile, it is another file, and is opened again."""
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
