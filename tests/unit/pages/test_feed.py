"""Feeds: what is written is Atom, whatever is in a filing."""

import feedparser
import pytest
from msgspec.structs import replace

from edgar_search.api.scopes import check_scopes, feed_scope
from edgar_search.api.search import SearchItem
from edgar_search.errors import BadRequest
from edgar_search.web.pages.feed import atom, feed_link
from tests.support.atom import schema_errors

LISTS = {"query": ["a & b"], "form_type": ["10-K,8-K"]}
ITEM = SearchItem(
    related_company_names=["A <b>&\x00\x0b\ufffe Co"],
    ciks=["0000000001"],
    accnum="0000000001-25-000001",
    filename="a.htm",
    filing_date="2025-03-06",
    form_type="10-K",
    snippet="<mark>a</mark> &amp; \x1bb ]]> &lt;script&gt;",
    score=0.5,
    document_id="0000000001-25-000001-1",
    primary=True,
)


def test_hostile_characters_make_no_other_xml() -> None:
    body = atom("http://service.test", LISTS, [ITEM])
    read = feedparser.parse(body, sanitize_html=False)
    assert (schema_errors(body), read.bozo) == ([], False)
    (entry,) = read.entries
    assert entry.title == "A <b>& Co: 10-K, filed March 6, 2025"
    assert entry.summary == "<mark>a</mark> &amp; b ]]> &lt;script&gt;"


def test_feed_without_entries_is_valid() -> None:
    body = atom("http://service.test", LISTS, [])
    assert (schema_errors(body), feedparser.parse(body).bozo) == ([], False)


def test_schema_refuses_a_feed_without_an_id() -> None:
    body = atom("http://service.test", LISTS, [ITEM])
    assert schema_errors(body.replace(b"<id>", b"<ids>").replace(b"</id>", b"</ids>")) != []


def test_ids_do_not_depend_on_the_address_of_the_service() -> None:
    one, other = (feedparser.parse(atom(f"http://{name}", LISTS, [ITEM])) for name in ("a", "b"))
    assert one.feed.id == other.feed.id
    assert [entry.id for entry in one.entries] == [entry.id for entry in other.entries]


def test_scope_does_not_depend_on_the_order_of_parameters() -> None:
    assert feed_scope(LISTS) == feed_scope(dict(reversed(LISTS.items())))
    assert check_scopes([feed_scope(LISTS)]) == ["search.atom?form_type=10-K%2C8-K&query=a+%26+b"]


@pytest.mark.parametrize(
    "scope",
    [
        "search.atom",
        "search.atom?",
        "search.atom?query=",
        "search.atom?query=b&form_type=a",
        f"search.atom?query={'a' * 8_000}",
        "v1/other?query=a",
    ],
)
def test_scope_of_no_feed_is_refused(scope: str) -> None:
    with pytest.raises(BadRequest, match="is not a scope"):
        check_scopes([scope])


@pytest.mark.parametrize("cik", ["0000000001", "1"])
def test_feed_of_a_company_has_its_newest_name(cik: str) -> None:
    former = replace(
        ITEM, related_company_names=["Former Co"], document_id="0000000001-24-000001-1"
    )
    read = feedparser.parse(atom("http://a", {"cik": [cik]}, [ITEM, former]), sanitize_html=False)
    assert read.feed.title == "A <b>& Co"


def test_search_that_asks_nothing_has_no_feed() -> None:
    assert feed_link({"sort": ["newest"], "reading": ["exact"], "query": [" "]}, {}) is None
    assert feed_link({"dialect": ["westlaw"]}, {}) is None
    assert feed_link({"formType": ["8-K"]}, {}) is not None
