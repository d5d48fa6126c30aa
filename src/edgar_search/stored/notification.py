"""What the index `user_items` keeps of a notification."""

from datetime import datetime

from msgspec import Struct


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
