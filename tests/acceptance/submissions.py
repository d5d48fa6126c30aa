"""The corpus as its files say, read by the second reader: facts and bodies."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.fidelity.document_lines import read_lines
from tests.fidelity.header_lines import Facts


class File(NamedTuple):
    """A submission's file: its facts, the size of the whole, and the bodies of its documents."""

    facts: Facts
    size: int
    bodies: list[bytes]

    @property
    def number(self) -> str:
        """The accession number."""
        return self.facts["accession"]

    @property
    def filed(self) -> str:
        """The filing date, as it is written in answers."""
        return iso(self.facts["filed"])

    def document_ids(self) -> list[str]:
        """Document ids by their own numbers, or all by position if these cannot be used."""
        given = [self.facts.get(f"document[{n}].sequence", "") for n in range(len(self.bodies))]
        numbers = [int(each) if each.isdigit() else 0 for each in given]
        if min(numbers, default=1) < 1 or len(set(numbers)) < len(numbers):
            numbers = list(range(1, len(numbers) + 1))
        return [f"{self.number}-{number}" for number in numbers]

    def ciks(self) -> list[str]:
        """Return the CIKs of all entities, each once, in the order of the header."""
        return list(dict.fromkeys(self.facts[f"entity[{n}].cik"].zfill(10) for n in self._places()))

    def former_names(self) -> Iterator[tuple[str, str]]:
        """CIK and name of each former name."""
        for n in self._places():
            number = 0
            while name := self.facts.get(f"entity[{n}].former[{number}].name"):
                yield self.facts[f"entity[{n}].cik"].zfill(10), name
                number += 1

    def _places(self) -> list[int]:
        return [n for n in range(1_000) if f"entity[{n}].cik" in self.facts]


def iso(digits: str) -> str:
    """Eight digits as `YYYY-MM-DD`."""
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"


def read(path: Path) -> File:
    """Read one submission."""
    data = gzip.decompress(path.read_bytes())
    lines = read_lines(data)
    return File(lines.facts, len(data), lines.bodies)


def every_file(corpus: Path) -> Iterator[File]:
    """Return all submissions; of one that is there in both dialects the archive's text file."""
    files = {
        path.name.partition(".")[0]: path for path in sorted((corpus / "filings").glob("*.gz"))
    }
    return map(read, files.values())
