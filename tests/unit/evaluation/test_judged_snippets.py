"""The judged snippets are whole."""

from evaluation.judged_queries import judged_queries
from evaluation.snippets import (
    DRAWN,
    digest,
    fresh_snippets,
    judged_snippets,
    useless_snippets,
)


def test_a_hundred_snippets_are_judged_each_with_a_reason() -> None:
    snippets = judged_snippets()
    assert len(snippets) == 100
    assert len({(snippet.query, snippet.document_id) for snippet in snippets}) == 100
    assert all(snippet.reason for snippet in snippets)


def test_each_is_of_a_judged_query() -> None:
    assert {snippet.query for snippet in judged_snippets()} <= {
        query.id for query in judged_queries()
    }


def test_a_digest_tells_texts_apart() -> None:
    digests = {digest(text) for text in ("a snippet", "another snippet")}
    assert len(digests) == 2
    assert {len(each) for each in digests} == {len(judged_snippets()[0].digest)}


def test_fresh_snippets_are_judged_each_with_a_reason() -> None:
    fresh = fresh_snippets()
    assert len({each.digest for each in fresh}) == len(fresh) == DRAWN
    assert all(each.reason for each in fresh)


def test_useless_snippets_are_of_two_hundred_questions_before_and_after() -> None:
    useless = useless_snippets()
    assert len({(each.question, each.document_id) for each in useless}) == 2 * DRAWN
    assert len({(each.document_id, each.digest, each.question) for each in useless}) == len(useless)
