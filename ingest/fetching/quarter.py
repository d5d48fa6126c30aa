"""Quarters of a year, and where EDGAR has what belongs to one."""

from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct


class Quarter(Struct, frozen=True, order=True):
    """A quarter of a year; `number` is 1 to 4."""

    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> "Quarter":
        """The quarter that a day belongs to."""
        return cls(day.year, (day.month + 2) // 3)

    @property
    def following(self) -> "Quarter":
        """The next quarter."""
        following = Quarter(self.year, self.number + 1)
        return following if self.number < 4 else Quarter(self.year + 1, 1)

    @property
    def first_day(self) -> date:
        """The quarter's first day."""
        return date(self.year, 3 * self.number - 2, 1)

    @property
    def last_day(self) -> date:
        """The quarter's last day."""
        return self.following.first_day - timedelta(days=1)

    @property
    def index_path(self) -> str:
        """The quarter's index."""
        return f"full-index/{self.year}/QTR{self.number}/master.gz"

    @property
    def feed_folder(self) -> str:
        """The folder of its days' archives."""
        return f"Feed/{self.year}/QTR{self.number}"

    @property
    def daily_folder(self) -> str:
        """The folder of its days' indices."""
        return f"daily-index/{self.year}/QTR{self.number}"


def quarters(first: date, last: date) -> Iterator[Quarter]:
    """The quarters of a range of days, in order."""
    quarter = Quarter.of(first)
    while quarter <= Quarter.of(last):
        yield quarter
        quarter = quarter.following
