"""GET /v1/facets: how many documents of a search each form, type, year and so on has."""

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import (
    FINDING,
    OPERANDS_PARAMETER,
    document_criteria,
    names_of,
)
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.metrics.masking import without_keys
from edgar_search.search.criteria import (
    OPERANDS,
    DocumentCriteria,
    FacetSearch,
)
from edgar_search.search.facets import FACETS as NAMES
from edgar_search.search.facets import (
    MOST_FIGURES,
    NAMED_FACETS,
    PARTS,
    Facet,
    FacetPage,
    count_facets_and_warn,
)
from edgar_search.search.figures import field_of, nearest_figures
from edgar_search.search.language import (
    query_slots,
)
from edgar_search.search.reading.names import NO_NAMES, Names

# As many as Elasticsearch counts exactly, and as a page can show.
MAX_VALUES, DEFAULT_VALUES = 500, 20
_QUERY, *_FILTERS = FINDING
_ANYTHING = DocumentCriteria(None, all_documents=True)
_WITH_NAMES = ("company", *NAMED_FACETS)


class Value(Struct):
    """A value and the number of documents that have it; only companies and auditors have a name.

    A range of a figure is written as the conditions of `figures` that find it.
    """

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
    """The requested facets; `warnings` is absent if empty."""

    total_count: int
    filing_count: int
    filing_count_exact: bool
    facets: dict[str, FacetReply]
    warnings: list[str] = []

    @property
    def result_count(self) -> int:
        """The number of documents that were counted."""
        return self.total_count


FACETS = Endpoint(
    "/v1/facets",
    "counts the results of a search by form, type, year, month, company, industry and state",
    (
        API_KEY,
        structs.replace(
            _QUERY,
            required=False,
            description="the query, in the query language; without it all documents within the"
            " filters are counted, and at least one filter is needed",
        ),
        *_FILTERS,
        OPERANDS_PARAMETER,
        Parameter(
            "by",
            "list",
            "facets in the answer, by default all of these: "
            + ", ".join(f"`{name}`" for name in NAMES)
            + f"; also `auditor` and up to {MOST_FIGURES} [figures](query-language.md#figures),"
            f" such as `revenue`, each with {PARTS} ranges of about as many documents",
            of="names of facets and of figures",
        ),
        Parameter(
            "limit",
            "integer",
            "the largest number of values of each facet, the most frequent first; years and months"
            " are always complete",
            least=1,
            most=MAX_VALUES,
            default=DEFAULT_VALUES,
        ),
    ),
    credential="key",
    answer=FacetsReply,
)


def facets_params(raw: Raw, names: Names = NO_NAMES) -> FacetSearch:
    """Read the parameters of `/v1/facets`; raises BadRequest."""
    parameters = Parameters(raw, FACETS.declared)
    criteria = document_criteria(parameters, names, all_documents=True)
    if criteria == _ANYTHING:
        raise BadRequest("`query` is missing, and so is every filter; give one of them")
    return FacetSearch(
        criteria,
        _names(parameters),
        parameters.integer("limit"),
        parameters.choice_of("operands", OPERANDS),
    )


def _names(parameters: Parameters) -> tuple[str, ...]:
    names = parameters.values("by")
    known = (*NAMES, *NAMED_FACETS)
    figures = [name for name in names if name not in known]
    for name in figures:
        if field_of(name) is None:
            nearest = nearest_figures(name, sure=True)
            near = f"; the nearest figure is `{nearest[0]}`" if nearest else ""
            raise parameters.refusal("by", f"may have {', '.join(known)}, not `{name[:40]}`{near}")
    if len(figures) > MOST_FIGURES:
        raise parameters.refusal("by", f"may have at most {MOST_FIGURES} figures")
    return names or NAMES


async def read_facets(context: Context, raw: Raw) -> FacetSearch:
    """Read the search whose results to count; raises BadRequest."""
    return facets_params(raw, await names_of(context.search, raw))


async def count_facets(context: Context, search: FacetSearch) -> FacetsReply:
    """Count documents by facet; raises SearchesAtOnce if it would wait too long for its slots."""
    await context.weigh(query_slots(search.criteria.query))
    return facets_reply(await count_facets_and_warn(context.search, search))


COUNT_FACETS = Operation(FACETS, read_facets, count_facets)


def facets_reply(page: FacetPage) -> FacetsReply:
    """Build the answer, with facets in the requested order."""
    return FacetsReply(
        page.total,
        page.filings.number,
        page.filings.exact,
        {name: _facet(name, facet) for name, facet in page.facets.items()},
        [without_keys(str(warning)) for warning in page.warnings],
    )


def _facet(name: str, facet: Facet) -> FacetReply:
    return FacetReply(
        [
            Value(value.value, value.number, value.name if name in _WITH_NAMES else UNSET)
            for value in facet.values
        ],
        facet.exact,
        facet.sum_other,
        facet.value_count,
        facet.all_counted,
    )
