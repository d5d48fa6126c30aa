"""Clauses that score documents by what a question names: companies, forms, periods; pure."""

from edgar_search.search.query.matching import Clause
from edgar_search.search.reading.question import Boosts, Person

# Beside the scores of words, of which a question's best documents have 10 to 30.
_COMPANY, _PERSON, _FORM, _PERIOD, _WORD = 12.0, 8.0, 3.0, 5.0, 1.0
# An initial or a second given name between a person's names.
_BETWEEN_NAMES = 2


def boost_clauses(boosts: Boosts) -> list[Clause]:
    """Return the clauses, none of which a document must match."""
    clauses: list[Clause] = []
    if boosts.ciks:
        clauses.append(_constant({"terms": {"ciks": list(boosts.ciks)}}, _COMPANY))
    if boosts.root_forms:
        clauses.append(_constant({"terms": {"root_form": list(boosts.root_forms)}}, _FORM))
    for first, last in boosts.periods:
        days = {"gte": first.isoformat(), "lte": last.isoformat()}
        clauses.append(_constant({"range": {"period": days}}, _PERIOD))
    clauses += [_constant(_name(person), _PERSON) for person in boosts.persons]
    clauses += [{"term": {"text": {"value": word, "boost": _WORD}}} for word in boosts.words]
    return clauses


def _constant(clause: Clause, boost: float) -> Clause:
    return {"constant_score": {"filter": clause, "boost": boost}}


def _name(person: Person) -> Clause:
    given = [{"match": {"query": each}} for each in person.given]
    sources = [{"any_of": {"intervals": given}}, {"match": {"query": person.family}}]
    together = {"intervals": sources, "ordered": False, "max_gaps": _BETWEEN_NAMES}
    return {"intervals": {"text": {"all_of": together}}}
