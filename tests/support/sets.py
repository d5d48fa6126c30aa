"""The files that `edgar-search sets write` wrote, and their manifest."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    table: list[dict[str, Any]] = pyarrow.parquet.read_table(folder / name).to_pylist()
    return table


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder."""
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    return found
