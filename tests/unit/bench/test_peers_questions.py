"""Questions are the same each time, and the libraries mean by them what the service does."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from bench.corpus import Extracted
from bench.peers.in_sqlite import Sqlite, match
from bench.peers.peer import Batch, Peer
from bench.peers.questions import TEN, Question, Unable, generate, groups
from edgar_search.search.language import parse

TEXTS = {
    "1": "The goodwill of the Company's U.S. units, 1,234.5 in all, was impaired.",
    "2": "An impairment of the company. Fair value: none.",
    "3": "value that is fair; company",
    "4": "Material weakness of U.S and impairments; 10-K",
}
HITS = {
    "company": {"2", "3"},
    '"fair value"': {"2"},
    "fair value": {"2", "3"},
    "impair*": {"1", "2", "4"},
    "goodwill OR weakness": {"1", "4"},
    "company NOT impairment": {"3"},
    "company's": {"1"},
    "U.S": {"1", "4"},
    "1,234.5": {"1"},
    "234": set(),
    "10-K": {"4"},
    '("of the company" OR weakness) AND impairment': {"2"},
}


def document(key: str, text: str) -> Extracted:
    return Extracted(key, "10-K" if key < "3" else "8-K", f"200{key}-01-01", [], [], text)


DOCUMENTS = [document(key, text) for key, text in TEXTS.items()]


def sqlite(folder: Path) -> Peer:
    return Sqlite(folder)


def tantivy(folder: Path) -> Peer:
    pytest.importorskip("tantivy", reason="the extra `bench` is not installed")
    from bench.peers.in_tantivy import Tantivy

    return Tantivy(folder)


@pytest.fixture(params=[sqlite, tantivy])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Peer:
    make: Callable[[Path], Peer] = request.param
    peer = make(tmp_path / "peer")
    peer.build(Batch(tmp_path, DOCUMENTS, 1, len(DOCUMENTS), 0, len(DOCUMENTS), 0))
    return peer


@pytest.mark.parametrize("query", HITS)
def test_library_finds_what_the_service_means(peer: Peer, query: str) -> None:
    question = Question(query)
    found = peer.search(question)
    assert peer.matches(question) == set(found.ids) == HITS[query]
    assert found.total == len(found.ids) == found.marked


def test_library_filters(peer: Peer) -> None:
    assert peer.matches(Question("impair*", form_type="10-K")) == {"1", "2"}
    assert peer.matches(Question("impair*", from_date="2002-01-01")) == {"2", "4"}
    assert peer.matches(Question("impair*", to_date="2002-01-01")) == {"1", "2"}


def test_library_knows_forms(peer: Peer) -> None:
    assert peer.matches(Question("impairment", word_forms="all")) == {"1", "2", "4"}


def test_what_fts5_cannot_be_asked_is_said() -> None:
    for query in ('"fair value"~2', "val?es", "val*e"):
        with pytest.raises(Unable):
            match(parse("company OR " + query))


WORDY = [document("1", " ".join(f"{a}{b}ing" for a in "abcdefghij" for b in ("cd", "ef", "gh")))]


def test_generated_queries_are_different_and_the_same_each_time() -> None:
    first, again = (generate(WORDY, Random(1), 20) for _ in range(2))
    assert first == again
    assert len(set(first)) == 20
    for query in first:
        parse(query)


def test_every_kind_of_query_is_generated() -> None:
    queries = generate(WORDY, Random(1), 25)
    for mark in (" AND ", " OR ", '"', "*"):
        assert [query for query in queries if mark in query] != []


def test_texts_that_are_too_short_are_refused() -> None:
    with pytest.raises(ValueError, match="not enough words"):
        generate([document("1", "goodwill")], Random(1), 5)


def test_groups_ask_the_ten_in_three_ways() -> None:
    asked = groups(WORDY, 5)
    for group in ("ten", "filters", "forms"):
        assert [question.query for question in asked[group]] == list(TEN)
    assert all(len(question.filters()) == 3 for question in asked["filters"])
    assert len(asked["generated"]) == 5
