"""Queries of other systems: their kinds, in our language, and what is named as left out."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from edgar_search.search.language import And, Node, QueryError, leaves, parse_query, query_text
from edgar_search.search.language.dialects import DIALECTS, Dialect, guess, translate
from edgar_search.search.query.matching import positive_leaves


@pytest.mark.parametrize(
    ("dialect", "query", "ours"),
    [
        ("westlaw", "(merger or sale) /5 fee", '"merger fee"~5 OR "sale fee"~5'),
        ("westlaw", "merger or sale /5 fee", '"merger fee"~5 OR "sale fee"~5'),
        ("westlaw", "auditor accountant & fee", "(auditor OR accountant) AND fee"),
        ("westlaw", "fraud % settlement", "fraud NOT settlement"),
        ("westlaw", "fraud % settlement & appeal", "fraud NOT (settlement AND appeal)"),
        ("westlaw", "bank +s fraud", '"bank fraud"~20'),
        ("westlaw", "poison /p pill", '"poison pill"~50'),
        ("westlaw", "indemnif! /5 breach", "indemnif* AND breach"),
        ("westlaw", "company(ford) & recall", "recall"),
        ("westlaw", "atleast5(arbitration) & clause", "arbitration AND clause"),
        ("lexis", "fraud pre/3 settlement", '"fraud settlement"~3'),
        ("lexis", "fraud w/200 settlement", '"fraud settlement"~50'),
        ("lexis", "merger and not sale", "merger NOT sale"),
        ("lexis", "wom*n board", "wom?n AND board"),
        ("lexis", "date(aft 1/1/2020) and fraud", "fraud"),
        ("courtlistener", '"going concern" -"substantial doubt"', None),
        ("courtlistener", "apple !settlement", "apple NOT settlement"),
        ("courtlistener", "a1 && b1 || c1", "(a1 AND b1) OR c1"),
        ("courtlistener", '"a1 b1"~10 AND NOT c1', '"a1 b1"~10 NOT c1'),
        ("courtlistener", "filed:[2020 TO 2021] +fraud", "fraud"),
        ("efts", "fraud OR settlement NOT appeal", "fraud OR (settlement NOT appeal)"),
        ("efts", "cat or dog", "cat AND or AND dog"),
        ("efts", "swap NEAR(5) rate", '"swap rate"~5'),
        ("google", "apple | microsoft lawsuit", "(apple OR microsoft) AND lawsuit"),
        ("google", "fraud AROUND(5) audit", '"fraud audit"~5'),
        ("google", "site:sec.gov supply -chain", "supply NOT chain"),
        ("google", "R&D AT&T 401(k) 10-K", "R&D AND AT&T AND 401(k) AND 10-K"),
    ],
)
def test_query_is_written_in_our_language(dialect: Dialect, query: str, ours: str | None) -> None:
    wanted = ours or '"going concern" NOT "substantial doubt"'
    assert query_text(parse_query(translate(query, dialect).query)) == wanted


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("date(aft 1/1/2020) fraud", "use `from_date` and `to_date`"),
        ("court(delaware) fraud", "there is no such field"),
        ("root! w/5 fraud", "a distance from a root or a long group is left out"),
        ("fraud pre/3 audit", "the order of the words does not count"),
        ("fraud w/s audit", "read as 20 words or fewer between"),
        ("atleast5(fraud)", "how often a word occurs cannot be asked for"),
    ],
)
def test_what_is_left_out_is_named(query: str, note: str) -> None:
    (found,) = translate(query, "lexis").notes
    assert note in found


@pytest.mark.parametrize("query", ["-fraud", "NOT fraud", "company(apple)", "%", "(("])
def test_query_that_wants_nothing_is_refused(query: str) -> None:
    with pytest.raises(QueryError, match="nothing is wanted"):
        translate(query, "google")


@pytest.mark.parametrize(
    ("query", "dialect"),
    [
        ("fraud w/5 audit", "lexis"),
        ("indemnif! breach", "lexis"),
        ("fraud % audit", "lexis"),
        ("apple !settlement", "courtlistener"),
        ("apple -settlement", "courtlistener"),
        ("a1 && b1", "courtlistener"),
        ('"going concern" and not doubt', "courtlistener"),
        ('doubt and not "going concern"', "courtlistener"),
        ("why sales and not margins rose", None),
        ("apple | microsoft lawsuit", "google"),
        ("apple || microsoft lawsuit", "courtlistener"),
        ("fraud AROUND(5) audit", "google"),
        ("swap NEAR(5) rate", "courtlistener"),
        ("date(aft 1/1/2020) fraud", "courtlistener"),
        ("site:sec.gov poison pill", "google"),
        ("date: company(Ford)", None),
        ("non-reliance, 10-K and 5% of AT&T!", None),
        ("revenue up 36% in Q1", None),
    ],
)
def test_signs_tell_the_language(query: str, dialect: Dialect | None) -> None:
    assert guess(query) == dialect


PIECES = st.sampled_from(
    '( ) " -zz !zz NOT % /5 w/s +s OR or AND and && || aa bb cc! "aa bb" -"zz zz" and not zz'.split(
        " "
    )
)


@given(st.lists(PIECES, max_size=14).map(" ".join), st.sampled_from(DIALECTS))
def test_any_text_is_translated_or_refused(query: str, dialect: Dialect) -> None:
    try:
        node = parse_query(translate(query, dialect).query)
    except QueryError:
        return
    assert list(leaves(node))


@given(
    st.lists(
        st.sampled_from(["aa", "bb", '"aa bb"', "cc /5 dd", "(aa or bb)"]), min_size=1, max_size=3
    ),
    st.sampled_from(["-zz", "!zz", '-"zz"', "AND NOT zz", "but not zz", "NOT zz", "% zz"]),
    st.sampled_from(DIALECTS),
)
def test_exclusion_never_becomes_a_demand(
    wanted: list[str], unwanted: str, dialect: Dialect
) -> None:
    translated = translate(" ".join([*wanted, unwanted]), dialect).query
    # With a distance given twice, the bound on the cost of a query may refuse it.
    assume(not is_too_dear(translated))
    node = parse_query(translated)
    assert "zz" not in {query_text(leaf).strip('"') for leaf in positive_leaves(node)}
    assert "zz" in {query_text(leaf).strip('"') for leaf in excluded(node)}


def is_too_dear(query: str) -> bool:
    try:
        parse_query(query)
    except QueryError as error:
        return "use fewer or shorter ones" in str(error)
    return False


def excluded(node: Node) -> list[Node]:
    """Return the leaves that are excluded at the top."""
    assert isinstance(node, And)
    return [leaf for each in node.negative for leaf in leaves(each)]


@pytest.mark.parametrize("sign", ["(", "-(", "- ", "% ", "and not ("])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_signs_nested_too_deep_are_refused(dialect: Dialect, sign: str) -> None:
    with pytest.raises(QueryError, match="nested more than 50 deep; use fewer"):
        translate(sign * 80 + "a", dialect)
