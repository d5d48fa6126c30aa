"""Made queries over the real corpus: the service against the oracle, and what its snippets show."""

import html
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from edgar_search.search.language import ALL, EXACT, RELATED
from edgar_search.text.words import tokens
from tests.acceptance.made_queries import each_made_tree, is_too_dear
from tests.acceptance.service import Service
from tests.oracle.forms import forms, related
from tests.oracle.texts import Texts
from tests.oracle.tree import All, Leaf, Quoted, Term, Tree, Wild, leaves, query_text, with_forms
from tests.support.asking import stands_in

MAX_SNIPPET = 300
PAGE = 100
# Sets are compared whole up to this size; of a larger one the total and the first page.
MAX_WALKED = 300
_MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)


def check(service: Service, texts: Texts, examples: int) -> None:
    """Compare this many made trees, each written with AND and without."""
    each_made_tree(texts, examples, EXACT, partial(_compare_spellings, service, texts))


def check_forms(service: Service, texts: Texts, examples: int) -> None:
    """Compare this many made trees with the forms of their words, and with related words."""
    for word_forms in (ALL, RELATED):
        compare = partial(_compare_with_forms, service, texts, word_forms)
        each_made_tree(texts, examples // 2, word_forms, compare)


def check_questions(service: Service, texts: Texts, examples: int) -> None:
    """Ask this many made trees as questions, and compare with what the answers say of them."""
    compared: list[str] = []
    each_made_tree(texts, examples, EXACT, partial(_compare_as_question, service, texts, compared))
    # Others of the trees have no phrase.
    assert len(compared) > examples // 10


def test_made_queries_find_what_the_oracle_finds(service: Service, texts: Texts) -> None:
    check(service, texts, examples=40)


def test_made_queries_with_forms_find_what_the_oracle_finds(service: Service, texts: Texts) -> None:
    check_forms(service, texts, examples=60)


def test_made_questions_find_what_their_reading_says(service: Service, texts: Texts) -> None:
    check_questions(service, texts, examples=100)


@pytest.mark.long
def test_five_thousand_made_questions_find_what_their_reading_says(
    service: Service, texts: Texts
) -> None:
    check_questions(service, texts, examples=5_000)


@pytest.mark.long
def test_ten_thousand_made_queries_with_forms_find_what_the_oracle_finds(
    service: Service, texts: Texts
) -> None:
    check_forms(service, texts, examples=10_000)


@pytest.mark.long
def test_ten_thousand_made_queries_find_what_the_oracle_finds(
    service: Service, texts: Texts
) -> None:
    check(service, texts, examples=5_000)


def _compare_spellings(service: Service, texts: Texts, tree: Tree) -> None:
    wanted = texts.matching(tree)
    for implied in (False, True):
        _compare(service, texts, tree, wanted, query=query_text(tree, implied))


def _compare_with_forms(service: Service, texts: Texts, word_forms: str, tree: Tree) -> None:
    formed = with_forms(tree, related=word_forms == RELATED)
    query = query_text(tree, implied=True)
    _compare(service, texts, formed, texts.matching(formed), query=query, word_forms=word_forms)


def _compare_as_question(service: Service, texts: Texts, compared: list[str], tree: Tree) -> None:
    """Ask for phrases of the tree as a person does, and for what is left of it plainly."""
    phrases = tuple(dict.fromkeys(leaf for leaf in leaves(tree) if isinstance(leaf, Quoted)))[:2]
    if not phrases:
        return
    tree = All(phrases)
    question = f"What about {query_text(tree, implied=True)} in the 10-K for FY2003?"
    if is_too_dear(question, EXACT):
        return
    compared.append(question)
    asked = {"query": question, "reading": "person"}
    page = service.search(**asked, limit=PAGE)
    plain = _without_recognised(question, page["reading"])
    wanted = service.search(query=plain, limit=PAGE)
    assert page["total_count"] == wanted["total_count"], f"{question!r} as {plain!r}"
    assert wanted["total_count"] == len(texts.matching(tree)), question
    found = [item["document_id"] for item in page["items"]]
    if page["total_count"] <= PAGE:
        assert set(found) == {item["document_id"] for item in wanted["items"]}, question
    few = [
        item["document_id"]
        for offset in range(0, min(len(found), 9), 3)
        for item in service.search(**asked, limit=3, offset=offset)["items"]
    ]
    assert few == found[: len(few)], question


def _without_recognised(question: str, reading: Sequence[dict[str, Any]]) -> str:
    """Take the words away that an answer says do not match."""
    kept = list(question)
    for part in reading:
        if part["kind"] in ("company", "person", "form_type", "period"):
            kept[part["start"] : part["end"]] = " " * (part["end"] - part["start"])
    left = "".join(kept)
    for part in reading:
        if part["kind"] == "left_out":
            for word in part["text"].split():
                # In quotes every word counts.
                outside = rf"(?<!\S){re.escape(word)}(?!\S)(?=[^\"]*(?:\"[^\"]*\"[^\"]*)*\Z)"
                left = re.sub(outside, "", left, count=1)
    return " ".join(left.split())


def _compare(
    service: Service, texts: Texts, tree: Tree, wanted: frozenset[str], **asked: str
) -> None:
    query = asked["query"]
    page = service.search(**asked, limit=PAGE)
    assert page["total_count"] == len(wanted), query
    items = page["items"]
    found = [item["document_id"] for item in items]
    while len(found) < len(wanted) <= MAX_WALKED:
        rest = service.search(**asked, limit=PAGE, offset=len(found))["items"]
        found += [item["document_id"] for item in rest]
    assert len(set(found)) == len(found) == min(len(wanted), max(PAGE, len(found))), query
    assert wanted.issuperset(found), query
    words = {word for leaf in leaves(tree) for word in _words(texts, leaf)}
    for item in items[:5]:
        where = f"{query!r} in {item['document_id']}: {item['snippet']!r}"
        _check_snippet(item["snippet"], texts.texts[item["document_id"]], tree, words, where)


def _check_snippet(snippet: str, text: str, tree: Tree, words: set[str], where: str) -> None:
    shown = html.unescape(snippet.replace("<mark>", "").replace("</mark>", ""))
    shown = shown.removeprefix("...").removesuffix("...")
    assert stands_in(snippet, text), where
    assert len(shown) <= MAX_SNIPPET, where
    marked = [html.unescape(mark) for mark in _MARK.findall(snippet)]
    assert marked, where
    for mark in marked:
        assert _is_meant(tokens(mark), leaves(tree), words), f"{mark!r}: {where}"
    for leaf in leaves(tree):
        if tree == leaf and isinstance(leaf, Quoted) and not leaf.slop:
            _check_phrase(tokens(leaf.text), tokens(shown), list(map(tokens, marked)), where)


def _is_meant(mark: list[str], wanted: Sequence[Leaf], words: set[str]) -> bool:
    """Return True if leaves mean these marked tokens; marks that overlap are shown as one."""
    if words.issuperset(mark):
        return True
    # Between the words of a sloppy phrase there may be any others.
    return any(
        isinstance(leaf, Quoted) and leaf.slop and set(mark).issuperset(tokens(leaf.text))
        for leaf in wanted
    )


def _words(texts: Texts, leaf: Leaf) -> Sequence[str]:
    if isinstance(leaf, Wild):
        return texts.expanded(leaf)
    inflected = forms(leaf.text) if isinstance(leaf, Term) and leaf.forms else []
    others = related(leaf.text) if isinstance(leaf, Term) and leaf.related else []
    return [*tokens(leaf.text), *inflected, *(word for other in others for word in other)]


def _check_phrase(words: list[str], shown: list[str], marked: list[list[str]], where: str) -> None:
    """A phrase that is shown is marked as one; where it is in no passage, its words are."""
    places = range(len(shown) - len(words) + 1)
    if any(shown[place : place + len(words)] == words for place in places):
        assert any(mark[: len(words)] == words for mark in marked), where
