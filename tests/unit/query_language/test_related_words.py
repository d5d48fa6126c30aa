"""The list of related words, and the words of a query that get some."""

from collections import Counter

import pytest

from edgar_search.search.language import (
    ALL,
    RELATED,
    Node,
    Word,
    check_cost,
    describe,
    leaves,
    parse,
    with_forms,
)
from edgar_search.search.language.tree import leaf_cost
from edgar_search.search.language.word_forms import related_groups
from edgar_search.search.query.matching import compile_tree
from edgar_search.search.query.proximity import proximity_clause
from edgar_search.search.query.scoring import form_weights, operand_clause
from edgar_search.text.inflections import inflections
from edgar_search.text.words import tokens
from tests.oracle.forms import related

# Each is reviewed, by its meaning and by what it changes (`python -m evaluation.related_words`).
MAX_GROUPS = 200
GROUPS = related_groups()
WORDS = [member for group in GROUPS for member in group if " " not in member]


def related_to(query: str) -> list[tuple[str, ...]]:
    """Return the related words of each word of a query."""
    return [leaf.related for leaf in leaves(read(query)) if isinstance(leaf, Word)]


def read(query: str) -> Node:
    return with_forms(parse(query), RELATED)


def test_list_is_within_its_bounds() -> None:
    assert len(GROUPS) <= MAX_GROUPS
    assert all(len(group) > 1 and len(tokens(group[0])) == 1 for group in GROUPS)
    assert sorted(GROUPS) == GROUPS
    written = [member for group in GROUPS for member in group]
    assert [" ".join(tokens(member)) for member in written] == written
    unasked = [word for word in WORDS if not (word.isascii() and word.isalpha() and len(word) > 2)]
    assert unasked == []


def test_no_word_is_in_two_groups_in_any_form() -> None:
    found = Counter(
        text
        for group in GROUPS
        for text in {text for each in group for text in (each, *inflections().forms(each))}
    )
    assert [text for text, number in found.items() if number > 1] == []


def test_no_group_costs_more_than_a_tenth_of_a_query() -> None:
    costs = {word: leaf_cost(next(leaves(read(word)))) for word in WORDS}
    assert max(costs.values()) <= 30
    check_cost(read("capex buyback layoffs revolver auditor ebitda spac cogs roe cyberattack"))


@pytest.mark.parametrize("query", ["Hotline", "HOTLINE", '"hotline"', "hotline-x", "hotlin*"])
def test_only_words_in_small_letters_have_related_words(query: str) -> None:
    assert read(query) == with_forms(parse(query), ALL)


def test_word_has_the_others_of_its_group_in_their_forms() -> None:
    assert related_to("hotline resign") == [("helpline", "helplines", "helpline's"), ()]
    assert related_to("capex")[0][:2] == ("capital expenditure", "capital expenditures")
    assert related_to("a NOT hotline") == [(), ("helpline", "helplines", "helpline's")]
    assert related_to("stockholder's") == [()]


@pytest.mark.parametrize("word", WORDS)
def test_related_words_are_those_that_the_oracle_reads(word: str) -> None:
    (texts,) = related_to(word)
    assert sorted(map(tokens, texts)) == sorted(related(word))


HOTLINE = '"hotline" "helpline" "helplines" "helpline\'s"'
BYLAWS = '"bylaws" "bylaw" "bylaw\'s" "by laws"'


def test_related_words_match_and_are_said() -> None:
    assert compile_tree(read("hotline bylaws")) == f"+({HOTLINE}) +({BYLAWS})"
    assert describe(read("bylaw")).endswith("or related words (`by laws`)")


def test_related_word_counts_half_and_no_more_than_its_word_does() -> None:
    tree = with_forms(parse("ytd"), RELATED)
    counts = {"ytd": 10, "year": 900, "to": 990, "date": 300}
    assert form_weights(tree, counts, 1_000) == [0.5]
    rare = {"ytd": 300, "year": 10, "to": 10, "date": 10}
    (weight,) = form_weights(tree, rare, 1_000)
    assert weight == pytest.approx(0.5 * 1.204 / (3 * 4.557), abs=0.001)
    (clause,) = operand_clause(tree)["dis_max"]["queries"][1:]
    assert clause == {"match_phrase": {"text": {"query": "year to date", "boost": 0.5}}}


def test_closeness_is_that_of_the_words_and_their_forms() -> None:
    assert proximity_clause(read("hotline report")) == proximity_clause(
        with_forms(parse("hotline report"), ALL)
    )
