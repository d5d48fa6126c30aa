"""The bytes of a folder."""

from pathlib import Path


def bytes_in(folder: Path) -> int:
    """Return the sum of its files' sizes."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
