"""Copies of submissions in files, for as long as somebody needs them."""

import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from ingest.sources.containers import Readable, read_piece
from ingest.sources.disk import writing

_PIECE = 1_000_000
_LOCK = "lock"


class Spool:
    """A folder of copies below `<home>/spool`, made when the first is; removed by `close`.

    A run that was killed leaves its folder behind; the next one removes it. Without a home the
    folder is one of the system's for temporary files.
    """

    def __init__(self, home: Path | None) -> None:
        self._home = home / "spool" if home is not None else None
        self._folder: Path | None = None
        self._lock: BinaryIO | None = None
        self._copies = 0

    def copy(self, content: Readable, limit: int) -> tuple[Path | None, int]:
        """Write all of `content`, or nothing if it has more than `limit` bytes; where, its size.

        Raises EdgarSearchError where the disk takes no more, DamagedContainer as `content` does.
        """
        with writing(self._home):
            path = self._next()
            size = 0
            with path.open("wb") as file:
                while size <= limit and (piece := read_piece(content, _PIECE)):
                    size += file.write(piece)
            if size > limit:
                path.unlink()
        return (path, size) if size <= limit else (None, size)

    def close(self) -> None:
        """Remove all copies."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _next(self) -> Path:
        if self._folder is None:
            if self._home is not None:
                self._home.mkdir(parents=True, exist_ok=True)
                _remove_left_over(self._home)
            self._folder = Path(tempfile.mkdtemp(prefix="run-", dir=self._home))
            self._lock = (self._folder / _LOCK).open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._copies += 1
        return self._folder / f"{self._copies}"


def _remove_left_over(home: Path) -> None:
    """Remove the folders whose runs are no more: nobody holds their lock."""
    for lock in home.glob(f"run-*/{_LOCK}"):
        try:
            with lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # It is held, or another run has just removed it.
        shutil.rmtree(lock.parent, ignore_errors=True)
