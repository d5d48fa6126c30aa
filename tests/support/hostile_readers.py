"""Worker processes whose readers fail at certain documents, as no real one makes them."""

from pathlib import Path

import pytest

SLOW, DEADLY, GREEDY, FAULTY = "STAYS FOR EVER", "ENDS THE PROCESS", "TAKES ALL MEMORY", "FAILS"
# A variable of the environment in which the one that fails does not any more.
MENDED = "READERS_ARE_MENDED"
# One works without an end; one works for a second, but gets a fifth of a processor.
ENDLESS, STARVED = "WORKS FOR EVER", "IS STARVED"

# Python imports a module of this name whenever it starts.
_PATCH = f"""
import os
import time

from ingest.reading import documents
from ingest.reading.sections import report_text

_read = documents.searchable_text


def _searchable_text(document):
    body = document.body.decode(errors="replace")
    if "{SLOW}" in body:
        time.sleep(3600)
    if "{ENDLESS}" in body:
        _work(3600)
    if "{STARVED}" in body:
        for _ in range(10):
            _work(0.1)
            time.sleep(0.4)
    if "{DEADLY}" in body:
        os._exit(7)
    if "{GREEDY}" in body:
        raise MemoryError(len([bytes(10_000_000) for _ in range(1_000)]))
    if "{FAULTY}" in body and "{MENDED}" not in os.environ:
        raise ZeroDivisionError
    return _read(document)


def _work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


documents.searchable_text = report_text.searchable_text = _searchable_text
"""


def install(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the worker processes of this test read so."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_PATCH)
    monkeypatch.syspath_prepend(folder)
