"""Clauses that score documents by their headings, and by names in a question; pure."""

from edgar_search.search.language import Node, Wildcard
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.query.matching import (
    Clause,
    any_of,
    constant_score,
    document_clause,
    positive_leaves,
    range_clause,
)
from edgar_search.search.reading.question import Boosts, Period, Person

# The gain of a document whose headings contain the whole query.
_HEADINGS_BOOST = 4.0
# The most words looked up in headings, which are hardly ever longer.
_MOST_IN_HEADINGS = 16


def heading_clauses(node: Node) -> list[Clause]:
    """Return the clause that scores documents whose headings contain the query's words and phrases.

    None for a query with one leaf or too many; wildcards and the most common words do not count.
    """
    sought = [
        leaf for leaf in distinctive_leaves(positive_leaves(node)) if not isinstance(leaf, Wildcard)
    ]
    if not 1 < len(sought) <= _MOST_IN_HEADINGS:
        return []
    every = {"bool": {"filter": [document_clause(leaf, "headings") for leaf in sought]}}
    return [constant_score(every, _HEADINGS_BOOST)]


# Scores for what a question names; the words themselves score 10 to 30 in the best documents.
_COMPANY, _PERSON, _FORM, _PERIOD, _WORD = 12.0, 8.0, 3.0, 5.0, 1.0
# Forms whose period is the day of an event.
_EVENT_FORMS = ("8-K", "6-K")
# An initial or a second given name between a person's names.
_BETWEEN_NAMES = 2


def boost_clauses(boosts: Boosts) -> list[Clause]:
    """Return the clauses that score but need not match."""
    clauses: list[Clause] = []
    if boosts.ciks:
        clauses.append(constant_score({"terms": {"ciks": list(boosts.ciks)}}, _COMPANY))
    if boosts.root_forms:
        clauses.append(constant_score({"terms": {"root_form": list(boosts.root_forms)}}, _FORM))
    clauses += [constant_score(_period_clause(period), _PERIOD) for period in boosts.periods]
    clauses += [constant_score(person_clause(person), _PERSON) for person in boosts.persons]
    clauses += [{"term": {"text": {"value": word, "boost": _WORD}}} for word in boosts.words]
    return clauses


def _period_clause(period: Period) -> Clause:
    """Match reports for a period.

    Reports of events match if they announce it or are for one of its days.
    """
    within = {"bool": {"filter": [range_clause("period", period.first, period.last)]}}
    if period.announced is None:
        return within
    events = {"terms": {"root_form": list(_EVENT_FORMS)}}
    announced = {"bool": {"filter": [events, range_clause("period", *period.announced)]}}
    within["bool"]["must_not"] = [events]
    return any_of([within, announced])


def person_clause(person: Person) -> Clause:
    """Match documents that contain a person's name."""
    given_names = [{"match": {"query": spelling}} for spelling in person.given]
    sources = [{"any_of": {"intervals": given_names}}, {"match": {"query": person.family}}]
    together = {"intervals": sources, "ordered": False, "max_gaps": _BETWEEN_NAMES}
    return {"intervals": {"text": {"all_of": together}}}
