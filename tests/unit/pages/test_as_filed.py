"""Addresses of documents as filed, and what these may do."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from edgar_search.stored.filings import FilingDocument
from edgar_search.web.pages.frames import Frame, Shown, frame_address, policy, signature

NUMBER = "0000320193-24-000001"
SECRET = b"secret"


def document(name: str) -> FilingDocument:
    return FilingDocument(f"{NUMBER}-1", "10-K", "", 1, name)


BEGINNING = Shown(0, "")


def frame(name: str, now: float, query: str = "", shown: Shown = BEGINNING) -> Frame | None:
    return frame_address(SECRET, NUMBER, document(name), now, {"query": [query]}, shown)


def test_address_ends_after_some_minutes_and_is_the_same_for_some() -> None:
    first = frame("a.htm", 1_000_000_000)
    assert first == frame("a.htm", 1_000_000_100)
    assert first is not None
    _, folder, until, signed, number, name = first.address.split("/")
    assert (folder, number, name) == ("as-filed", NUMBER, "a.htm?part=1")
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
    assert (frame(name, 0) is not None) == is_shown


def test_query_is_signed_and_its_match_is_a_place_with_the_nonce() -> None:
    shown = frame("a.htm", 0, "moss", Shown(2, "m7"))
    other = frame("a.htm", 0, "fern", Shown(2, "m7"))
    assert shown is not None and other is not None
    assert re.fullmatch(r".*/a\.htm\?part=3&asked=query%3Dmoss&key=[\w-]{43}", shown.address)
    assert shown.address[-43:] != other.address[-43:]
    assert re.fullmatch("#n[0-9a-f]{16}-m7", shown.place)
    assert shown.place == f"{shown.names}7"


def test_filters_of_the_search_reach_the_links_in_the_frame() -> None:
    lists = {"query": ["moss"], "filters": ["form_type=10-K"]}
    found = frame_address(SECRET, NUMBER, document("a.htm"), 0, lists, BEGINNING)
    assert found is not None
    (asked,) = parse_qs(urlsplit(found.address).query)["asked"]
    assert parse_qs(asked) == lists


def test_file_that_is_no_text_is_shown_as_it_is() -> None:
    shown = frame("a.gif", 0, "moss")
    assert shown is not None
    assert shown.address.endswith(f"/{NUMBER}/a.gif")


@pytest.mark.parametrize("suffix", [".htm", ".gif"])
@pytest.mark.parametrize(
    "name", ["annual report", "100%25", '"q"', "a?b#c", "a;b&c=d", "é+ü", "%2e"]
)
def test_any_file_name_is_quoted_once(name: str, suffix: str) -> None:
    found = frame(name + suffix, 0, "moss")
    assert found is not None
    assert unquote(urlsplit(found.address).path).rpartition("/")[2] == name + suffix


@pytest.mark.parametrize("name", ["a/b.htm", "../../x.htm"])
def test_file_name_that_is_no_segment_of_a_path_is_replaced_by_the_document_id(name: str) -> None:
    found = frame(name, 0)
    assert found is not None
    assert urlsplit(found.address).path.endswith(f"/{NUMBER}/{NUMBER}-1")


def test_nothing_runs_and_nothing_is_loaded_but_images_of_the_submission() -> None:
    rules = policy("https://host/as-filed/1/s/n/").split("; ")
    leading = "sandbox allow-top-navigation-by-user-activation"
    assert {leading, "default-src 'none'", "form-action 'none'", "base-uri 'none'"} <= set(rules)
    assert [rule for rule in rules if rule.startswith("script")] == []
    assert "img-src https://host/as-filed/1/s/n/" in rules
