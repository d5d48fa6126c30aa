"""Bodies of webhooks: their size, and their formats for channels."""

import json
from datetime import UTC, datetime

import pytest

from edgar_search.alerts.chat_messages import chat_body
from edgar_search.alerts.deliverer import cut_snippet, event_of
from edgar_search.stored.user_items import DocumentMatch, StoredNotification, StoredUserItem

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def body(snippet: str = "", names: list[str] | None = None, message: str | None = None) -> str:
    """Return the body of the event of a document, or of a message."""
    document = DocumentMatch(
        ["A & B <!here> *CORP*"] if names is None else names,
        ["0009990101"] * 100,
        "0009990101-24-000001",
        "a.htm",
        "2024-04-30",
        "8-K",
        snippet,
        1.0,
        "0009990101-24-000001-1",
    )
    content = StoredNotification("t", None if message else document, message=message)
    item = StoredUserItem("a", "notifications", "n", NOW, content)
    return event_of(item, "https://search.example").body


@pytest.mark.parametrize("character", ["x", "\U0001f600", "\x01", '"'])
def test_body_is_below_20_kb_whatever_was_filed(character: str) -> None:
    names = [character * 1_000] * 100
    sent = body(character * 100_000, names)
    assert len(sent.encode()) < 20_000
    assert json.loads(sent)["data"]["document"]["snippet"].endswith("...")
    assert len(body(message=character * 100_000).encode()) < 20_000


@pytest.mark.parametrize(
    ("most", "cut"),
    [
        (2, "a ..."),
        (6, "a ..."),
        (7, "a &amp;..."),
        (12, "a &amp; ..."),
        (14, "a &amp; <mark></mark>..."),
        (17, "a &amp; <mark>wor</mark>..."),
        (99, "a &amp; <mark>words</mark> b"),
    ],
)
def test_snippet_is_cut_between_references_and_marks(most: int, cut: str) -> None:
    assert cut_snippet("a &amp; <mark>words</mark> b", most) == cut


def test_slack_gets_a_link_the_facts_and_the_marks() -> None:
    sent = json.loads(chat_body("slack", body("1 &lt; 2 of <mark>it</mark>")))
    assert sent == {
        "text": "*<https://search.example/document/0009990101-24-000001-1"
        "|A &amp; B &lt;!here&gt; *CORP*>*\n8-K, filed 2024-04-30\n> 1 &lt; 2 of *it*"
    }


def test_teams_gets_a_card_with_the_same() -> None:
    sent = json.loads(chat_body("teams", body("1 &lt; 2 of <mark>it</mark>")))
    (attachment,) = sent["attachments"]
    place = "https://search.example/document/0009990101-24-000001-1"
    assert [block["text"] for block in attachment["content"]["body"]] == [
        rf"[A & B <!here> \*CORP\*]({place})",
        "8-K, filed 2024-04-30",
        "1 < 2 of **it**",
    ]


@pytest.mark.parametrize("event", [body(message="x was disabled"), '{"data":{"webhook_id":"1"}}'])
def test_message_and_test_are_sent_to_channels_too(event: str) -> None:
    text = "x was disabled" if "disabled" in event else "A test of edgar-search."
    assert json.loads(chat_body("slack", event)) == {"text": f"*{text}*"}
    (attachment,) = json.loads(chat_body("teams", event))["attachments"]
    assert [block["text"] for block in attachment["content"]["body"]] == [text]


def test_standard_body_is_sent_as_it_is() -> None:
    assert chat_body("standard", body("x")) == body("x")
