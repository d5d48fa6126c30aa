"""Owners of claims in the ledger: a load's name, by which others see whether it still runs.

A load holds a lock on a file of its name in `<home>/loads/`. The system releases the lock when the
process ends, however it ends. A name without a file belongs to another home or another machine.
"""

import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Literal, Self

from filelock import lock_descriptor

from edgar_search.errors import SettingsError

# The file of a killed load is needed as long as its name may be in the ledger.
_KEPT_SECONDS = 30 * 86_400

_SPOOL = ".spool"

Running = Literal["yes", "no", "unknown"]


class Owner:
    """A running load; as a context it holds its lock.

    Raises SettingsError if the home is not writable.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / "loads"
        self.name = secrets.token_hex(8)
        self._lock: int | None = None
        self._released = False

    def __enter__(self) -> Self:
        self.hold()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.release(ended_well=kind is None)

    @property
    def spool(self) -> Path:
        """The folder for large outcomes of workers; it is deleted with the load."""
        return self._folder / f"{self.name}{_SPOOL}"

    def hold(self) -> None:
        """Take the lock, under a new name if the last one was released."""
        if self._lock is not None:
            return
        if self._released:
            self.name = secrets.token_hex(8)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._remove_old_files()
            path = self._folder / self.name
            self._lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            name = error.strerror or str(error)
            raise SettingsError(
                f"{self._folder}: cannot be written: {name}; EDGAR_SEARCH_HOME must be a folder"
                " that the load may write to"
            ) from None
        lock_descriptor(self._lock)

    def release(self, *, ended_well: bool) -> None:
        """Release the lock, so that others see that the load is over."""
        if self._lock is None:
            return
        os.close(self._lock)
        self._lock, self._released = None, True
        shutil.rmtree(self.spool, ignore_errors=True)
        if ended_well:
            # After a failure the name may still be in the ledger; the file shows that the load is
            # over.
            (self._folder / self.name).unlink(missing_ok=True)

    def running(self, name: str) -> Running:
        """Return whether the load of this name still runs."""
        try:
            handle = os.open(self._folder / name, os.O_RDWR)
        except FileNotFoundError:
            return "unknown"
        try:
            return "no" if lock_descriptor(handle, blocking=False) else "yes"
        finally:
            os.close(handle)

    @classmethod
    def held(cls, home: Path) -> list[Path]:
        """Return the lock files that loads of this home currently hold."""
        owner = cls(home)
        names = os.listdir(owner._folder) if owner._folder.is_dir() else []
        return [
            owner._folder / name
            for name in sorted(names)
            if not name.endswith(_SPOOL) and owner.running(name) == "yes"
        ]

    def _remove_old_files(self) -> None:
        for path in self._folder.iterdir():
            if path.name.endswith(_SPOOL):
                if self.running(path.name.removesuffix(_SPOOL)) != "yes":
                    shutil.rmtree(path, ignore_errors=True)
                continue
            try:
                if time.time() - path.stat().st_mtime > _KEPT_SECONDS:
                    path.unlink()
            except FileNotFoundError:
                pass  # Another load that has just begun was faster.
