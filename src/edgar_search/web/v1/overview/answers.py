"""Replies of the endpoints that tell of a search as a whole."""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from edgar_search.access.key_format import without_keys
from edgar_search.search.explanation import Explanation
from edgar_search.search.facets import Facet, FacetPage, FacetValue
from edgar_search.search.language import And, Node, Or, Phrase, Wildcard, Word, described, written
from edgar_search.text.rules import tokens


class Value(Struct):
    """A value and the number of documents that have it; only a company has a name."""

    value: str
    count: int
    name: str | None | UnsetType = UNSET


class FacetReply(Struct):
    values: list[Value]
    values_exact: bool
    sum_other: int
    value_count: int
    value_count_exact: bool


class FacetsReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say."""

    total_count: int
    filing_count: int
    filing_count_exact: bool
    facets: dict[str, FacetReply]
    warnings: list[str] = []


class Part(Struct):
    """A part of a query; what does not belong to its kind is absent.

    `hits` is null where so many parts are not counted.
    """

    kind: Literal["all", "any", "word", "phrase", "wildcard"]
    text: str
    meaning: str
    hits: int | None
    position: int | UnsetType = UNSET
    slop: int | UnsetType = UNSET
    words: list[str] | UnsetType = UNSET
    forms: list[str] | UnsetType = UNSET
    operands: "list[Part] | UnsetType" = UNSET
    excluded: "list[Part] | UnsetType" = UNSET


class CheckReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say."""

    query: str
    meaning: str
    total_count: int
    tree: Part
    warnings: list[str] = []


def check_reply(explained: Explanation) -> CheckReply:
    """The query as it was understood, and each part of it."""
    tree = _part(explained.query, explained.hits)
    warnings = list(map(without_keys, explained.warnings))
    return CheckReply(tree.text, tree.meaning, explained.total, tree, warnings)


def _part(node: Node, hits: Mapping[Node, int]) -> Part:
    part = Part("all", without_keys(written(node)), without_keys(described(node)), hits.get(node))
    match node:
        case And(positive, negative):
            part.operands = [_part(each, hits) for each in positive]
            part.excluded = [_part(each, hits) for each in negative]
        case Or(operands):
            part.kind, part.operands = "any", [_part(each, hits) for each in operands]
        case Wildcard(_, position):
            part.kind, part.position = "wildcard", position
        case Word(text, position, forms):
            part.kind, part.position = "word", position
            part.words, part.forms = _words(text), list(forms)
        case Phrase(text, slop, position):
            part.kind, part.position, part.slop = "phrase", position, slop
            part.words = _words(text)
    return part


def _words(text: str) -> list[str]:
    return list(map(without_keys, tokens(text)))


def facets_reply(page: FacetPage) -> FacetsReply:
    """The facets in the order in which they were asked for."""
    return FacetsReply(
        page.total,
        page.filings.number,
        page.filings.exact,
        {name: _facet(name, facet) for name, facet in page.facets.items()},
        list(map(without_keys, page.warnings)),
    )


def _facet(name: str, facet: Facet) -> FacetReply:
    return FacetReply(
        [_value(name, value) for value in facet.values],
        facet.exact,
        facet.sum_other,
        facet.value_count,
        facet.all_counted,
    )


def _value(facet: str, found: FacetValue) -> Value:
    return Value(found.value, found.number, found.name if facet == "company" else UNSET)
