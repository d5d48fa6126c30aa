"""Items that users keep, and what arrives for them, as their indices store them."""

from datetime import datetime
from typing import Generic, Literal, TypeVar

from msgspec import Struct

C = TypeVar("C")

Area = Literal["favorites", "saved-links", "notifications", "alert_triggers"]

# The state of an item that stays only so that it is never made again: nobody finds it.
REMOVED = "removed"


def item_key(account: str, area: Area, item_id: str) -> str:
    """Under what an item is stored: the id that one account knows is no id in another's hands."""
    return f"{account} {area} {item_id}"


class StoredUserItem(Struct, Generic[C], frozen=True, omit_defaults=True):
    """One thing that belongs to an account.

    `content` is what its area keeps of it, which Elasticsearch does not look into; `state` is what
    items of an area are told apart by, such as `unread`.
    """

    account: str
    area: Area
    id: str
    created_at: datetime
    content: C
    state: str | None = None


TargetType = Literal["filing", "entity", "document"]


class StoredFavorite(Struct, frozen=True, omit_defaults=True):
    """A favorite: what it points to, and its user's label."""

    type: TargetType
    target_id: str
    label: str | None = None


class StoredSavedLink(Struct, frozen=True, omit_defaults=True):
    """A saved link; `updated_at` is None until it is changed."""

    url: str
    title: str | None = None
    note: str | None = None
    tags: list[str] = []
    updated_at: datetime | None = None


class DocumentMatch(Struct, frozen=True):
    """A document as it was when it matched; `score` is from 0 to 1."""

    related_company_names: list[str]
    ciks: list[str]
    accnum: str
    filename: str
    filing_date: str
    form_type: str
    snippet: str
    score: float
    document_id: str


class StoredNotification(Struct, frozen=True, omit_defaults=True):
    """A notification; one without a document has a `message`: what became of the trigger."""

    alert_trigger_id: str
    document: DocumentMatch | None = None
    read_at: datetime | None = None
    message: str | None = None


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


class LogPosition(Struct, frozen=True):
    """A place in the order of arrivals: after all that were acknowledged before it was taken.

    `seq_no` counts the writes of the index of this id; in another index the place means nothing.
    """

    index: str
    seq_no: int


class TriggerFilters(Struct, frozen=True):
    """What filings a trigger is about; an empty filter asks nothing."""

    cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    sic: tuple[str, ...] = ()
    form_type: tuple[str, ...] = ()


class StoredAlertTrigger(Struct, frozen=True, omit_defaults=True):
    """An alert trigger.

    It sees what arrives behind the place `after`, taken at `watching_since`: when it was made, last
    enabled, or last changed in what it matches. `word_forms` says whether words of the query also
    find their inflections.
    """

    name: str
    watching_since: datetime
    query: str | None = None
    filters: TriggerFilters = TriggerFilters()
    enabled: bool = True
    last_matched_at: datetime | None = None
    after: LogPosition | None = None
    word_forms: Literal["exact", "all"] = "exact"

    def covers(self, place: LogPosition) -> bool:
        """Say whether what arrived at this place is behind the trigger's own.

        Places of different indices cannot be compared; then nothing is hidden from the trigger.
        """
        after = self.after
        return after is None or after.index != place.index or after.seq_no < place.seq_no
