"""Queries near to a query: each changes one word or phrase."""

import pytest

from edgar_search.search.language import parse, query_text
from edgar_search.search.language.word_forms import number_forms
from edgar_search.search.variants import near_queries


@pytest.mark.parametrize(
    ("query", "near"),
    [
        (
            '"material weakness"',
            [
                ("number", '"material weaknesses"'),
                ("hyphen", "materialweakness"),
                ("proximity", '"material weakness"~5'),
                ("forms", '"material weakness"'),
            ],
        ),
        (
            "(subsidiaries OR Tax) NOT swap",
            [
                ("number", "(subsidiary OR Tax) NOT swap"),
                ("number", "(subsidiaries OR taxes) NOT swap"),
                ("forms", "(subsidiaries OR Tax) NOT swap"),
            ],
        ),
        ("e-mail", [("number", '"e mails"'), ("hyphen", "email"), ("forms", "e-mail")]),
        (
            '"risk factors"~9',
            [
                ("number", '"risk factor"~9'),
                ("hyphen", "riskfactors"),
                ("forms", '"risk factors"~9'),
            ],
        ),
        ("impair*", [("forms", "impair*")]),
        ("layoff", [("number", "layoffs"), ("forms", "layoff"), ("related", "layoff")]),
    ],
)
def test_near_queries_are(query: str, near: list[tuple[str, str]]) -> None:
    found = [(kind, query_text(node)) for kind, node in near_queries(parse(query))]
    assert found == near


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("weakness", ("weaknesses",)),
        ("weaknesses", ("weakness",)),
        ("company", ("companies",)),
        ("companies", ("company",)),
        ("qqqq", ()),
        ("2.0", ()),
    ],
)
def test_other_number_of_a_word(word: str, forms: tuple[str, ...]) -> None:
    assert number_forms(word) == forms
