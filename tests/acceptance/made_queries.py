"""Queries made of the corpus' own words, as many as a test wants; the seed is printed."""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings

from edgar_search.search import language
from edgar_search.search.language import QueryError
from tests.oracle.forms import grouped_words
from tests.oracle.queries import trees
from tests.oracle.texts import Texts
from tests.oracle.tree import All, Leaf, Quoted, Term, Tree, Wild, query_text

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "20261120"))
MAX_QUERY = 1_000
MAX_WILDCARDS = 5
_TOO_DEAR = ("phrases of more than", "words with too many forms")


def each_made_tree(
    texts: Texts, examples: int, word_forms: str, compare: Callable[[Tree], None]
) -> None:
    """Compare this many made trees, except for those that the service refuses with these forms."""
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(trees(texts, grouped_words() if word_forms == language.RELATED else ()))
    def compare_made(tree: Tree) -> None:
        wildcards = sum(isinstance(leaf, Wild) for leaf in _all_leaves(tree))
        query = query_text(tree, implied=False)
        short = len(query) <= MAX_QUERY and wildcards <= MAX_WILDCARDS
        if short and not is_too_dear(query, word_forms):
            compare(tree)

    compare_made()


def is_too_dear(query: str, word_forms: str) -> bool:
    """Return True if the bound on cost refuses it, as it does about one of 200."""
    try:
        language.with_forms(language.parse(query), word_forms)
    except QueryError as error:
        assert any(reason in str(error) for reason in _TOO_DEAR), query
        return True
    return False


def _all_leaves(tree: Tree) -> list[Leaf]:
    if isinstance(tree, Term | Quoted | Wild):
        return [tree]
    inner = (*tree.wanted, *tree.unwanted) if isinstance(tree, All) else tree.of
    return [leaf for operand in inner for leaf in _all_leaves(operand)]
