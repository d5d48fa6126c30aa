"""The event log in its stored form: events of filings, and alerts that matched."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from edgar_search.stored.user_items import LogPosition

EventKind = Literal["loaded", "changed", "withdrawn", "alert"]
# Events of filings, which everyone may see.
FILING_EVENTS: tuple[EventKind, ...] = ("loaded", "changed", "withdrawn")
ALERT: Literal["alert"] = "alert"
# Entries that are no events, each under its own id: a mark, written to obtain a position, and the
# state of the log.
MARK: Literal["mark"] = "mark"
LOG: Literal["log"] = "log"
# The prefix of ids of readers' states.
READER: Literal["reader"] = "reader"


class Generation(Struct, frozen=True):
    """The positions in one index: an entry with the sequence number `n` is at `base` + `n`.

    This holds for entries without a position of their own, from the sequence number `first` on.
    `index` is the unique id of the index.
    """

    index: str
    first: int
    base: int


class LogState(Struct, frozen=True):
    """The generations of the log, oldest first; events up to `floor` may have been deleted."""

    generations: list[Generation]
    floor: int = 0


class PendingArrival(Struct, frozen=True):
    """A document that arrived, and may be missing while a load moves it.

    `position` is the position of its event. `arrived` orders arrivals from before the log existed;
    otherwise it is the log's order.
    """

    document_id: str
    accession_number: str
    at: datetime
    arrived: LogPosition


class ReaderState(Struct, frozen=True):
    """The position up to which a reader has read, and earlier arrivals that it must still process.

    `lags` counts documents by the hour in which they were matched, and by the step of their lag.
    """

    position: int = 0
    pending: list[PendingArrival] = []
    lags: dict[int, dict[int, int]] = {}


class StoredEvent(Struct, frozen=True, omit_defaults=True):
    """An entry of the log. It never changes; its position follows from its sequence number.

    `documents` are the searchable documents of the filing, `arrived` the new ones among them,
    `arrivals` their number. An alert has the account and the id of its notification. An entry
    copied from another index has its `position`. `arrival` is the position of an arrival in the
    index `arrivals`, which the log has taken over.
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
    """Return the id of a filing's `number`th event; a repeated load gives the same id."""
    return f"{accession_number} {number} {digest}"


def withdrawn_event_id(accession_number: str, since: datetime) -> str:
    """Return the id of the event of a withdrawal."""
    return f"{accession_number} withdrawn {since.isoformat()}"


def alert_event_id(key: str) -> str:
    """Return the id of the event of a notification, given the notification's key."""
    return f"alert {key}"
