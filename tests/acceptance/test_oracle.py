"""Made queries over the real corpus: the service against the oracle, and what its snippets show."""

import html
import re
from collections.abc import Sequence
from functools import partial

import pytest

from edgar_search.search.language import ALL, EXACT, RELATED
from edgar_search.text.words import tokens
from tests.acceptance.made_queries import each_made_tree
from tests.acceptance.service import Service
from tests.oracle.forms import forms, related
from tests.oracle.texts import Texts
from tests.oracle.tree import Leaf, Quoted, Term, Tree, Wild, leaves, query_text, with_forms
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


def test_made_queries_find_what_the_oracle_finds(service: Service, texts: Texts) -> None:
    check(service, texts, examples=100)


def test_made_queries_with_forms_find_what_the_oracle_finds(service: Service, texts: Texts) -> None:
    check_forms(service, texts, examples=100)


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
    """True if leaves mean these marked tokens; marks that overlap are shown as one."""
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
