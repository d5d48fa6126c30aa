"""Submissions as received, kept compressed and never changed.

A submission is one gzip file of several members, one for its header and one for each document, so
that one document can be read without the rest and any gunzip reads the whole. In the archive, a
folder or an object store, the files lie at
`<first 10 digits>/<yy>/<accession number>.<first 16 hex digits of the SHA-256>.gz`.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from edgar_search.archive.members import Member, Packed, members_in
from edgar_search.archive.store import ArchiveStore, ListedFile
from edgar_search.edgar.content import Content
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, is_accession_number

_NAME = re.compile(ACCESSION_NUMBER + r"\.[0-9a-f]{16}\.gz")
# More than any file has.
_WHOLE = 1 << 62


class ArchivedSubmission(Struct, frozen=True):
    """Where a submission is: `path` is relative to the archive, members are in order."""

    path: str
    members: list[Member]


def write(
    store: ArchiveStore,
    accession_number: str,
    sha256: str,
    data: Content,
    member_starts: Iterable[int],
) -> ArchivedSubmission:
    """Keep `data`, whose SHA-256 in hex is `sha256`, with a member at 0 and at each start.

    After the return the file survives a crash of the machine. A file that is there already stays
    as it is unless it is damaged. Raises as the store does, ValueError for what is no accession
    number.
    """
    path = _relative(accession_number, sha256)
    try:
        members = members_in(store.pieces(path, 0, _WHOLE), len(data))
        there = True
    except FileNotFoundError:
        members, there = None, False
    if members is None:
        packed = Packed(data, member_starts)
        if not store.put(path, packed, replace=there):
            # Another process has just written it, perhaps with other members.
            return write(store, accession_number, sha256, data, member_starts)
        members = packed.members
    return ArchivedSubmission(path, members)


def versions(store: ArchiveStore, accession_number: str) -> list[str]:
    """Return the paths of all versions of a submission, the first received first."""
    found = store.below(_versions_start(accession_number))
    return [kept.path for kept in in_order(found)]


def in_order(found: Iterable[ListedFile]) -> list[ListedFile]:
    """The archive's own files of a listing by accession number, then as they were received."""
    return sorted(
        (kept for kept in found if is_archived(_name(kept.path))),
        key=lambda kept: (_stem(kept.path), kept.modified, kept.path),
    )


def is_archived(name: str) -> bool:
    """Whether a file's name is one that this archive gives."""
    return _NAME.fullmatch(name) is not None


def remove_all(store: ArchiveStore, accession_number: str) -> int:
    """Delete every version of a submission; their number."""
    return store.delete_all(_versions_start(accession_number))


def _relative(accession_number: str, sha256: str) -> str:
    return f"{_versions_start(accession_number)}{sha256[:16]}.gz"


def _versions_start(accession_number: str) -> str:
    """What the paths of all versions of a submission begin with, and no others."""
    if not is_accession_number(accession_number):
        raise ValueError(f"{accession_number!r} is no accession number")
    return f"{accession_number[:10]}/{accession_number[11:13]}/{accession_number}."


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    """A path without the hash."""
    return path.rpartition("/")[0] + "/" + _name(path).partition(".")[0]
