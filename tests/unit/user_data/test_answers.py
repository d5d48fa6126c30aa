"""Replies of the user endpoints, whole."""

from datetime import UTC, datetime

import msgspec

from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.user_items import (
    DocumentMatch,
    StoredAlertTrigger,
    StoredNotification,
    StoredSavedLink,
    StoredUserItem,
)
from edgar_search.web.auth.alert_triggers import alert_trigger
from edgar_search.web.auth.notifications import notification
from edgar_search.web.auth.saved_links import saved_link

MADE = datetime(2024, 1, 1, tzinfo=UTC)
MATCH = DocumentMatch(
    related_company_names=["STAR CORP"],
    ciks=["0009990501"],
    accnum="0009990501-21-000001",
    filename="a.txt",
    filing_date="2021-01-05",
    form_type="8-K",
    snippet="<mark>stars</mark>",
    score=0.5,
    document_id="0009990501-21-000001-1",
)


def test_notification_of_a_document() -> None:
    content = StoredNotification("t", MATCH)
    item = StoredUserItem("alice", "notifications", "n", MADE, content, "unread")
    assert msgspec.to_builtins(notification(item)) == {
        "id": "n",
        "alert_trigger_id": "t",
        "created_at": "2024-01-01T00:00:00Z",
        "read_at": None,
        "document": {
            "related_company_names": ["STAR CORP"],
            "ciks": ["0009990501"],
            "accnum": "0009990501-21-000001",
            "filename": "a.txt",
            "filing_date": "2021-01-05",
            "form_type": "8-K",
            "snippet": "<mark>stars</mark>",
            "score": 0.5,
            "document_id": "0009990501-21-000001-1",
        },
        "message": None,
    }
    since = {"0009990501-21-000001": "2024-03-01T00:00:00Z"}
    assert notification(item, since).withdrawn == "2024-03-01T00:00:00Z"


def test_notification_of_a_trigger_that_was_disabled() -> None:
    content = StoredNotification("t", read_at=MADE, message="why")
    item = StoredUserItem("alice", "notifications", "n", MADE, content, "read")
    answer = notification(item)
    assert (answer.document, answer.read_at, answer.message) == (None, MADE, "why")


def test_alert_trigger_shows_nothing_of_what_it_keeps_for_itself() -> None:
    content = StoredAlertTrigger("mine", MADE, filters=DocumentFilters(form_type=("8-K",)))
    item = StoredUserItem("alice", "alert_triggers", "t", MADE, content, "enabled")
    assert msgspec.to_builtins(alert_trigger(item)) == {
        "id": "t",
        "name": "mine",
        "query": None,
        "word_forms": "exact",
        "filters": {
            "cik": (),
            "ticker": (),
            "sic": (),
            "form_type": ("8-K",),
            "form_family": (),
            "company": None,
            "state": (),
            "incorporation_state": (),
            "item": (),
            "auditor": (),
            "period_from": None,
            "period_to": None,
            "fiscal_year": (),
            "document_type": (),
            "primary": False,
            "original": False,
            "figures": (),
            "currency": None,
        },
        "rows": None,
        "row_filters": {},
        "enabled": True,
        "created_at": "2024-01-01T00:00:00Z",
        "last_matched_at": None,
    }


def test_link_never_changed_was_updated_when_it_was_made() -> None:
    content = StoredSavedLink("https://example.com/")
    item = StoredUserItem("alice", "saved-links", "l", MADE, content)
    assert saved_link(item).updated_at == MADE
