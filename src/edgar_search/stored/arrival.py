"""The index `arrivals`."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

WAITING: Literal["waiting"] = "waiting"
MATCHED: Literal["matched"] = "matched"
# The one entry that is no arrival: writing it gives a place in the order of arrivals.
MARK: Literal["mark"] = "mark"


class StoredArrival(Struct, frozen=True, omit_defaults=True):
    """A searchable document that arrived; `first` says that its filing begins with it.

    `lag` is the time in seconds from `arrived_at` to `matched_at`.
    """

    state: Literal["waiting", "matched", "mark"]
    arrived_at: datetime
    document_id: str = ""
    accession_number: str = ""
    first: bool = False
    matched_at: datetime | None = None
    lag: float | None = None


class Place(Struct, frozen=True):
    """A place in the order of arrivals: after all that were acknowledged before it was taken.

    `seq_no` counts the writes of the index of this id; in another index the place means nothing.
    """

    index: str
    seq_no: int
