"""Bodies of webhooks for Slack and Teams channels, derived from the body of the event; pure."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import msgspec

from edgar_search.stored.user_items import WebhookFormat

_MARK = re.compile("</?mark>")
# Slack takes these three escaped, and no others.
_SLACK = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Special characters of Markdown.
_MARKDOWN = re.compile(r"([\\`*_\[\]])")
_CARD = "application/vnd.microsoft.card.adaptive"


def chat_body(format_: WebhookFormat, body: str) -> str:
    """Return the body of an event in the format of a webhook, the same bytes each time."""
    if format_ == "standard":
        return body
    event = msgspec.json.decode(body)
    made = _slack(event) if format_ == "slack" else _teams(event)
    return msgspec.json.encode(made).decode()


def _slack(event: dict[str, Any]) -> dict[str, Any]:
    """Return a message for an incoming webhook of Slack."""
    title, place, facts, text = _parts(event, lambda each: each.translate(_SLACK), "*")
    first = f"*<{place}|{title}>*" if place else f"*{title}*"
    lines = [first, *([facts] if facts else []), *(f"> {line}" for line in text.splitlines())]
    return {"text": "\n".join(lines)}


def _teams(event: dict[str, Any]) -> dict[str, Any]:
    """Return a message with an adaptive card for a workflow of Teams."""
    title, place, facts, text = _parts(event, lambda each: _MARKDOWN.sub(r"\\\1", each), "**")
    blocks = [
        {"type": "TextBlock", "text": each, "wrap": True, **more}
        for each, more in (
            (f"[{title}]({place})" if place else title, {"weight": "Bolder"}),
            (facts, {"isSubtle": True}),
            (text, {}),
        )
        if each
    ]
    content = {"type": "AdaptiveCard", "version": "1.4", "body": blocks}
    return {"type": "message", "attachments": [{"contentType": _CARD, "content": content}]}


def _parts(
    event: dict[str, Any], escape: Callable[[str], str], bold: str
) -> tuple[str, str, str, str]:
    """Return the title, its link, the facts and the text of an event, escaped."""
    data = event["data"]
    document = data.get("document")
    if document is None:
        message = data.get("message") or "A test of edgar-search."
        return escape(message), "", "", ""
    company = (document["related_company_names"] or ["no company named"])[0]
    links = data["links"]
    facts = f"{document['form_type']}, filed {document['filing_date']}"
    # Every second piece was between marks.
    pieces = [escape(unescape(each)) for each in _MARK.split(document["snippet"])]
    marked = [
        f"{bold}{each}{bold}" if number % 2 and each.strip() else each
        for number, each in enumerate(pieces)
    ]
    place = links.get("document") or links["filed"]
    return escape(company), place, escape(facts), "".join(marked)
