"""Clauses that prefer some passages of a document to others; pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from edgar_search.search.language import Leaf, Or, Phrase, Wildcard, Word
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.query.matching import Clause, constant_score, document_clause
from edgar_search.search.query.proximity import leaf_sources

# Scores added to BM25, which is below 100 and breaks ties: two leaves close together are worth more
# than another leaf elsewhere in the passage, and prose is worth more than that too, but less than
# both.
_LEAF, _CLOSE, _PROSE, _LITTLE = 400, 600, 500, 100
# A passage without any meant leaf is worse than any other, even in prose.
_ANY = 700
# If no passage contains any, the first one shows what the document is, better than prose elsewhere.
_FIRST = 650
# Below a form's cover, that is the second passage, if it is prose.
_SECOND = 100
# Headlines and summaries come before details: passages up to each number score this much more.
_EARLY = ((0, 200), (2, 150), (8, 100))
# An 8-K reports below its cover; covers of these forms fill the first passage.
_REPORTS = ("form 10-k", "form 10-q")
_FORMS_WITH_COVERS = (*_REPORTS, "schedule 13d", "schedule 13g", "schedule 14a")
_COVER_OF_8_K = ("form 8-k", "current report")
_ANY_OF_THEM = {"minimum_should_match": 1}
# Covers and lists of contents contain the words of everything else.
# The second is an item of theirs that a report has only near its end.
_CONTENTS = ("table of contents", "certain relationships and related transactions")
_NEITHER, _LAST_OF_CONTENTS = 450, 3
# Phrases of forms that occur in thousands of documents: boxes, fees, exhibits, signatures.
_OF_FORMS = (
    "application for confidential treatment",
    "filed as exhibit to",
    "filed as an exhibit to",
    "during the preceding 12 months",
    "i have reviewed this",
    "identification and classification of",
    "in accordance with rule 13d",
    "incorporated by reference to exhibit",
    "indicate by check mark",
    "live or test",
    "name of each exchange",
    "registration fee",
    "report has been signed below",
    "signature of reporting person",
)
# A year in the question decides between passages that are otherwise alike.
_YEAR = 200
# The most words between two leaves that 300 characters can show together.
_MAX_GAPS = 35
# Up to the first number of leaves, neighbours in the query and all leaves together are scored; up
# to the second, each leaf by itself. For more leaves BM25 alone is good enough.
_MOST_CLOSE, _COUNTED = 8, 16
# Words of sentences that signatures, exhibit lists, contents and tables of figures lack: a text
# with this many different ones is prose. More words take more time without improving the choice.
_OF_SENTENCES = ("are", "be", "is", "not", "that", "was", "which", "will")
_LEAST_OF_SENTENCES = 2


def preferences(
    leaves: Iterable[Leaf],
    field: str = "text",
    *,
    prose: bool = True,
    every: bool = True,
    little: Collection[Leaf] = (),
    question: bool = False,
    years: Collection[str] = (),
) -> list[Clause]:
    """Return optional clauses for passages, each with a constant score.

    They score `prose` if requested; each of several leaves; two leaves that are close together; and
    any of the leaves, if they are fewer than the `every` leaves that a passage may match. `little`
    are leaves that say little, and count less unless there are no others. A `question` adds more:
    the first passage if no passage contains any leaf, passages near the beginning that contain
    some, and passages with the `years` that it names.
    """
    wanted = distinctive_leaves(leaves)
    telling = telling_leaves(wanted, little)
    clauses = [constant_score(_prose(field), _PROSE)] if prose else []
    early: list[Clause] = []
    if not every or len(telling) < len(wanted):
        early = [document_clause(Or(tuple(telling)), field)]
        anything = constant_score(early[0], _ANY)
        clauses.append(
            {"dis_max": {"queries": [anything, *_first(field)]}} if question else anything
        )
    if 1 < len(wanted) <= _COUNTED:
        clauses += [
            constant_score(document_clause(leaf, field), _LEAF if leaf in telling else _LITTLE)
            for leaf in wanted
        ]
    if question:
        clauses += [_early(last, worth, early, field) for last, worth in _EARLY]
        clauses.append(_below_cover(early, field))
    clauses += [constant_score({"term": {field: year}}, _YEAR) for year in sorted(years)]
    close = (few for few in _groups(wanted) if not set(few).isdisjoint(telling))
    clauses += [constant_score({"intervals": {field: _near(few)}}, _CLOSE) for few in close]
    return clauses


def _first(field: str) -> list[Clause]:
    """Score the first passage, or the second below a form's cover."""
    current = {"bool": {"filter": [{"match_phrase": {field: phrase}} for phrase in _COVER_OF_8_K]}}
    covers = [current, _cover(field, _REPORTS)]
    first = {"bool": {"filter": [{"term": {"number": 0}}], "must_not": covers}}
    return [constant_score(first, _FIRST), constant_score({"term": {"number": 1}}, _SECOND)]


def _early(last: int, worth: int, others: Sequence[Clause], field: str) -> Clause:
    """Score passages up to the one with this number, except a form's cover."""
    upto = [{"range": {"number": {"lte": last}}}, *others]
    return constant_score({"bool": {"filter": upto, "must_not": [_cover(field)]}}, worth)


def _below_cover(others: Sequence[Clause], field: str) -> Clause:
    """Score a passage that is neither a form's cover nor a list of contents."""
    contents = [
        {"range": {"number": {"lte": _LAST_OF_CONTENTS}}},
        {"bool": {"should": [{"match_phrase": {field: phrase}} for phrase in _CONTENTS]}},
    ]
    neither = [_cover(field), {"bool": {"filter": contents}}]
    neither += [{"match_phrase": {field: phrase}} for phrase in _OF_FORMS]
    return constant_score({"bool": {"filter": list(others), "must_not": neither}}, _NEITHER)


def _cover(field: str, forms: Sequence[str] = _FORMS_WITH_COVERS) -> Clause:
    phrases = [{"match_phrase": {field: form}} for form in forms]
    return {"bool": {"filter": [{"term": {"number": 0}}], "should": phrases, **_ANY_OF_THEM}}


def telling_leaves(leaves: Sequence[Leaf], little: Collection[Leaf]) -> Sequence[Leaf]:
    """Return the leaves that say more than a little, or all if there are none."""
    return [leaf for leaf in leaves if leaf not in little] or leaves


def _prose(field: str) -> Clause:
    words = [{"term": {field: word}} for word in _OF_SENTENCES]
    return {"bool": {"should": words, "minimum_should_match": _LEAST_OF_SENTENCES}}


def _groups(leaves: Sequence[Leaf]) -> Iterator[tuple[Word | Phrase, ...]]:
    """Yield the groups of leaves that score if they are close.

    Wildcards are left out, because one that matches too many words is an error in an interval; so
    are loose phrases, which may be longer than the text that is shown.
    """
    firm = [leaf for leaf in leaves if not isinstance(leaf, Wildcard) and not _is_loose(leaf)]
    if len(firm) <= _MOST_CLOSE:
        yield from pairwise(firm)
        if len(firm) > 2:
            yield tuple(firm)


def _near(leaves: Sequence[Word | Phrase]) -> Clause:
    sources = [{"any_of": {"intervals": list(leaf_sources(leaf))}} for leaf in leaves]
    return {"all_of": {"intervals": sources, "max_gaps": _MAX_GAPS, "ordered": False}}


def _is_loose(leaf: Leaf) -> bool:
    return isinstance(leaf, Phrase) and leaf.slop > 0
