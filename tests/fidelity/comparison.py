"""The result of a comparison, and the place of the real files."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.fidelity.header_lines import Facts


class Comparison(Struct):
    """Counts of one comparison; `differences` are by file and fact: what each side says."""

    files: int = 0
    compared: int = 0
    differences: dict[str, tuple[str | None, str | None]] = msgspec.field(default_factory=dict)

    def add(self, file: str, parser: Facts, other: Facts) -> None:
        """Compare two tables of one file, fact by fact; a fact that one lacks is a difference."""
        names = parser.keys() | other.keys()
        self.files += 1
        self.compared += len(names)
        for name in sorted(names):
            if parser.get(name) != other.get(name):
                self.differences[f"{file} {name}"] = (parser.get(name), other.get(name))


def content(path: Path) -> bytes:
    """Return a file's content, decompressed by its name."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of a folder of the corpus, one after the other, in order."""
    for path in sorted(folder.iterdir()):
        if path.name != "manifest.jsonl":
            yield path.name, content(path)
