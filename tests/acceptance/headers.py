"""A reader of EDGAR headers that is not the project's own: line by line, both dialects."""

import gzip
import re
from pathlib import Path
from typing import NamedTuple

_VALUES = {
    "number": ("ACCESSION NUMBER:", "<ACCESSION-NUMBER>"),
    "form": ("CONFORMED SUBMISSION TYPE:", "<TYPE>"),
    "filed": ("FILED AS OF DATE:", "<FILING-DATE>"),
    "period": ("CONFORMED PERIOD OF REPORT:", "<PERIOD>"),
}
_CIK = ("CENTRAL INDEX KEY:", "<CIK>")
_NAME = ("COMPANY CONFORMED NAME:", "<CONFORMED-NAME>")


class Read(NamedTuple):
    """The facts in a file's lines; dates are eight digits, as written."""

    number: str
    form: str
    filed: str
    period: str
    ciks: list[str]
    names: list[str]
    documents: int


def read(path: Path) -> Read:
    """Read a submission's header, and count its documents."""
    text = gzip.decompress(path.read_bytes()).decode("latin-1")
    head, *documents = re.split(r"[\r\n]+[ \t]*<DOCUMENT>", text)
    lines = [line.strip() for line in re.split(r"[\r\n]+", head)]
    found = {field: _after(lines, labels) for field, labels in _VALUES.items()}
    return Read(
        **{field: values[0] if values else "" for field, values in found.items()},
        ciks=[cik.zfill(10) for cik in _after(lines, _CIK)],
        names=_after(lines, _NAME),
        documents=len(documents),
    )


def _after(lines: list[str], labels: tuple[str, ...]) -> list[str]:
    return [
        line.removeprefix(label).strip()
        for line in lines
        for label in labels
        if line.startswith(label)
    ]
