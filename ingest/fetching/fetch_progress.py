"""How far a fetch is: days of days, submissions, bytes, the rate, and how long the rest takes."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Self

from ingest.loading.progress import ProgressLine, paced, size
from ingest.loading.summary import Summary
from ingest.sources.source import SourceList


class FetchProgress:
    """One line for the whole fetch; as a context it ends with it.

    `begin` says what lacks of each day; a day is done when all that lacked of it was dealt with.
    """

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._left: Counter[date] = Counter()
        self._days = self._all = self._done = self._bytes = 0
        self._download = ""
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__()

    def begin(self, lacking: Mapping[date, int]) -> None:
        """Take what is to be fetched of each day."""
        self._left = Counter(lacking)
        self._days, self._all = len(lacking), sum(lacking.values())
        self._began = time.monotonic()

    def received(self, count: int) -> None:
        """Count the bytes of a file that came."""
        self._bytes += count
        self._show()

    def downloading(self, name: str, count: int, of: int | None) -> None:
        """Show how much of a day's archive has come."""
        self._download = f"; {name}: {size(count)}{f' of {size(of)}' if of else ''}"
        self._show()

    def downloaded(self, count: int) -> None:
        """Show no archive any more, and count its bytes."""
        self._download = ""
        self.received(count)

    def done(self, day: date, number: int = 1) -> None:
        """Count submissions of a day that were dealt with."""
        counted = min(number, self._left[day])
        self._left[day] -= counted
        self._done += counted
        self._show()

    def of_day(self, day: date) -> Callable[[SourceList, Summary], "LoadShown"]:
        """Return a counter by which the load of a day's archive is a part of this line."""
        return partial(LoadShown, told=partial(self.done, day))

    def _show(self) -> None:
        if not self._line.due:
            return
        days = sum(number <= 0 for number in self._left.values())
        pace = paced(self._done, self._all, time.monotonic() - self._began, "submissions")
        self._line.show(
            f"{days} of {self._days} days, {self._done} of {self._all} submissions,"
            f" {size(self._bytes)}; {pace}{self._download}"
        )


class LoadShown:
    """A load that shows no line of its own; `told` is given how many more are loaded."""

    def __init__(
        self, _: SourceList, summary: Summary, told: Callable[[int], None] | None = None
    ) -> None:
        self._summary = summary
        self._told = told
        self._counted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self) -> None:
        """Tell how many are loaded since the last time."""
        if self._told is not None:
            self._told(self._summary.loaded - self._counted)
            self._counted = self._summary.loaded
