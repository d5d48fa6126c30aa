"""Progress on long work: a line that is rewritten on a terminal, lines of the log elsewhere."""

import logging
import sys
import time
from typing import Never, Protocol, Self

from tqdm import tqdm

from ingest.loading.summary import Summary
from ingest.sources.source import SourceList

_log = logging.getLogger(__name__)

# Lines come this many seconds apart, so that a log of an hour's load stays short.
LINE_INTERVAL = 5.0
_MINUTE, _HOUR = 60, 3600


class ProgressLine:
    """A line that says where long work stands; as a context it ends with it."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = tqdm(bar_format="{desc}", file=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    @property
    def due(self) -> bool:
        """Say whether a text would be shown now."""
        return self._bar is not None or time.monotonic() - self._last_line >= LINE_INTERVAL

    def show(self, text: str) -> None:
        """Show a text, where one is due."""
        if self._bar is not None:
            self._bar.set_description_str(text)
        elif self.due:
            self._last_line = time.monotonic()
            _log.info("%s", text)


class Shown(Protocol):
    """Return the progress line of a load, as a context of the load."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def update(self) -> None:
        """Show where the load stands now."""


class Progress:
    """Shows how many of the files of a load are done, on standard error.

    Submissions in containers are counted as they are read, so that the number of all rises.
    """

    def __init__(self, sources: SourceList, summary: Summary) -> None:
        self._sources = sources
        self._summary = summary
        self._began = time.monotonic()
        self._line = ProgressLine()

    def __enter__(self) -> Self:
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__()

    def update(self) -> None:
        """Show where the load stands now."""
        if not self._line.due:
            return
        summary, number = self._summary, len(self._sources)
        counted = getattr(self._sources, "counted", True)
        pace = paced(
            summary.seen, number if counted else None, time.monotonic() - self._began, "files"
        )
        self._line.show(
            f"{summary.seen} of {'' if counted else 'at least '}{max(number, summary.seen)} files:"
            f" {summary.loaded} loaded, {summary.unchanged} unchanged,"
            f" {len(summary.refusals)} refused; {pace}"
        )


def paced(done: int, of: int | None, seconds: float, unit: str) -> str:
    """How fast work goes, and how long the rest takes at that rate where its end is known."""
    rate = done / seconds if seconds > 0 else 0.0
    text = f"{rate:.1f} {unit}/s"
    return f"{text}, {duration((of - done) / rate)} left" if of and rate and of > done else text


def duration(seconds: float) -> str:
    """A time for a person, as two units at most."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def size(count: int) -> str:
    """A number of bytes for a person."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.2f} GB"
