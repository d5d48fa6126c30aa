"""The archive in an object store: the only module that uses obstore."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, Self

from obstore import exceptions
from obstore.store import from_url

from edgar_search.archive.store import ListedFile
from edgar_search.errors import ArchiveRefuses, ArchiveUnavailable, SettingsError

if TYPE_CHECKING:
    from obstore.store import ObjectStore as Client

# The size of a request: it ends within the library's 30 s even on a slow line, a slow reader keeps
# none open, and nearly all members need only one.
PIECE_BYTES = 4_194_304
# Larger files are sent in parts, for the same reason; they appear once the last part is sent.
_SINGLE_PUT_BYTES = 16_777_216
# S3 allows ten thousand parts, here 80 GB; a few parts are in memory at once.
_PART_BYTES = 8_388_608
_PARTS_AT_ONCE = 3
# An unavailable store fails after about two seconds: the service answers, and a load ends.
_RETRIES = 4
_RETRY_SECONDS = 10.0
_STATUS = re.compile(r"status code: ([0-9]{3})")
_NO_BUCKET = re.compile("NoSuchBucket|ContainerNotFound|bucket does not exist", re.IGNORECASE)
_NO_RANGE = re.compile("status code: 416|Invalid range")


class _NoSuchRange(Exception):
    """The file ends before the requested bytes."""


class ObjectStore:
    """An ArchiveStore in an object store, by a client of the library; messages show `url`."""

    def __init__(self, client: "Client", url: str) -> None:
        self._client = client
        self._url = url

    @classmethod
    def at(cls, url: str) -> Self:
        """Open the store at an address; the library reads its credentials from the environment.

        Raises SettingsError if its environment variables are unusable.
        """
        retries = timedelta(seconds=_RETRY_SECONDS)
        try:
            client = from_url(url, retry_config={"max_retries": _RETRIES, "retry_timeout": retries})
        except (exceptions.BaseError, ValueError):
            # The library's text may quote the variables.
            raise SettingsError(
                f"EDGAR_SEARCH_ARCHIVE_URL: {url} cannot be used; its variables are missing or "
                "wrong, see docs/settings.md"
            ) from None
        return cls(client, url)

    def pieces(self, path: str, offset: int, length: int) -> Iterator[bytes]:
        """Yield these bytes of a file, requesting one piece after the other."""
        while length > 0:
            requested = min(length, PIECE_BYTES)
            try:
                with self._translate(path):
                    piece = bytes(self._client.get_range(path, start=offset, length=requested))
            except _NoSuchRange:
                return
            yield piece
            if len(piece) < requested:
                return
            offset, length = offset + requested, length - requested

    def put(self, path: str, content: Iterable[bytes], *, replace: bool) -> bool:
        """Write a file, which appears once it is complete.

        A failure while sending parts leaves parts behind, which the store's own rules remove.
        """
        pieces = iter(content)
        beginning = _beginning(pieces)
        try:
            with self._translate(None):
                if len(beginning) > _SINGLE_PUT_BYTES:
                    # Parts cannot be sent conditionally, but another writer of this path would
                    # write the same content.
                    self._client.put(
                        path,
                        chain([beginning], pieces),
                        use_multipart=True,
                        chunk_size=_PART_BYTES,
                        max_concurrency=_PARTS_AT_ONCE,
                    )
                elif replace:
                    self._client.put(path, beginning, use_multipart=False)
                else:
                    self._client.put(path, beginning, mode="create", use_multipart=False)
        except exceptions.AlreadyExistsError:
            return False
        return True

    def below(self, start: str) -> Iterator[ListedFile]:
        """Yield the files whose paths begin with `start`, by path."""
        folder = start.rpartition("/")[0] or None
        # The listing begins after the offset, which must be one character shorter.
        offset = start[:-1] if start and not start.endswith("/") else None
        with self._translate(None):
            for chunk in self._client.list(folder, offset=offset, chunk_size=1000):
                for entry in chunk:
                    if entry["path"].startswith(start):
                        modified = entry["last_modified"].timestamp()
                        yield ListedFile(entry["path"], int(modified * 1_000_000) * 1_000)
                    elif entry["path"] > start:
                        return

    def delete_all(self, start: str) -> int:
        """Delete the files whose paths begin with `start`; files already gone are not an error."""
        paths = [file.path for file in self.below(start)]
        for path in paths:
            with suppress(FileNotFoundError), self._translate(path):
                self._client.delete(path)
        return len(paths)

    @contextmanager
    def _translate(self, path: str | None) -> Iterator[None]:
        """Translate the library's errors, to FileNotFoundError if `path` is missing."""
        try:
            yield
        except exceptions.AlreadyExistsError:
            raise
        except (FileNotFoundError, exceptions.BaseError) as error:
            raise self._error(error, path) from None

    def _error(self, error: Exception, path: str | None) -> Exception:
        text = str(error)
        if _NO_BUCKET.search(text) or (path is None and isinstance(error, FileNotFoundError)):
            return ArchiveRefuses(f"{self._url}: there is no such bucket or container")
        if isinstance(error, FileNotFoundError):
            return FileNotFoundError(f"{path} is not in the archive {self._url}")
        if _NO_RANGE.search(text):
            return _NoSuchRange()
        found = _STATUS.search(text)
        status = int(found.group(1)) if found else 500
        denied = (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError)
        if isinstance(error, denied) or (status < 500 and status not in (408, 429)):
            reason = f" with status {status}" if found else ""
            return ArchiveRefuses(
                f"{self._url}: the store refused a request{reason}; check its credentials,"
                f" permissions and region"
            )
        return ArchiveUnavailable(
            f"{self._url}: the store gave no usable answer, or no credentials are set for it"
        )


def _beginning(pieces: Iterator[bytes]) -> bytes:
    """Take all pieces, unless they are too many for a single request."""
    taken_pieces: list[bytes] = []
    size = 0
    while size <= _SINGLE_PUT_BYTES and (piece := next(pieces, None)) is not None:
        taken_pieces.append(piece)
        size += len(piece)
    return b"".join(taken_pieces)
