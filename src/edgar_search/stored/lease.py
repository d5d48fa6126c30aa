"""The index `leases`."""

from datetime import datetime

from msgspec import Struct


class StoredLease(Struct, frozen=True):
    """Who may do what only one process does at a time; `holder` is empty where nobody does.

    `epoch` counts the holders, `revision` the writes. A lease that stands unchanged for `seconds`
    may be taken from its holder; `renewed_at` is for people to read.

    `edgar-rate` is otherwise: requests to EDGAR are the holder's for `seconds` from `renewed_at`
    on, by Elasticsearch's clock, and `epoch` counts the pauses.
    """

    holder: str
    epoch: int
    revision: int
    seconds: float
    renewed_at: datetime
