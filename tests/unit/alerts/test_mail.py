"""Mails: the time of the next one, and how it reads."""

from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from edgar_search.alerts.mail_messages import (
    Addresses,
    MailHit,
    Section,
    digest,
    shown_day,
    shown_snippet,
)
from edgar_search.alerts.mailboxes import due_of
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.stored.user_items import MailRate, StoredMailbox
from tests.support.mail_server import html_of, text_of

ADDRESSES = Addresses("alerts@search.example", "me@mail.example", "https://search.example")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("rate", "zone", "now", "due"),
    [
        ("at_once", "UTC", "2024-05-01T10:20:30", "2024-05-01T10:20:30"),
        ("hourly", "UTC", "2024-05-01T10:00:00", "2024-05-01T11:00:00"),
        ("daily", "UTC", "2024-05-01T06:59:59", "2024-05-01T07:00:00"),
        ("daily", "UTC", "2024-05-01T07:00:00", "2024-05-02T07:00:00"),
        ("daily", "America/New_York", "2024-05-01T10:59:00", "2024-05-01T11:00:00"),
        ("daily", "America/New_York", "2024-11-02T20:00:00", "2024-11-03T12:00:00"),
        ("daily", "Asia/Kolkata", "2024-05-01T00:00:00", "2024-05-01T01:30:00"),
        ("weekly", "UTC", "2024-05-06T06:00:00", "2024-05-06T07:00:00"),
        ("weekly", "UTC", "2024-05-06T07:00:00", "2024-05-13T07:00:00"),
        ("weekly", "Pacific/Auckland", "2024-05-05T18:59:00", "2024-05-05T19:00:00"),
    ],
)
def test_mail_is_due_at_the_hour_of_the_mailbox(
    rate: MailRate, zone: str, now: str, due: str
) -> None:
    assert due_of(rate, StoredMailbox("a", 7, zone), moment(now)) == moment(due)


def mail(name: str, hits: list[MailHit], total: int) -> EmailMessage:
    return digest(ADDRESSES, "id", [Section(name, hits)], total, "TOKEN")


def test_text_and_html_say_the_same() -> None:
    hit = MailHit(
        company="A & B <CORP>",
        form="8-K",
        items="item 2.02",
        filed=shown_day("2024-05-01"),
        snippet=shown_snippet("1 &lt; 2 of <mark>it</mark>"),
        link="https://search.example/document/1",
    )
    message = mail("going concern", [hit], 1)
    assert text_of(message).split("\n\n") == [
        "going concern",
        "A & B <CORP>",
        "https://search.example/document/1",
        "8-K · item 2.02 · filed May 1, 2024",
        "1 < 2 of *it*",
        "Change your alerts",
        "https://search.example/account/alerts",
        "Unsubscribe",
        "https://search.example/mail/unsubscribe?token=TOKEN",
        "You get this mail because you asked for it by an alert.\n",
    ]
    assert "A &amp; B &lt;CORP&gt;" in html_of(message)


def test_link_that_unsubscribes_is_plain_in_the_header_however_long() -> None:
    message = digest(ADDRESSES, "id", [Section("é", [MailHit("m")])], 1, "T" * 500)
    (line,) = [
        splitline
        for splitline in bytes(message).splitlines()
        if splitline.startswith(b"List-Unsubscribe:")
    ]
    place = f"https://search.example/mail/unsubscribe?token={'T' * 500}"
    assert line.decode() == f"List-Unsubscribe: <{place}>"


def test_name_of_an_alert_cannot_add_a_header_or_markup() -> None:
    message = mail("x\r\nBcc: all@mail.example <img src=x>", [MailHit("m")], 1)
    assert message["Subject"] == "xBcc: all@mail.example <img src=x>: m"
    assert message["Bcc"] is None
    assert "<img" not in html_of(message)


def test_long_names_are_cut_in_the_subject() -> None:
    assert len(mail("x" * 1_000, [MailHit("m")], 1)["Subject"]) == 150


def test_subject_counts_what_is_new_and_has_a_single_message_whole() -> None:
    said = MailHit("the webhook mine was disabled: its receiver answered 410 Gone")
    assert mail("10-K", [said], 1)["Subject"] == f"10-K: {said.message}"
    assert mail("10-K", [said, said], 2)["Subject"] == "2 new: 10-K"
    assert mail("10-K", [MailHit(company="A")], 1)["Subject"] == "1 new: 10-K"


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, "MAIL_FROM is needed"),
        ({"MAIL_FROM": "me"}, "MAIL_FROM: must be an address"),
        ({"MAIL_FROM": "a@b.example"}, "SERVICE_URL is needed"),
        ({"MAIL_FROM": "a@b.example", "SERVICE_URL": "https://b.example"}, "SECRETS_KEY is needed"),
    ],
)
def test_settings_that_can_send_no_mail_are_refused(changes: dict[str, str], wrong: str) -> None:
    given = {"SMTP_HOST": "mail.example", **changes}
    with pytest.raises(SettingsError, match=wrong):
        Settings.from_environ({f"EDGAR_SEARCH_{name}": value for name, value in given.items()})


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"SMTP_USER": "me"}, "go together"),
        ({"SMTP_USER": "me", "SMTP_PASSWORD": "x", "SMTP_TLS": "none"}, "SMTP_TLS must be"),
    ],
)
def test_login_is_whole_and_encrypted(changes: dict[str, str], wrong: str) -> None:
    given = {
        "SMTP_HOST": "mail.example",
        "MAIL_FROM": "a@b.example",
        "SERVICE_URL": "https://b.example",
        "SECRETS_KEY": "k" * 32,
        **changes,
    }
    with pytest.raises(SettingsError, match=wrong):
        Settings.from_environ({f"EDGAR_SEARCH_{name}": value for name, value in given.items()})
