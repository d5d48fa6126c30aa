"""GET /v1/check: the meaning of a query, and how many documents each of its parts finds."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import (
    FINDING,
    RecognisedPart,
    names_of,
    recognised_parts,
    required_query,
)
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.metrics.masking import without_keys
from edgar_search.search.criteria import (
    DocumentCriteria,
)
from edgar_search.search.explanation import Explanation, explain
from edgar_search.search.language import (
    WORD_FORMS,
    And,
    Node,
    Or,
    Phrase,
    Wildcard,
    Word,
    WordForms,
    describe,
    query_slots,
    query_text,
)
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.variants import NearVariant, find_variants
from edgar_search.text.words import tokens


class Part(Struct):
    """A part of a query; fields that do not apply to its kind are absent.

    `hits` is null if the part was not counted.
    """

    kind: Literal["all", "any", "word", "phrase", "wildcard"]
    text: str
    meaning: str
    hits: int | None
    position: int | UnsetType = UNSET
    slop: int | UnsetType = UNSET
    words: list[str] | UnsetType = UNSET
    forms: list[str] | UnsetType = UNSET
    related: list[str] | UnsetType = UNSET
    operands: "list[Part] | UnsetType" = UNSET
    excluded: "list[Part] | UnsetType" = UNSET


class CheckReply(Struct, omit_defaults=True):
    """The meaning of a query, and the number of documents that each of its parts finds.

    `warnings` and `reading`, the recognised parts of a question, are absent if empty; `variants` is
    absent unless requested.
    """

    query: str
    meaning: str
    total_count: int
    tree: Part
    warnings: list[str] = []
    reading: list[RecognisedPart] = []
    variants: list[NearVariant] | UnsetType = UNSET

    @property
    def result_count(self) -> int:
        """The number of documents that the query finds."""
        return self.total_count


VARIANTS = Parameter(
    "variants",
    "flag",
    "true adds up to five near queries that find more: plural and singular, hyphens, distance,"
    " forms, related words and, if nothing is found, the nearest spelling",
    default=False,
)
CHECK = Endpoint(
    "/v1/check",
    "explains a query: its meaning, the number of documents for each part, and likely mistakes",
    (API_KEY, *FINDING, VARIANTS),
    credential="key",
    answer=CheckReply,
)


class CheckParams(NamedTuple):
    """The criteria of a query to check; with `variants`, near queries are counted too."""

    criteria: DocumentCriteria
    word_forms: WordForms
    variants: bool


def check_params(raw: Raw, names: Names = NO_NAMES) -> CheckParams:
    """Read the parameters of `/v1/check`; raises BadRequest."""
    parameters = Parameters(raw, CHECK.declared)
    criteria = required_query(parameters, names)
    forms = parameters.choice_of("word_forms", WORD_FORMS)
    return CheckParams(criteria, forms, parameters.flag(VARIANTS.name))


async def read_check(context: Context, raw: Raw) -> CheckParams:
    """Read the query to check; raises BadRequest."""
    return check_params(raw, await names_of(context.search, raw))


async def explain_query(context: Context, params: CheckParams) -> CheckReply:
    """Explain a query: its meaning, and how many documents each of its parts finds.

    Raises SearchesAtOnce if the searches would wait too long for their slots.
    """
    criteria = params.criteria
    # All variants together cost at most as much as the query itself.
    await context.weigh(query_slots(criteria.query) * (2 if params.variants else 1))
    explained = await explain(context.search, criteria)
    reply = check_reply(explained, criteria)
    if params.variants:
        variants = await find_variants(context.search, criteria, params.word_forms, explained.total)
        reply.variants = [
            structs.replace(variant, query=without_keys(variant.query)) for variant in variants
        ]
    return reply


EXPLAIN_QUERY = Operation(CHECK, read_check, explain_query)


def check_reply(explained: Explanation, criteria: DocumentCriteria) -> CheckReply:
    """Build the answer: how the query was understood, part by part, and what a question asks."""
    tree = _part(explained.query, explained.hits)
    warnings = [without_keys(str(warning)) for warning in explained.warnings]
    parts = recognised_parts(criteria)
    return CheckReply(tree.text, tree.meaning, explained.total, tree, warnings, parts)


def _part(node: Node, hits: Mapping[Node, int]) -> Part:
    part = Part("all", without_keys(query_text(node)), without_keys(describe(node)), hits.get(node))
    match node:
        case And(positive, negative):
            part.operands = [_part(each, hits) for each in positive]
            part.excluded = [_part(each, hits) for each in negative]
        case Or(operands):
            part.kind, part.operands = "any", [_part(operand, hits) for operand in operands]
        case Wildcard(_, position):
            part.kind, part.position = "wildcard", position
        case Word(text, position):
            part.kind, part.position = "word", position
            part.words, part.forms = _words(text), list(node.forms)
            if node.related:
                part.related = list(node.related)
        case Phrase(text, slop, position):
            part.kind, part.position, part.slop = "phrase", position, slop
            part.words = _words(text)
    return part


def _words(text: str) -> list[str]:
    return list(map(without_keys, tokens(text)))
