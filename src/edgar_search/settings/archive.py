"""What the address of an archive may be; pure."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from edgar_search.errors import SettingsError

_NAME = "EDGAR_SEARCH_ARCHIVE_URL"
# Amazon S3 and what speaks its protocol, Google Cloud Storage, Azure Blob Storage.
OBJECT_STORES = ("s3", "gs", "az")
_KNOWN = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


class ArchivePlace(NamedTuple):
    """Where the archive is: a folder, or the address of an object store without its last `/`."""

    folder: Path | None
    url: str


def archive_place(url: str) -> ArchivePlace:
    """The place of an address; SettingsError, which does not repeat it, where it is of no use."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise SettingsError(f"{_NAME}: is no address; write {_KNOWN}") from None
    if parts.username is not None or parts.password is not None:
        raise SettingsError(
            f"{_NAME}: must not hold a user or password; they belong to the store's own variables"
        )
    if parts.query or parts.fragment or port is not None:
        raise SettingsError(f"{_NAME}: must have no port, query or fragment; write {_KNOWN}")
    if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
        return ArchivePlace(Path(unquote(parts.path)), url)
    plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme in OBJECT_STORES and parts.netloc and plain:
        return ArchivePlace(None, url.rstrip("/"))
    raise SettingsError(f"{_NAME}: is no address of an archive; write {_KNOWN}")
