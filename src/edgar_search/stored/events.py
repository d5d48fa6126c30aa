"""The event log as its index stores it: events of filings, and alerts that matched."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from edgar_search.stored.user_items import LogPosition

EventKind = Literal["loaded", "changed", "withdrawn", "alert"]
# The events of filings, which everyone may see.
FILING_EVENTS: tuple[EventKind, ...] = ("loaded", "changed", "withdrawn")
ALERT: Literal["alert"] = "alert"
# Entries that are not events, each with its own id: one used to obtain a position, and the state of
# the log.
MARK: Literal["mark"] = "mark"
LOG: Literal["log"] = "log"
# The prefix of the ids of readers' entries.
READER: Literal["reader"] = "reader"


class Generation(Struct, frozen=True):
    """The positions of one index: an entry with the sequence number `n` is at `base` + `n`.

    This holds for entries without an explicit position from the sequence number `first` on. `index`
    is the unique id of the index.
    """

    index: str
    first: int
    base: int


class LogState(Struct, frozen=True):
    """The generations of the log, oldest first; events up to `floor` may have been deleted."""

    generations: list[Generation]
    floor: int = 0


class PendingArrival(Struct, frozen=True):
    """A document that arrived, and is missing while a load moves it; `position` is its event's.

    `arrived` orders arrivals from before the log existed, otherwise it is the log's order.
    """

    document_id: str
    accession_number: str
    at: datetime
    arrived: LogPosition


class ReaderState(Struct, frozen=True):
    """The position up to which a reader has read, and earlier entries that it still has to handle.

    `lags` counts documents by the hour in which they were matched, and by the step of their lag.
    """

    position: int = 0
    pending: list[PendingArrival] = []
    lags: dict[int, dict[int, int]] = {}


class StoredEvent(Struct, frozen=True, omit_defaults=True):
    """An entry of the log. It never changes; its position follows from its sequence number.

    `documents` are the searchable documents of the filing, `arrived` those that are new, `arrivals`
    their number. An alert has the account and the id of its notification. `position` is that of an
    entry copied from another index. `arrival` is the position of an arrival in the index
    `arrivals`, which the log has taken over.
    """

    kind: Literal["loaded", "changed", "withdrawn", "alert", "mark", "log", "reader"]
    at: datetime
    accession_number: str = ""
    documents: list[str] = []
    arrived: list[str] = []
    arrivals: int = 0
    account: str | None = None
    notification_id: str = ""
    position: int | None = None
    arrival: LogPosition | None = None
    log: LogState | None = None
    reader: ReaderState | None = None


def filing_event_id(accession_number: str, number: int, digest: str) -> str:
    """Return the id of a filing's event, the `number`th; a repeated load produces the same id."""
    return f"{accession_number} {number} {digest}"


def withdrawn_event_id(accession_number: str, since: datetime) -> str:
    """Return the id of the event of a withdrawal."""
    return f"{accession_number} withdrawn {since.isoformat()}"


def alert_event_id(key: str) -> str:
    """Return the id of a notification's event, given the key of the notification."""
    return f"alert {key}"
