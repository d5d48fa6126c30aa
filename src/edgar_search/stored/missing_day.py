"""The index `missing_days`."""

from datetime import date, datetime

from msgspec import Struct


class MissingDay(Struct, frozen=True):
    """A business day of which EDGAR's indices list no filing, and since when that is known.

    Its id is the day. It goes when an index lists filings of the day.
    """

    day: date
    since: datetime
