"""Values of further filters that nothing here has; looked up only where nothing was found."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.bodies.known_values import document_types_body
from edgar_search.search.clauses import Clause
from edgar_search.search.companies import company_ciks
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.filters import term_in_any_case
from edgar_search.search.warnings.known_values import counts_of, match_counts
from edgar_search.search.warnings.nearest import nearest_form
from edgar_search.search.warnings.wording import MAX_OF_A_KIND, bounded, with_nearest

# Of more values in one request the first.
MAX_ASKED = 200
_SENTENCES = {
    "company": "no filing of {} is loaded",
    "state": "no filing here has {}",
    "item": "no filing here has {}",
    "document_type": "no document here has {}",
}


class Absent(NamedTuple):
    """A value of a parameter that nothing here has, and the one that was probably meant."""

    parameter: str
    value: str
    nearest: str | None = None

    def __str__(self) -> str:
        return with_nearest(self.value, self.nearest)


class _Asked(NamedTuple):
    parameter: str
    value: str
    clause: Clause


async def absent_values(
    engine: Engine, kind: Kind, criteria: FilingCriteria, document_types: Sequence[str] = ()
) -> list[Absent]:
    """Values of these criteria that no entry of `kind` has, whatever the other filters.

    Two engine requests at most, and those for a company's name.
    """
    absent = []
    if criteria.company and not await company_ciks(engine, criteria.company):
        absent.append(Absent("company", criteria.company))
    asked = [*_asked(criteria), *_asked_types(document_types)][:MAX_ASKED]
    if not asked:
        return absent
    counts = await match_counts(engine, kind, [each.clause for each in asked])
    missing = [each for each, count in zip(asked, counts, strict=True) if not count]
    nearest = await _nearest_types(engine, missing)
    return absent + [Absent(p, value, nearest.get(value)) for p, value, _ in missing]


def absent_warnings(absent: Sequence[Absent]) -> list[str]:
    """Sentences on these values."""
    return [
        sentence
        for parameter, said in _SENTENCES.items()
        for sentence in bounded(
            parameter,
            [f"{parameter}: {said.format(each)}" for each in absent if each.parameter == parameter],
        )
    ]


def absent_errors(absent: Sequence[Absent]) -> list[str]:
    """The same for a look-up."""
    return [f"unknown {each.parameter}: {each}" for each in absent]


def _asked(criteria: FilingCriteria) -> Iterator[_Asked]:
    for state in criteria.states:
        yield _Asked("state", state, {"term": {"states": state}})
    for item in criteria.items:
        yield _Asked("item", item, {"term": {"items": item}})


def _asked_types(document_types: Sequence[str]) -> Iterator[_Asked]:
    for each in document_types:
        yield _Asked("document_type", each, term_in_any_case("document_type", each))


async def _nearest_types(engine: Engine, missing: Sequence[_Asked]) -> dict[str, str | None]:
    """For the first missing types of documents those that were probably meant."""
    types = [each.value for each in missing if each.parameter == "document_type"]
    if not types:
        return {}
    counts = await counts_of(engine, "documents", document_types_body())
    return {each: nearest_form(each, counts) for each in types[:MAX_OF_A_KIND]}
