"""GET /v1/check: the meaning of a query, and how many documents each part of it finds."""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import without_keys
from edgar_search.search.criteria import (
    DocumentCriteria,
)
from edgar_search.search.explanation import Explanation, explain
from edgar_search.search.language import (
    And,
    Node,
    Or,
    Phrase,
    Wildcard,
    Word,
    described,
    query_places,
    written,
)
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.text.words import tokens
from edgar_search.web.calls import V1Call, while_connected
from edgar_search.web.parameters.declaration import API_KEY, Endpoint
from edgar_search.web.parameters.reader import Parameters, Raw
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v1.finding import (
    FINDING,
    RecognisedPart,
    names_of,
    recognised_parts,
    required_query,
)


class Part(Struct):
    """A part of a query; fields that do not belong to its kind are absent.

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
    operands: "list[Part] | UnsetType" = UNSET
    excluded: "list[Part] | UnsetType" = UNSET


class CheckReply(Struct, omit_defaults=True):
    """`warnings` is absent if there are none, `reading` if nothing is recognised in a question."""

    query: str
    meaning: str
    total_count: int
    tree: Part
    warnings: list[str] = []
    reading: list[RecognisedPart] = []


CHECK = Endpoint(
    "/v1/check",
    "explains a query: its meaning, the number of documents for each part, and likely mistakes",
    (API_KEY, *FINDING),
    credential="key",
    answer=CheckReply,
)


def check_params(raw: Raw, names: Names = NO_NAMES) -> DocumentCriteria:
    """The parameters of `/v1/check`; raises BadRequest."""
    return required_query(Parameters(raw, CHECK.declared), names)


async def check(request: Request, call: V1Call) -> Response:
    """GET /v1/check"""
    context = service(request).context
    criteria = check_params(call.raw, await names_of(context, call.raw))
    await call.share.weigh(query_places(criteria.query))
    work = explain(context, criteria, call.account)
    explained = await while_connected(request, work)
    call.result_count = explained.total
    return json_response(check_reply(explained, criteria))


def check_reply(explained: Explanation, criteria: DocumentCriteria) -> CheckReply:
    """The query as it was understood, each part of it, and what is recognised in a question."""
    tree = _part(explained.query, explained.hits)
    warnings = list(map(without_keys, explained.warnings))
    parts = recognised_parts(criteria)
    return CheckReply(tree.text, tree.meaning, explained.total, tree, warnings, parts)


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
