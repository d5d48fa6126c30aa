"""Bodies of webhooks for Slack and Teams channels, derived from the standard body; pure."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import msgspec

from edgar_search.stored.user_items import WebhookFormat

_MARK = re.compile("</?mark>")
# Slack expects exactly these three characters escaped.
_SLACK = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Characters with a meaning in Markdown.
_MARKDOWN = re.compile(r"([\\`*_\[\]])")
_CARD = "application/vnd.microsoft.card.adaptive"


def chat_body(format_: WebhookFormat, body: str) -> str:
    """Convert the body of an event to a webhook's format; equal events give equal bytes."""
    if format_ == "standard":
        return body
    event = msgspec.json.decode(body)
    message = _slack(event) if format_ == "slack" else _teams(event)
    return msgspec.json.encode(message).decode()


def _slack(event: dict[str, Any]) -> dict[str, Any]:
    """Build a message for an incoming webhook of Slack."""
    title, link, facts, text = _parts(event, lambda text_part: text_part.translate(_SLACK), "*")
    first = f"*<{link}|{title}>*" if link else f"*{title}*"
    lines = [first, *([facts] if facts else []), *(f"> {line}" for line in text.splitlines())]
    return {"text": "\n".join(lines)}


def _teams(event: dict[str, Any]) -> dict[str, Any]:
    """Build a message with an adaptive card for a Teams workflow."""
    title, link, facts, text = _parts(event, lambda each: _MARKDOWN.sub(r"\\\1", each), "**")
    blocks = [
        {"type": "TextBlock", "text": each, "wrap": True, **more}
        for each, more in (
            (f"[{title}]({link})" if link else title, {"weight": "Bolder"}),
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
    """Return the escaped title, link, facts and text of an event."""
    data = event["data"]
    document = data.get("document")
    if document is None:
        message = data.get("message") or "A test of edgar-search."
        return escape(message), "", "", ""
    company = (document["related_company_names"] or ["no company named"])[0]
    links = data["links"]
    facts = f"{document['form_type']}, filed {document['filing_date']}"
    # Every second piece was inside marks.
    pieces = [escape(unescape(piece)) for piece in _MARK.split(document["snippet"])]
    marked = [
        f"{bold}{piece}{bold}" if number % 2 and piece.strip() else piece
        for number, piece in enumerate(pieces)
    ]
    link = links.get("document") or links["filed"]
    return escape(company), link, escape(facts), "".join(marked)
