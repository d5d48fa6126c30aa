"""The event log as its index stores it: events of filings, and alerts that matched."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from edgar_search.stored.user_items import LogPosition

EventKind = Literal["loaded", "changed", "withdrawn", "alert"]
# The events of filings, which everybody may see.
FILING_EVENTS: tuple[EventKind, ...] = ("loaded", "changed", "withdrawn")
ALERT: Literal["alert"] = "alert"
# The entries that are not events, each under its own id: one to take a position with, and the
# state of the log.
MARK: Literal["mark"] = "mark"
LOG: Literal["log"] = "log"
# The id of each reader's entry begins with it.
READER: Literal["reader"] = "reader"


class Generation(Struct, frozen=True):
    """The numbers of one index: an entry with the sequence number `n` is at `base` + `n`.

    That is so for entries from the sequence number `first` on that have no position of their own.
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
    """A document that arrived, and is not there while a load moves it; `position` is its event's.

    `arrived` is the order of an arrival from before there was a log, else that of the log.
    """

    document_id: str
    accession_number: str
    at: datetime
    arrived: LogPosition


class ReaderState(Struct, frozen=True):
    """The position up to which a reader has read, and what it must still do of what came before.

    `lags` counts documents by the hour in which they were matched, and by the step of their lag.
    """

    position: int = 0
    pending: list[PendingArrival] = []
    lags: dict[int, dict[int, int]] = {}


class StoredEvent(Struct, frozen=True, omit_defaults=True):
    """An entry of the log. It is never changed; its position follows from its sequence number.

    `documents` are the searchable documents of the filing, `arrived` those that were never there
    before, `arrivals` their number. An alert has the account and the id of its notification.
    `position` is that of an entry copied from another index. `arrival` is the place of an arrival
    of the index `arrivals`, which the log has taken over.
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
    """Return the id of an event of a filing, its `number`th; a repeated load makes the same."""
    return f"{accession_number} {number} {digest}"


def withdrawn_event_id(accession_number: str, since: datetime) -> str:
    """Return the id of the event of a withdrawal."""
    return f"{accession_number} withdrawn {since.isoformat()}"


def alert_event_id(key: str) -> str:
    """Return the id of the event of a notification, by the key under which that is stored."""
    return f"alert {key}"
