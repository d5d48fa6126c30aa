"""Mails: digests and confirmations, as text and HTML from one template; pure.

A mail loads nothing from the network.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from html.parser import HTMLParser
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_SUBJECT_CHARS = 150
# The longest line that SMTP allows. Headers over the usual 78 would be encoded, and mail programs
# do not find the link in an encoded `List-Unsubscribe`.
_POLICY = SMTP.clone(max_line_length=998)
_MARK = '<mark style="background:#ffec99;color:#000">'


class Addresses(NamedTuple):
    """The sender and the receiver of a mail, and the address of the service."""

    sender: str
    to: str
    service: str


class MailHit(NamedTuple):
    """An event in a mail: a document with an HTML snippet, or a message without a company."""

    message: str = ""
    company: str = ""
    form: str = ""
    items: str = ""
    filed: str = ""
    snippet: Markup = Markup()
    link: str = ""


class Section(NamedTuple):
    """An alert and its events."""

    name: str
    hits: list[MailHit]


class _Mail(NamedTuple):
    subject: str
    begin: Sequence[str]
    sections: Sequence[Section]
    links: Sequence[tuple[str, str]]
    end: Sequence[str]


def digest(
    addresses: Addresses,
    message_id: str,
    sections: Sequence[Section],
    total: int,
    unsubscribe_token: str,
) -> EmailMessage:
    """Write the mail about these events out of `total`; one click unsubscribes from such mails."""
    service = addresses.service
    shown = sum(len(section.hits) for section in sections)
    ending = f"{service}/mail/unsubscribe?token={unsubscribe_token}"
    links = [("Change your alerts", f"{service}/account/alerts"), ("Unsubscribe", ending)]
    begin = []
    if total > shown:
        links.insert(0, (f"All {total:,} notifications", f"{service}/account/notifications"))
        begin = [f"{total:,} are new; the first {shown} are here."]
    mail = _Mail(
        _subject(sections, total),
        begin,
        sections,
        links,
        ["You get this mail because you asked for it by an alert."],
    )
    message = _message(addresses, message_id, mail)
    message["List-Unsubscribe"] = f"<{ending}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return message


def confirmation(addresses: Addresses, message_id: str, token: str, days: int) -> EmailMessage:
    """Write the mail that asks for permission to send alerts to an address."""
    host = addresses.service.partition("://")[2]
    mail = _Mail(
        f"Confirm this address for alerts of {host}",
        [
            f"A user of {host} wants alerts about SEC filings to be mailed to this address. If that"
            f" was you, confirm it within {days} days; you have to be signed in there.",
            "If it was not you, do nothing: no alerts will be sent.",
        ],
        [],
        [("Confirm the address", f"{addresses.service}/account/mail?token={token}")],
        [],
    )
    return _message(addresses, message_id, mail)


def trial(addresses: Addresses, message_id: str) -> EmailMessage:
    """Write the mail with which an operator tests the mail server."""
    mail = _Mail(
        "edgar-search can send mail",
        [f"The mail server takes mail of {addresses.service}."],
        [],
        [],
        [],
    )
    return _message(addresses, message_id, mail)


def shown_snippet(snippet: str) -> Markup:
    """Mark a search snippet, which is escaped text with `<mark>` only, as safe HTML for a mail."""
    return Markup(snippet.replace("<mark>", _MARK))


def shown_day(day: str) -> str:
    """Write a day such as `2024-01-31` in words."""
    return f"{date.fromisoformat(day):%B %-d, %Y}"


def _subject(sections: Sequence[Section], total: int) -> str:
    names = ", ".join(dict.fromkeys(section.name for section in sections))
    # The subject can hold a single message.
    message = sections[0].hits[0].message if total == 1 else ""
    words = f"{names}: {message}" if message else f"{total:,} new: {names}"
    words = " ".join("".join(filter(str.isprintable, words)).split())
    return words if len(words) <= _SUBJECT_CHARS else f"{words[: _SUBJECT_CHARS - 1]}…"


def _message(addresses: Addresses, message_id: str, mail: _Mail) -> EmailMessage:
    html = _template().get_template("mail.html").render(mail._asdict())
    message = EmailMessage(_POLICY)
    message["From"] = addresses.sender
    message["To"] = addresses.to
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{message_id}@{addresses.sender.partition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(plain_text(html))
    message.add_alternative(html, subtype="html")
    return message


@cache
def _template() -> Environment:
    return Environment(
        loader=PackageLoader("edgar_search.alerts"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def plain_text(html: str) -> str:
    """Convert a mail's HTML to text: a line for each paragraph, links and marks as text."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    return (
        "\n\n".join(
            line for paragraph in reader.paragraphs if (line := " ".join(paragraph.split()))
        )
        + "\n"
    )


class _Text(HTMLParser):
    """Collects the text of the template's well-formed HTML, without the subject."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs = [""]
        self._href = ""
        self._in_text = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("p", "h2"):
            self._in_text = True
            self.paragraphs.append("")
        elif tag == "a":
            self._href = dict(attrs).get("href") or ""
        elif tag == "mark":
            self.paragraphs[-1] += "*"

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self.paragraphs.append(self._href)
        elif tag == "mark":
            self.paragraphs[-1] += "*"

    def handle_data(self, data: str) -> None:
        if self._in_text:
            self.paragraphs[-1] += data
