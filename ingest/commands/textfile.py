"""Metrics of a command, in a file for node_exporter's textfile collector."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from edgar_search.errors import SettingsError
from edgar_search.metrics.meters import Figure, children, resident_by_name, write_textfile
from edgar_search.settings import Settings

_log = logging.getLogger(__name__)
# Seconds between two writes of the file while the command runs.
INTERVAL = 15.0


class Textfile:
    """The metrics file of one command, updated while it runs and when it ends; none if unset."""

    def __init__(self, settings: Settings, command: str) -> None:
        folder = settings.metrics_folder
        if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise SettingsError(
                f"EDGAR_SEARCH_METRICS_FOLDER: {folder} must be a folder that can be written to"
            )
        name = f"edgar-ingest-{command.replace(' ', '-')}-{settings.prefix.rstrip('-_')}.prom"
        self._path: Path | None = None if folder is None else folder / name
        self._labels = {"command": command, "prefix": settings.prefix}
        self._started = time.time()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Write the file every 15 seconds within this context."""
        if self._path is None:
            yield
            return
        keeping = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            keeping.cancel()

    def end(self, status: int) -> None:
        """Write the end and the exit status of the command."""
        self._write(
            [
                _figure("ended_timestamp_seconds", "When the command ended", time.time()),
                _figure("exit_status", "The exit status of the command", status),
            ]
        )

    async def _keep(self) -> None:
        while True:
            self._write([])
            await asyncio.sleep(INTERVAL)

    def _write(self, figures: list[Figure]) -> None:
        if self._path is None:
            return
        always = [
            _figure("started_timestamp_seconds", "When the command was started", self._started),
            _figure("written_timestamp_seconds", "When these figures were written", time.time()),
            Figure(
                "edgar_ingest_resident_memory_bytes",
                "Memory that each process of the command holds",
                resident_by_name("command", os.getpid(), children(os.getpid())),
                "process",
            ),
        ]
        try:
            write_textfile(self._path, [*always, *figures], self._labels)
        except OSError as error:
            _log.warning("%s cannot be written: %s", self._path, error.strerror or error)


def _figure(name: str, text: str, value: float) -> Figure:
    return Figure(f"edgar_ingest_{name}", text, {"": value})
