"""What to load: files and folders, in a stable order."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from edgar_search.errors import SettingsError

# What may hold a submission; pages are taken too, so that a saved error page is refused by name
# instead of being passed over.
SUBMISSION_SUFFIXES = (".txt", ".nc", ".sgml", ".htm", ".html", ".xml")
_ACCESSION_NUMBER = re.compile(r"\d{10}-\d{2}-\d{6}")
_ARCHIVED = re.compile(r"\d{10}-\d{2}-\d{6}\.[0-9a-f]{16}")


class Sources:
    """The files behind the paths that a command was given.

    Iterating gives them in a stable order: the paths as given, a folder's files by name with
    `.txt` before the `.nc` of the same name. `skipped` counts the files of folders that are no
    submissions by their name. Raises SettingsError for a path that does not exist.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.skipped = 0
        self._files: list[Path] = []
        for path in paths:
            if not path.exists():
                raise SettingsError(f"{path}: no such file or folder")
            self._files += self._in_folder(path) if path.is_dir() else [path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def _in_folder(self, folder: Path) -> list[Path]:
        files = []
        for parent, folders, names in os.walk(folder):
            # A hidden folder is some program's own, not a delivery of filings.
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            wanted = [name for name in names if is_submission_name(name)]
            self.skipped += len(names) - len(wanted)
            files += [Path(parent, name) for name in sorted(wanted, key=_order)]
        return files


def is_submission_name(name: str) -> bool:
    """Whether a file of this name, perhaps compressed, may be a submission.

    The archive's own files are named by accession number and hash, without a suffix of EDGAR's.
    """
    if name.startswith("."):
        return False
    plain = name.removesuffix(".gz")
    return plain.endswith(SUBMISSION_SUFFIXES) or _ARCHIVED.fullmatch(plain) is not None


def accession_in_name(name: str) -> str | None:
    """The accession number in a file's name: a guess, to be held against the file's header."""
    match = _ACCESSION_NUMBER.search(name)
    return match.group() if match else None


def _order(name: str) -> tuple[str, int, str]:
    stem, _, suffix = name.removesuffix(".gz").rpartition(".")
    return stem, 0 if suffix == "txt" else 1, name
