"""The archive of an installation, opened where its address says."""

from edgar_search.archive.folder import ArchiveFolder
from edgar_search.archive.store import ArchiveStore
from edgar_search.extras import require_package
from edgar_search.settings.archive import ArchivePlace


def open_archive(place: ArchivePlace) -> ArchiveStore:
    """The store of a place, for this process alone: it must not be taken through a fork.

    Raises SettingsError where the object store's own variables are of no use, and as
    `require_store`.
    """
    require_store(place)
    if place.folder is not None:
        return ArchiveFolder(place.folder)
    # Most installations have a folder, and need not pay for the library of an object store.
    from edgar_search.archive.object_store import ObjectStore

    return ObjectStore.at(place.url)


def require_store(place: ArchivePlace) -> None:
    """Raise SettingsError if the library of an object store is needed and not installed."""
    if place.folder is None:
        require_package("obstore", "object-store", f"EDGAR_SEARCH_ARCHIVE_URL: {place.url}")
