"""One process at a time takes daily archives into a home: each would fetch the same gigabytes."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from edgar_search.errors import SettingsError
from ingest.indices.rebuilds import this_process


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the lock on `<home>/edgar/archives`; it goes with the process, however that ends.

    Raises SettingsError, which names the process that holds it and since when.
    """
    path = home / "edgar" / "archives"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise SettingsError(
                f"{file.read(200) or 'another process'} takes daily archives into {home}; fetch"
                " again when it has ended, or one by one (--files)"
            ) from None
        file.truncate(0)
        now = datetime.now(UTC)
        file.write(f"{this_process()}, since {now:%Y-%m-%d %H:%M:%S} UTC,")
        file.flush()
        yield
