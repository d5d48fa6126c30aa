"""What of a query is looked for in a text."""

from edgar_search.document.token_matcher import LoosePhrase, SearchTerms, search_terms
from edgar_search.search.language import parse, with_forms


def test_leaves_are_told_apart_and_each_is_there_once() -> None:
    query = (
        'net OR NET OR "net sales" OR 10-K OR impair* OR "net sales"~3 OR "net"~4 OR "net sales"'
    )
    assert search_terms(parse(query)) == SearchTerms(
        words=frozenset({"net"}),
        patterns=("impair*",),
        phrases=(("net", "sales"), ("10", "k")),
        loose=(LoosePhrase(("net", "sales"), 3),),
    )


def test_forms_are_words_of_their_own() -> None:
    assert search_terms(with_forms(parse("retire"), "all")).words >= {
        "retire",
        "retired",
        "retirement",
    }


def test_what_is_excluded_is_not_looked_for() -> None:
    assert search_terms(parse('net NOT (sales OR "of the" OR impair*)')) == search_terms(
        parse("net")
    )


def test_reach_is_how_far_apart_a_match_may_be() -> None:
    assert search_terms(parse("net OR sal*")).reach == 0
    assert search_terms(parse('"a b c" OR net')).reach == 2
    assert search_terms(parse('"a b c" OR "a b"~7')).reach == 8
