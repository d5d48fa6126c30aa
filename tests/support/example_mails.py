"""A mail of each kind, as people get them."""

from edgar_search.alerts.mail_messages import (
    Addresses,
    MailHit,
    Section,
    confirmation,
    digest,
    shown_day,
    shown_snippet,
)

_ADDRESSES = Addresses("alerts@search.example", "me@mail.example", "https://search.example")
_LINK = "https://search.example/document/0009990102-21-000044-1"
_DIGEST = [
    Section(
        "going concern, 10-K",
        [
            MailHit(
                company="QUILLFEATHER PAPER CO",
                form="10-K",
                filed=shown_day("2025-03-06"),
                snippet=shown_snippet(
                    "These conditions raise substantial doubt about the Company&#x27;s ability to"
                    " continue as a <mark>going concern</mark> within one year after the date that"
                    " these statements are issued."
                ),
                link=_LINK,
            ),
            MailHit(
                company="SALTMARSH SAVINGS BANCORP INC /NC/",
                form="10-K/A",
                filed=shown_day("2025-03-05"),
                snippet=shown_snippet("no doubt about it as a <mark>going concern</mark> remains"),
                link=_LINK,
            ),
        ],
    ),
    Section(
        "auditors",
        [
            MailHit(
                company="A company with a name that is much longer than a line of a telephone is",
                form="8-K",
                items="items 4.01, 9.01",
                filed=shown_day("2025-03-04"),
                snippet=shown_snippet("the <mark>auditors</mark> resigned"),
                link=_LINK,
            )
        ],
    ),
    Section(
        "about your alerts", [MailHit("the webhook desk was disabled: it has failed for 5 days")]
    ),
]
EXAMPLE_MAILS = {
    "digest": digest(_ADDRESSES, "1", _DIGEST, 60, "TOKEN"),
    "confirmation": confirmation(_ADDRESSES, "2", "TOKEN", 3),
}
