"""GET /v1/concepts: the concepts under which companies file numbers."""

from typing import NamedTuple

from msgspec import Struct

from edgar_search.api.context import Context
from edgar_search.api.financials import CIK
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.financials.concepts import MOST_CONCEPTS, Concept, find_concepts

DEFAULT_CONCEPTS = 100
_LONGEST = 300


class ConceptsReply(Struct):
    items: list[Concept]

    @property
    def result_count(self) -> int:
        """The number of concepts."""
        return len(self.items)


CONCEPTS = Endpoint(
    "/v1/concepts",
    "finds the concepts under which numbers are filed, those used by most companies first",
    (
        API_KEY,
        Parameter(
            "query",
            "text",
            "words in the name or the label of the concept, all of them in any order",
            longest=_LONGEST,
        ),
        CIK,
        Parameter(
            "limit",
            "integer",
            "concepts in the answer at most",
            least=1,
            most=MOST_CONCEPTS,
            default=DEFAULT_CONCEPTS,
        ),
    ),
    credential="key",
    answer=ConceptsReply,
    rules=("`query` or `cik` is needed.",),
)


class ConceptsParams(NamedTuple):
    """The criteria of the concepts to list."""

    query: str
    ciks: tuple[str, ...]
    limit: int


async def read_concepts(context: Context, raw: Raw) -> ConceptsParams:
    """Return the parameters of `/v1/concepts`; BadRequest names what is wrong."""
    parameters = Parameters(raw, CONCEPTS.declared)
    query, ciks = parameters.bounded_text("query") or "", parameters.values("cik")
    if not query and not ciks:
        raise BadRequest("`query` or `cik` must be given")
    return ConceptsParams(query, ciks, parameters.integer("limit"))


async def list_concepts(context: Context, params: ConceptsParams) -> ConceptsReply:
    """List concepts, the most widely used first."""
    return ConceptsReply(await find_concepts(context.engine, *params))


FIND_CONCEPTS = Operation(CONCEPTS, read_concepts, list_concepts)
