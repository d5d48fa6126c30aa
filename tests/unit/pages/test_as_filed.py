"""Addresses of documents as filed, and what these may do."""

import pytest

from edgar_search.stored.filings import FilingDocument
from edgar_search.web.pages.as_filed import frame_address, policy, signature

NUMBER = "0000320193-24-000001"
SECRET = b"secret"


def document(name: str) -> FilingDocument:
    return FilingDocument(f"{NUMBER}-1", "10-K", "", 1, name)


def test_address_ends_after_some_minutes_and_is_the_same_for_some() -> None:
    first = frame_address(SECRET, NUMBER, document("a.htm"), 1_000_000_000)
    again = frame_address(SECRET, NUMBER, document("a.htm"), 1_000_000_100)
    assert first == again
    assert first is not None
    _, folder, until, signed, number, name = first.split("/")
    assert (folder, number, name) == ("as-filed", NUMBER, "a.htm")
    assert 1_000_000_600 < int(until) <= 1_000_000_900
    assert signed == signature(SECRET, NUMBER, until)


def test_signature_is_of_number_time_and_secret() -> None:
    signed = {
        signature(secret, number, until)
        for secret in (b"a", b"b")
        for number in (NUMBER, NUMBER[:-1] + "2")
        for until in ("1", "2")
    }
    assert len(signed) == 8


@pytest.mark.parametrize(("name", "is_shown"), [("A.HTM", True), ("", True), ("a.pdf", False)])
def test_only_what_a_frame_shows_has_an_address(name: str, is_shown: bool) -> None:
    assert (frame_address(SECRET, NUMBER, document(name), 0) is not None) == is_shown


def test_nothing_runs_and_nothing_is_loaded_but_images_of_the_submission() -> None:
    rules = policy("https://host/as-filed/1/s/n/").split("; ")
    assert {"sandbox", "default-src 'none'", "form-action 'none'", "base-uri 'none'"} <= set(rules)
    assert [rule for rule in rules if rule.startswith("script")] == []
    assert "img-src https://host/as-filed/1/s/n/" in rules
