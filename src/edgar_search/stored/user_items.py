"""Items that users keep, and notifications of them, in their stored form."""

from datetime import datetime
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.ownership import RowFilters, RowsName

C = TypeVar("C")

Area = Literal[
    "favorites",
    "saved-links",
    "notifications",
    "alert_triggers",
    "webhooks",
    "mailboxes",
    "mail_addresses",
]
# How often the notifications of an alert are mailed.
MailRate = Literal["at_once", "hourly", "daily", "weekly"]

# The state of a removed item, whose record stays so that it is never created again.
REMOVED = "removed"


def item_key(account: str, area: Area, item_id: str) -> str:
    """Return the key of a stored item; it includes the account, which an item's id does not."""
    return f"{account} {area} {item_id}"


class StoredUserItem(Struct, Generic[C], frozen=True, omit_defaults=True):
    """An item that belongs to an account.

    `content` belongs to its area, and Elasticsearch does not index it. `state` distinguishes the
    items of an area, such as `unread`.
    """

    account: str
    area: Area
    id: str
    created_at: datetime
    content: C
    state: str | None = None


TargetType = Literal["filing", "entity", "document"]


class StoredFavorite(Struct, frozen=True, omit_defaults=True):
    """A favorite: its target and its user's label."""

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
    """A notification of a document, or with a `message` about its trigger.

    It goes to the `webhooks` with these ids, and by mail if its trigger had a rate when it matched.
    """

    alert_trigger_id: str
    document: DocumentMatch | None = None
    read_at: datetime | None = None
    message: str | None = None
    webhooks: tuple[str, ...] = ()
    mail: MailRate | None = None


class WebhookSecret(Struct, frozen=True, omit_defaults=True):
    """A secret that signs deliveries, encrypted; a replaced one is still used `until` a time."""

    sealed: str
    until: datetime | None = None


WebhookFormat = Literal["standard", "slack", "teams"]


class StoredWebhook(Struct, frozen=True, omit_defaults=True):
    """An address that gets notifications; the first of its `secrets` is the newest.

    `failures` counts the attempts since the last success, `failing_since` is the time of the first
    of them. A webhook that was disabled for its receiver's answers has the reason. `format` is the
    format of bodies.
    """

    name: str
    url: str
    secrets: tuple[WebhookSecret, ...]
    enabled: bool = True
    failures: int = 0
    failing_since: datetime | None = None
    disabled_because: str | None = None
    format: WebhookFormat = "standard"


class StoredMailbox(Struct, frozen=True, omit_defaults=True):
    """The address to which an account's alerts are mailed once it is confirmed.

    Daily and weekly mails are sent at the `hour` of the `time_zone`. `asked` has the times of the
    last confirmation mails. A mailbox that gets no more mail has the reason in `ended_because`.
    """

    address: str
    hour: int
    time_zone: str
    confirmed_at: datetime | None = None
    asked: tuple[datetime, ...] = ()
    ended_because: str | None = None


class StoredMailAddress(Struct, frozen=True, omit_defaults=True):
    """The record of a mail address, for all accounts; only the hash in its key identifies it.

    `asked_at` is the time of the last confirmation mail, `refusals` counts permanent refusals since
    a mail was last accepted. A blocked address gets no mail from any account, for the reason given.
    """

    asked_at: datetime | None = None
    refusals: int = 0
    blocked: str | None = None


class Attempt(Struct, frozen=True, omit_defaults=True):
    """A delivery attempt, with the status of the answer, or the error if there was none."""

    at: datetime
    status: int | None = None
    error: str | None = None


DeliveryState = Literal["waiting", "delivered", "failed"]


class SentEvent(Struct, frozen=True, omit_defaults=True):
    """The event of a delivery, the same each time: the `body` is JSON.

    A mail that was sent keeps only the bodies of the events that it shows.
    """

    type: str
    body: str
    alert_trigger_id: str | None = None
    attempts: tuple[Attempt, ...] = ()


class StoredDelivery(Struct, frozen=True, omit_defaults=True):
    """An event on its way to a webhook or a mailbox; the next attempt is `due`.

    `webhook` is the id of the receiver; a mailbox's id begins with "mail".
    """

    account: str
    webhook: str
    id: str
    created_at: datetime
    due: datetime
    state: DeliveryState
    content: SentEvent


WAITING: Literal["waiting"] = "waiting"
MATCHED: Literal["matched"] = "matched"


class StoredArrival(Struct, frozen=True, omit_defaults=True):
    """A searchable document that arrived before the event log existed; the log takes it over.

    `first` is true for the first document of its filing. `lag` is the time in seconds from
    `arrived_at` to `matched_at`.
    """

    state: Literal["waiting", "matched", "mark"]
    arrived_at: datetime
    document_id: str = ""
    accession_number: str = ""
    first: bool = False
    matched_at: datetime | None = None
    lag: float | None = None


# Positions of the event log are in this order.
EVENTS = "events"


class LogPosition(Struct, frozen=True):
    """A position in an order, after everything acknowledged before.

    In the order `events` it is a position of the event log. Otherwise it belongs to arrivals before
    the log existed: `seq_no` counts the writes to their index, whose id is `index`.
    """

    index: str
    seq_no: int


class StoredAlertTrigger(Struct, frozen=True, omit_defaults=True):
    """An alert trigger.

    It covers arrivals after the position `after`, which was taken at `watching_since`: when it was
    made, last enabled, or last changed in its query or filters. `word_forms` says whether words of
    the query also find their inflections and related words. With `rows` it watches such rows, by
    `row_filters`, and has neither query nor `filters`. The `reading` "person" reads the query as a
    question, in which `names` name companies by their CIKs. With `operands` "most" a document may
    lack one of three or more operands. Its notifications also go to its `webhooks`, named by id,
    and by `mail` to the account's mailbox.
    """

    name: str
    watching_since: datetime
    query: str | None = None
    filters: DocumentFilters = DocumentFilters()
    enabled: bool = True
    last_matched_at: datetime | None = None
    after: LogPosition | None = None
    word_forms: Literal["exact", "all", "related"] = "exact"
    rows: RowsName | None = None
    row_filters: RowFilters = RowFilters()
    reading: Literal["exact", "person"] = "exact"
    operands: Literal["all", "most"] = "all"
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    webhooks: tuple[str, ...] = ()
    mail: MailRate | None = None

    def covers(self, position: LogPosition) -> bool:
        """Return True if an arrival at this position is after the trigger's own.

        Arrivals from before the log existed precede all positions in it. Positions in different
        indices of arrivals cannot be compared; then the trigger covers the arrival.
        """
        after = self.after
        if after is None or after.index != position.index:
            return after is None or after.index != EVENTS
        return after.seq_no < position.seq_no
