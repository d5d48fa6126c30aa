"""Folders and files of the embedded engine, and who owns them."""

import fcntl
import hashlib
import os
import pwd
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings

Report = Callable[[str], None]  # receives a line for a person

OPEN_FOLDER = Path("/var/tmp")  # kept when the machine restarts, unlike /tmp
ENGINE_ACCOUNT = "nobody"  # Elasticsearch refuses to run as root


class State(msgspec.Struct, frozen=True):
    """The state that is kept between commands.

    `version` is the engine that was started last, `data_version` the last one that became ready and
    so wrote the data.
    """

    folder: str
    port: int
    version: str
    data_version: str | None = None


class EngineFolders(msgspec.Struct, frozen=True):
    """The engine's files, all below `folder`."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def temp(self) -> Path:
        return self.folder / "tmp"

    @property
    def snapshots(self) -> Path:
        return self.folder / "snapshots"

    @property
    def log(self) -> Path:
        """The file of the engine's output."""
        return self.folder / "engine.log"

    @property
    def cluster_name(self) -> str:
        """The cluster name of this folder's engine, which tells it from another on its port."""
        return f"edgar-search-{digest(self.folder)}"

    @property
    def account(self) -> tuple[int, int] | None:
        """The user and group that the engine runs as; None for this process's own."""
        if os.geteuid() != 0:
            return None
        if self.data.exists() and self.data.stat().st_uid != 0:
            # The engine first ran for a user, and now for root: the data stay the user's.
            return self.data.stat().st_uid, self.data.stat().st_gid
        entry = pwd.getpwnam(ENGINE_ACCOUNT)
        return entry.pw_uid, entry.pw_gid


def digest(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]


def control_folder(settings: Settings) -> Path:
    """Return the folder of the state file and the lock; always below the home."""
    return settings.absolute_home / "engine"


def find(settings: Settings) -> EngineFolders:
    """Return the engine's folders without making them; the recorded ones if they still exist.

    They are in the home, or outside it if the engine's account cannot enter the home.
    """
    inside = EngineFolders(control_folder(settings))
    outside = EngineFolders(OPEN_FOLDER / f"edgar-search-{digest(settings.absolute_home)}")
    state = read_state(settings)
    # A copied home records the engine of the original, which is not its own.
    for where in (inside, outside):
        if state is not None and state.folder == str(where.folder) and where.folder.is_dir():
            return where
    return inside if can_enter(inside.folder, inside.account) else outside


def has_data(settings: Settings) -> bool:
    """Return True if an engine has written data here, which a newer one would have to read."""
    return (find(settings).data / "_state").exists()


def prepare(settings: Settings) -> EngineFolders:
    """Make the engine's folders, owned by the account that it runs as.

    Raises SettingsError if another user owns the folder outside the home.
    """
    where = find(settings)
    if where.folder != control_folder(settings):
        where.folder.mkdir(mode=0o755, exist_ok=True)
        _refuse_foreign(where.folder)
        where.folder.chmod(0o755)  # whatever the umask: the engine's account has to enter
    shutil.rmtree(where.temp, ignore_errors=True)
    account = where.account
    for folder in (where.data, where.logs, where.temp, where.snapshots):
        if not folder.exists():
            folder.mkdir(mode=0o700)
            give(folder, account)
    return where


def make_open(folder: Path) -> None:
    """Make `folder` if it is missing, and let every account enter it, whatever the umask."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)


def let_read(top: Path) -> None:
    """Let every account read all files below `top`, and run the ones their owner may run."""
    for path in (top, *top.rglob("*")):
        if not path.is_symlink():
            runs = 0o111 if path.stat().st_mode & stat.S_IXUSR else 0
            path.chmod(0o644 | runs)


def give(path: Path, account: tuple[int, int] | None) -> None:
    if account is not None:
        os.chown(path, *account, follow_symlinks=False)


def can_enter(folder: Path, account: tuple[int, int] | None) -> bool:
    """Return True if `account` may enter every folder of the path; None is this process itself."""
    if account is None:
        return True
    return all(_may_enter(step, account[0]) for step in (folder, *folder.parents) if step.exists())


def _may_enter(folder: Path, user: int) -> bool:
    status = folder.stat()
    bit = stat.S_IXUSR if status.st_uid == user else stat.S_IXOTH
    return bool(status.st_mode & bit)


def _refuse_foreign(folder: Path) -> None:
    # In a world-writable folder, anyone may have made a folder of this name.
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid())
    if not ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SettingsError(
            f"{folder} belongs to another user: set EDGAR_SEARCH_HOME to a folder that every"
            f" user may enter"
        )


def read_state(settings: Settings) -> State | None:
    """Return the state of this home's engine, or None if it cannot be read."""
    try:
        return msgspec.json.decode(
            (control_folder(settings) / "state.json").read_bytes(), type=State
        )
    except (OSError, msgspec.DecodeError):
        return None


def write_state(settings: Settings, state: State) -> None:
    target = control_folder(settings) / "state.json"
    fresh = target.with_suffix(".new")
    fresh.write_bytes(msgspec.json.encode(state))
    fresh.replace(target)


@contextmanager
def locked(folder: Path, report: Report) -> Iterator[None]:
    """Hold the lock of `folder`, waiting for other processes; makes the folder if it is missing."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("another process is busy with the embedded engine; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
