"""Submissions in files, folders, containers, standard input and the archive, in a stable order."""

import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import BinaryIO, Self

from msgspec import Struct

from edgar_search.archive import archive
from edgar_search.archive.archive import is_archived
from edgar_search.archive.store import ArchiveStore
from edgar_search.edgar.identifiers import accession_number_in
from edgar_search.errors import SettingsError
from ingest.sources.containers import (
    ContainerKind,
    DamagedContainer,
    Member,
    Peekable,
    Readable,
    Spool,
    identify,
    tar_members,
    zip_members,
)
from ingest.sources.source import SUBMISSION_BYTES, Source, printable, too_many_bytes


class FilingFilter(Struct, frozen=True):
    """A filter of filings; a field that is None lets everything pass. Both dates are inclusive.

    Form types are in capitals and match exactly (`10-K` is not `10-K/A`), CIKs have 10 digits.
    """

    forms: frozenset[str] | None = None
    ciks: frozenset[str] | None = None
    from_date: date | None = None
    to_date: date | None = None

    @property
    def everything(self) -> bool:
        """True if nothing is filtered."""
        return self == EVERYTHING

    def takes(self, form_type: str, ciks: Collection[str], filing_date: date) -> bool:
        """Return True if a submission passes; one of its entities is enough."""
        return (
            (self.forms is None or form_type.upper() in self.forms)
            and (self.ciks is None or not self.ciks.isdisjoint(ciks))
            and (self.from_date is None or filing_date >= self.from_date)
            and (self.to_date is None or filing_date <= self.to_date)
        )


EVERYTHING = FilingFilter()


class ArchiveSources:
    """All submissions of a store, or the ones at `paths`, copied to files in `home` one by one.

    They are ordered by accession number; versions of one submission by arrival, as far as the
    store's clock tells, which in S3 counts seconds. `skipped` counts files that are not the
    archive's own. Making and iterating it raise ArchiveUnavailable.
    """

    def __init__(
        self,
        store: ArchiveStore,
        url: str,
        home: Path | None = None,
        limit: int = SUBMISSION_BYTES,
        paths: Sequence[str] | None = None,
    ) -> None:
        self._store = store
        self._limit = limit
        self._url = url
        self._spool = Spool(home)
        self.skipped = 0
        if paths is None:
            everything = list(store.below(""))
            paths = [kept.path for kept in archive.in_order(everything)]
            self.skipped = len(everything) - len(paths)
        self._paths = paths

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def __iter__(self) -> Iterator[Source]:
        for path in self._paths:
            name = f"{self._url}/{path}"
            content = _Content(self._store.pieces(path, 0, self._limit + 1))
            try:
                content.begin()
            except FileNotFoundError:
                continue  # It was deleted after it was listed.
            copy, size = self._spool.copy(content, self._limit)
            if copy is None:
                yield Source(name, name, refusal=too_many_bytes(self._limit))
            else:
                yield Source(str(copy), name, spooled=True, size=size)

    def __len__(self) -> int:
        return len(self._paths)


class _Content:
    """A file in the store, read from its beginning to its end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def begin(self) -> None:
        """Fetch the first piece."""
        self._left = next(self._pieces, b"")

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        left = self._left or next(self._pieces, b"")
        self._left = left[size:]
        return left[:size]


STANDARD_INPUT = "-"
# Suffixes of submissions; suffixes of web pages are included, so that a saved error page is refused
# by name instead of being skipped.
SUBMISSION_SUFFIXES = (".txt", ".nc", ".sgml", ".htm", ".html", ".xml")
CONTAINER_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".zip")
_MAX_NAME = 300  # characters of a member's name that are kept


class Sources:
    """The submissions at the paths given to a command.

    They come in a stable order: the paths as given, a folder's files by name with `.txt` before the
    `.nc` of the same name, a container's members in its own order. Members are copied to files in
    `home`, of at most `limit` bytes; the caller calls `release` after using one, and `close`
    removes the rest. `fetched_at` is when containers came from EDGAR, if they did. `skipped` counts
    the files of folders and containers that are not submissions by their name, of containers as far
    as they have been read, and pipes, sockets and devices in folders, because opening one may wait
    forever. One that is named itself is read like standard input. Raises SettingsError for a path
    that does not exist.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        home: Path | None = None,
        stdin: BinaryIO | None = None,
        limit: int = SUBMISSION_BYTES,
        fetched_at: datetime | None = None,
    ) -> None:
        self.skipped = 0
        self._limit = limit
        self._fetched_at = fetched_at
        self._spool = Spool(home)
        self._stdin = stdin
        self._files: list[tuple[Path, bool]] = []  # and whether it was named itself
        for path in paths:
            if str(path) != STANDARD_INPUT and not path.exists():
                raise SettingsError(f"{path}: no such file or folder")
            inside = self._list_folder(path) if path.is_dir() else [(path, True)]
            self._files += inside
        # Submissions in containers beyond the first, and containers that were not read to their
        # end.
        self._more = 0
        self._unread = sum(_may_be_container(*file) for file in self._files)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove all copies."""
        self._spool.close()

    def __iter__(self) -> Iterator[Source]:
        for path, named in self._files:
            if not _may_be_container(path, named):
                yield Source.of(path)
                continue
            inside = (
                self._from_stream(STANDARD_INPUT, self._stdin or sys.stdin.buffer)
                if str(path) == STANDARD_INPUT
                else self._from_file(path)
            )
            self._more -= 1
            for source in inside:
                self._more += 1
                yield source
            self._unread -= 1

    def __len__(self) -> int:
        """Return the number of submissions known so far; an unread container counts as one."""
        return len(self._files) + self._more

    @property
    def counted(self) -> bool:
        """True if all containers have been read, so that the number of submissions is known."""
        return self._unread == 0

    def _list_folder(self, folder: Path) -> list[tuple[Path, bool]]:
        files = []
        for parent, folders, names in os.walk(folder):
            # A hidden folder is some program's own, not a delivery of filings.
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            wanted = [name for name in names if is_submission_name(name) or is_container_name(name)]
            paths = [path for name in wanted if not _is_special(path := Path(parent, name))]
            self.skipped += len(names) - len(paths)
            files += [(path, False) for path in sorted(paths, key=_sort_key)]
        return files

    def _from_file(self, path: Path) -> Iterator[Source]:
        try:
            file = path.open("rb")
        except OSError:
            yield Source.of(path)  # The worker process finds and reports the same.
            return
        with file:
            if _is_special(path):
                yield from self._from_stream(printable(str(path)), file)
                return
            kind, stream = identify(file)
            if kind in ("zip", "tar"):
                yield from self._members(printable(str(path)), kind, stream, file)
            else:
                yield Source.of(path)

    def _from_stream(self, name: str, stream: BinaryIO) -> Iterator[Source]:
        kind, readable = identify(stream)
        if kind == "tar":
            yield from self._members(name, kind, readable, stream)
            return
        try:
            copy = self._copy_to_spool(name, readable)
        except DamagedContainer as error:
            copy = Source(name, name, refusal=f"cannot be read: {error}")
        if kind == "zip" and copy.refusal is None:
            # The directory of a zip is at its end.
            with open(copy.path, "rb") as file:
                yield from self._members(name, kind, readable, file)
        else:
            yield copy

    def _members(
        self, name: str, kind: ContainerKind, stream: Peekable, file: BinaryIO
    ) -> Iterator[Source]:
        copied = 0
        members = zip_members(file) if kind == "zip" else tar_members(stream)
        try:
            for member in members:
                if is_submission_name(Path(member.name).name):
                    yield self._member(name, kind, member)
                    copied += 1
                else:
                    self.skipped += 1
        except DamagedContainer as error:
            reason = f"the archive is damaged after {copied} submissions: {error}"
            yield Source(name, name, refusal=reason)

    def _member(self, container: str, kind: ContainerKind, member: Member) -> Source:
        name = f"{container}!{_one_line(member.name)}"
        try:
            return self._copy_to_spool(name, member.content)
        except DamagedContainer as error:
            if kind == "tar":
                raise  # The beginning of the next member is unknown too.
            return Source(name, name, refusal=f"the member is damaged: {error}")

    def _copy_to_spool(self, name: str, content: Readable) -> Source:
        copy, size = self._spool.copy(content, self._limit)
        if copy is None:
            return Source(name, name, refusal=too_many_bytes(self._limit))
        return Source(str(copy), name, spooled=True, size=size, fetched_at=self._fetched_at)


def is_submission_name(name: str) -> bool:
    """Return True if a file of this name, perhaps compressed, may be a submission.

    Files of our own archive are named by accession number and hash, without a suffix of EDGAR.
    """
    if name.startswith("."):
        return False
    plain = name.removesuffix(".gz")
    return plain.endswith(SUBMISSION_SUFFIXES) or is_archived(plain + ".gz")


def is_container_name(name: str) -> bool:
    """Return True if a file of this name may hold several submissions."""
    return name.endswith(CONTAINER_SUFFIXES) and not name.startswith(".")


def _may_be_container(path: Path, named: bool) -> bool:
    """Return True if a path must be opened to know its contents."""
    return named or path.name.endswith(CONTAINER_SUFFIXES)


def accession_in_name(name: str) -> str | None:
    """Return the accession number in a file's name: a guess, to be compared with its header."""
    return accession_number_in(name.rpartition("/")[2])


def _is_special(path: Path) -> bool:
    """Return True for a pipe, a socket or a device, which delivers its content once, if ever."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False  # It is refused by name when it is read.


def _sort_key(path: Path) -> tuple[str, int, int, str]:
    """Order by name; versions of one submission in the archive by arrival."""
    plain = path.name.removesuffix(".gz")
    stem, _, suffix = plain.rpartition(".")
    came = path.stat().st_mtime_ns if is_archived(plain + ".gz") else 0
    return stem, 0 if suffix == "txt" else 1, came, path.name


def _one_line(name: str) -> str:
    """Make a member's name, which anyone may have chosen, safe for a log."""
    text = name.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)[:_MAX_NAME]
