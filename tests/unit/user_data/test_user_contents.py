"""The stored form of users' things: fields as they have been from the beginning."""

from typing import Any

import msgspec
import pytest

from edgar_search.stored.user_items import (
    StoredAlertTrigger,
    StoredFavorite,
    StoredNotification,
    StoredSavedLink,
)

MATCH = {
    "related_company_names": ["STAR CORP"],
    "ciks": ["0009990501"],
    "accnum": "0009990501-21-000001",
    "filename": "a.txt",
    "filing_date": "2021-01-05",
    "form_type": "8-K",
    "snippet": "<mark>stars</mark>",
    "score": 0.5,
    "document_id": "0009990501-21-000001-1",
}
FILTERS = {
    "cik": ["0009990501"],
    "form_type": ["8-K"],
    "company": "star",
    "period_from": "2024-01-01",
    "primary": True,
}


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (StoredNotification, {"alert_trigger_id": "t", "document": MATCH}),
        (
            StoredNotification,
            {"alert_trigger_id": "t", "read_at": "2024-01-01T00:00:00Z", "message": "why"},
        ),
        (
            StoredAlertTrigger,
            {
                "name": "mine",
                "watching_since": "2024-01-01T00:00:00Z",
                "query": "stars",
                "filters": FILTERS,
                "enabled": False,
                "last_matched_at": "2024-01-02T00:00:00Z",
                "after": {"index": "an index", "seq_no": 7},
            },
        ),
        (StoredAlertTrigger, {"name": "mine", "watching_since": "2024-01-01T00:00:00Z"}),
        (
            StoredFavorite,
            {"type": "filing", "target_id": "0009990501-21-000001", "label": "read this"},
        ),
        (StoredFavorite, {"type": "entity", "target_id": "0009990501"}),
        (
            StoredSavedLink,
            {
                "url": "https://example.com/",
                "title": "a title",
                "note": "a note",
                "tags": ["one"],
                "updated_at": "2024-01-01T00:00:00Z",
            },
        ),
        (StoredSavedLink, {"url": "https://example.com/"}),
    ],
)
def test_content_is_read_and_written_as_it_was_stored(
    kind: type[msgspec.Struct], stored: dict[str, Any]
) -> None:
    content = msgspec.json.decode(msgspec.json.encode(stored), type=kind, strict=True)
    assert msgspec.json.decode(msgspec.json.encode(content)) == stored
