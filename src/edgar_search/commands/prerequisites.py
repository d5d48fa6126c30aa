"""Checks that need no packages: of the filings to load, the home folder and the port.

`make run` runs this file before it installs anything, and `edgar-search run` repeats the checks
before it starts anything. Therefore only Python's own modules are imported.
"""

import argparse
import errno
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edgar_search.errors import SettingsError
from edgar_search.web.listening import refuse_unbindable

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8000
MAX_PORT = 65_535
_KINDS = (
    "complete submissions as EDGAR publishes them (.txt, .nc), plain, compressed or in archives"
)


def port_number(text: str) -> int:
    """Parse a TCP port; 0 lets the system choose."""
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port from 0 to {MAX_PORT}")
    return int(text)


def refuse_unloadable(path: Path) -> None:
    """Raise SettingsError if there are no files to load."""
    if not path.exists():
        raise SettingsError(f"INPUT: {path}: no such file or folder; give one with {_KINDS}")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise SettingsError(f"INPUT: {path}: this user may not read it")
    if path.is_dir() and not any(files for _, _, files in os.walk(path)):
        raise SettingsError(f"INPUT: {path}: has no files; give a folder with {_KINDS}")


def refuse_without_contact(contact: str | None) -> None:
    """Raise SettingsError if requests to EDGAR would not name a contact."""
    if not contact:
        raise SettingsError(
            "COMPANY needs EDGAR_SEARCH_CONTACT: EDGAR asks who fetches; give a name and an e-mail"
            " address, such as EDGAR_SEARCH_CONTACT='Example Ltd admin@example.com'"
        )


def refuse_taken(host: str, port: int) -> None:
    """Raise SettingsError, which names the option of `make run`, if the port is taken."""
    try:
        refuse_unbindable(host, port)
    except SettingsError as error:
        raise SettingsError(f"{error} (`make run PORT={port % MAX_PORT + 1}`)") from None


@contextmanager
def only_run(home: Path, address: str) -> Iterator[None]:
    """Lock a home folder for one `run`, which serves at `address`.

    Raises SettingsError if another `run` holds the lock, or if the folder is not writable.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        file = (home / "run.lock").open("a+")
    except OSError as error:
        raise SettingsError(
            f"EDGAR_SEARCH_HOME: {home} cannot be written: {error.strerror};"
            " set it to a folder of this user"
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            file.seek(0)
            raise SettingsError(
                f"the home {home} is in use by another run, {file.read().strip()}: use that one,"
                f" stop it with Ctrl-C, or set EDGAR_SEARCH_HOME to another folder"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} at {address}\n")
        file.flush()
        yield


def address_of(host: str, port: int) -> str:
    """Return the URL of a service on this host and port."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def main() -> int:
    """Run the checks of `make run`; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--port", type=port_number, default=DEFAULT_PORT)
    parser.add_argument("--company")
    parser.add_argument("input", nargs="?", type=Path)
    options = parser.parse_args()
    home = Path(os.environ.get("EDGAR_SEARCH_HOME") or ".edgar").expanduser().resolve()
    try:
        if options.input is not None:
            refuse_unloadable(options.input)
        if options.company is not None:
            refuse_without_contact(os.environ.get("EDGAR_SEARCH_CONTACT"))
        with only_run(home, address_of(DEFAULT_HOST, options.port)):
            refuse_taken(DEFAULT_HOST, options.port)
    except SettingsError as error:
        print(f"make run: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
