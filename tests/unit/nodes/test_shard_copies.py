"""The copies of shards that a request asks while a data node hangs."""

import msgspec
import pytest

from edgar_search.engine.client import (
    Preference,
    Shard,
    ShardCopies,
    avoid_hanging_nodes,
    can_avoid,
)

PREFERENCE = Preference(frozenset({"c"}), frozenset({"b", "a"}))
PREFERS = {"preference": "_prefer_nodes:a,b"}


@pytest.mark.parametrize(
    ("method", "path", "can"),
    [
        ("POST", "/edgar-documents/_search", True),
        ("POST", "/_msearch", True),
        ("POST", "/edgar-tickers/_mget", True),
        ("GET", "/edgar-api_keys/_doc/a", True),
        ("POST", "/edgar-documents/_pit", True),
        # Elasticsearch refuses the parameter in a write, and at a point in time.
        ("POST", "/edgar-usage/_doc/a", False),
        ("PUT", "/edgar-usage/_doc/a", False),
        ("POST", "/_search", False),
        ("POST", "/edgar-documents/_refresh", False),
        ("POST", "/edgar-documents/_validate/query", False),
        ("POST", "/_bulk", False),
    ],
)
def test_what_can_be_told_which_copies_to_ask(method: str, path: str, can: bool) -> None:
    assert can_avoid(method, path) is can


def test_preference_takes_the_place_of_the_accounts() -> None:
    options = {"params": {"preference": "account a", "search_type": "x"}, "body": {"size": 1}}
    assert avoid_hanging_nodes("/edgar-documents/_search", options, PREFERENCE) == {
        "params": {"search_type": "x", **PREFERS},
        "body": {"size": 1},
    }


def test_request_without_parameters_has_it_too() -> None:
    options = {"params": None, "body": None}
    assert avoid_hanging_nodes("/edgar-keys/_doc/a", options, PREFERENCE) == {
        "params": PREFERS,
        "body": None,
    }


def test_each_of_several_searches_has_it() -> None:
    lines = [{"index": "a", "preference": "account a"}, {"size": 1}, {"index": "b"}, {"size": 2}]
    body = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    changed = avoid_hanging_nodes("/_msearch", {"params": None, "body": body}, PREFERENCE)
    assert [msgspec.json.decode(line) for line in changed["body"].splitlines()] == [
        {"index": "a", **PREFERS},
        {"size": 1},
        {"index": "b", **PREFERS},
        {"size": 2},
    ]
    assert changed["body"].endswith(b"\n")


def test_nodes_are_those_with_a_copy_that_can_be_asked() -> None:
    copies = ShardCopies(
        [
            [Shard("x", 0, "a", "STARTED"), Shard("x", 0, "b", "INITIALIZING")],
            [Shard("y", 1, "a", "STARTED"), Shard("y", 1, "c", "STARTED"), Shard("y", 1)],
        ]
    )
    assert copies.nodes == {"a", "c"}
    assert copies.first_on_each()["a"] == Shard("x", 0, "a", "STARTED")


def preference(avoided: str, asked: str) -> Preference:
    return Preference(frozenset(avoided), frozenset(asked))


@pytest.mark.parametrize(
    ("now", "waiting", "betters"),
    [
        (preference("c", "ab"), preference("", ""), True),
        (preference("c", "ab"), preference("c", "ab"), False),
        # The only other copy of a shard may have been that of c.
        (preference("c", "ab"), preference("bc", "a"), True),
        (preference("", "abc"), preference("c", "ab"), True),
        (preference("", "abc"), preference("", ""), False),
    ],
)
def test_what_waits_is_sent_again_if_it_has_something_to_gain(
    now: Preference, waiting: Preference, betters: bool
) -> None:
    assert now.betters(waiting) is betters
