"""The index `snapshots`."""

from datetime import datetime

from msgspec import Struct


class StoredSnapshot(Struct, frozen=True):
    """An unchanging view of some kinds, for an account, until `expires_at`.

    `points` are Elasticsearch's ids of points in time, by kind; none while it is being opened.
    `cik_lists` are what the tickers and names of its question came to when it was opened.
    """

    account: str
    opened_at: datetime
    expires_at: datetime
    points: dict[str, str] = {}
    cik_lists: list[list[str]] = []
