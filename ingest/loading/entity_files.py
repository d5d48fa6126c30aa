"""Submissions JSON files, folders and the bulk zip into `entities`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from edgar_search.errors import MalformedIndex, SettingsError
from edgar_search.stored.entity import StoredEntity
from ingest.loading.submissions_json import (
    is_continuation,
    is_continuation_name,
    is_main_name,
    submissions_facts,
)
from ingest.sources.containers import (
    DamagedContainer,
    Member,
    identified,
    read_piece,
    tar_members,
    zip_members,
)
from ingest.sources.source import Source, printable, read

# The longest of the real ones has a few megabytes.
_MAX_BYTES = 100_000_000
_PIECE = 1_000_000


class EntityFiles:
    """The facts in the files behind the paths that a command was given, one entity at a time.

    A folder's files come by name, an archive's as they lie in it. While facts are read, `facts`
    counts them, `continuations` the files that have only older filings, `skipped` the other files
    of folders and archives, and `refusals` has what is none of these, by name. Raises SettingsError
    for a path that does not exist.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)
        for path in self._paths:
            if not path.exists():
                raise SettingsError(f"{path}: no such file or folder")
        self.facts = self.continuations = self.skipped = 0
        self.refusals: list[dict[str, str]] = []

    def __iter__(self) -> Iterator[StoredEntity]:
        for path in self._paths:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if path.is_dir() and not self._is_wanted(file.name):
                    self.skipped += file.is_file()
                else:
                    yield from self._in_file(file)

    def as_dict(self) -> dict[str, Any]:
        """The summary of what was read."""
        return {
            "entities": self.facts,
            "continuations": self.continuations,
            "skipped": self.skipped,
            "refused": len(self.refusals),
            "refusals": self.refusals,
        }

    def _is_wanted(self, name: str) -> bool:
        return is_main_name(name) or is_continuation_name(name) or name.endswith(".zip")

    def _in_file(self, path: Path) -> Iterator[StoredEntity]:
        name = printable(str(path))
        try:
            with path.open("rb") as file:
                kind, stream = identified(file)
                if kind in ("zip", "tar"):
                    members = zip_members(file) if kind == "zip" else tar_members(stream)
                    yield from self._in_archive(name, members)
                    return
            yield from self._read(name, read(Source.of(path), _MAX_BYTES))
        except OSError as error:
            self._refuse(name, f"cannot be read: {error.strerror or error}")

    def _in_archive(self, name: str, members: Iterator[Member]) -> Iterator[StoredEntity]:
        try:
            for member in members:
                own = Path(member.name).name
                if is_main_name(own):
                    yield from self._in_member(f"{name}!{printable(own)}", member)
                elif is_continuation_name(own):
                    self.continuations += 1
                else:
                    self.skipped += 1
        except DamagedContainer as error:
            self._refuse(name, f"the archive is damaged after {self.facts} entities: {error}")

    def _in_member(self, name: str, member: Member) -> Iterator[StoredEntity]:
        data = b""
        try:
            while len(data) <= _MAX_BYTES and (piece := read_piece(member.content, _PIECE)):
                data += piece
        except DamagedContainer as error:
            # Of a tar the same error comes again with its next member, and ends it.
            self._refuse(name, f"the member is damaged: {error}")
            return
        yield from self._read(name, data)

    def _read(self, name: str, data: bytes) -> Iterator[StoredEntity]:
        try:
            facts = submissions_facts(data, name)
        except MalformedIndex as error:
            if is_continuation(data):
                self.continuations += 1
            else:
                self._refuse(name, str(error).removeprefix(f"{name}: "))
            return
        self.facts += 1
        yield facts

    def _refuse(self, name: str, reason: str) -> None:
        self.refusals.append({"source": name, "reason": reason})
