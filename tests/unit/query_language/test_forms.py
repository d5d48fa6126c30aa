"""The words of a query that get forms."""

import pytest

from edgar_search.search.language import (
    ALL,
    EXACT,
    And,
    Or,
    QueryError,
    Word,
    leaves,
    parse,
    with_forms,
)
from edgar_search.text.inflections import inflections
from tests.support.inflections import FILE

SWAP = inflections().forms("swap")
RESIGN = inflections().forms("resign")


def forms(query: str) -> list[tuple[str, ...]]:
    """Return the forms of each leaf that is a word."""
    tree = with_forms(parse(query), ALL)
    return [leaf.forms for leaf in leaves(tree) if isinstance(leaf, Word)]


def test_words_in_small_letters_have_forms_excluded_ones_too() -> None:
    assert with_forms(parse("swap (resign OR the) NOT resign"), ALL) == And(
        (Word("swap", 1, SWAP), Or((Word("resign", 7, RESIGN), Word("the", 17)))),
        (Word("resign", 26, RESIGN),),
    )


def test_exact_query_stays_as_it_is() -> None:
    tree = parse("swap OR resign")
    assert with_forms(tree, EXACT) is tree


@pytest.mark.parametrize("query", ["resign,", "(resign)", "reSIGN", "\u2026resign"])
def test_punctuation_and_later_capitals_change_nothing(query: str) -> None:
    assert forms(query) == [RESIGN]


@pytest.mark.parametrize(
    "query",
    [
        "Swap",
        "SWAP",
        "swap-resign",
        "swap's",
        "swap2",
        "swap_",
        "10-K",
        "401(k)",
        "u.s",
        "a",
        "is",
        "r\u00e9sign",
        "\u00c9swap",
        "swap\U0001f600",
    ],
)
def test_what_is_no_small_english_word_is_exact(query: str) -> None:
    assert forms(query) == [()]


@pytest.mark.parametrize("query", ['"swap"', '"swap rates"~3', "swap*"])
def test_quotes_and_wildcards_are_exact(query: str) -> None:
    assert with_forms(parse(query), ALL) == parse(query)


def test_forms_cost_something() -> None:
    bases = [line.split(" ")[0] for line in FILE.read_text().splitlines()]
    rich = sorted((word for word in bases if len(inflections().forms(word)) > 8), key=len)
    query = " ".join(rich)[:1_000].rpartition(" ")[0]
    with pytest.raises(QueryError) as caught:
        with_forms(parse(query), ALL)
    wrong, _, right = str(caught.value).partition("; ")
    assert wrong.startswith("query: words with too many forms in all at character ")
    assert right == "use fewer, put some of them in quotes, or use `word_forms=exact`"


def test_long_query_of_everyday_words_is_no_dear_one() -> None:
    sentence = (
        "the company recognized impairment charges related to goodwill and other intangible assets"
        " during the quarter because expected future cash flows declined following termination of"
        " several customer agreements and management concluded that carrying amounts exceeded fair"
        " values determined by discounting projected operating results as required by accounting"
        " standards which also require annual testing of reporting units and disclosure of the"
        " assumptions used including growth rates margins working capital needs and discount rates"
    )
    query = f"{sentence} {sentence}"[:1_000].rpartition(" ")[0]
    assert sum(map(len, forms(query))) > 300


def test_phrases_that_fit_without_forms_are_refused_with_that_advice() -> None:
    query = 'shares "the the the the the the"~10'
    parse(query)
    with pytest.raises(QueryError) as caught:
        with_forms(parse(query), ALL)
    assert str(caught.value).startswith(
        "query: phrases of more than 30 words in all at character 8"
    )
    assert str(caught.value).endswith("; or `word_forms=exact`")
