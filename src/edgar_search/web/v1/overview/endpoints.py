"""The endpoints that tell of a search as a whole, and their parameters."""

from msgspec import structs

from edgar_search.search.bodies.facets import FACETS as NAMES
from edgar_search.web.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.v1.endpoints import FINDING, OPERANDS
from edgar_search.web.v1.overview.answers import CheckReply, FacetsReply

# As many as the engine is sure of, and a page can show.
MAX_VALUES, DEFAULT_VALUES = 500, 20

_QUERY, *_FILTERS = FINDING

FACETS = Endpoint(
    "/v1/facets",
    "counts what a search finds by form, type, year, month, company, industry and state",
    (
        API_KEY,
        structs.replace(
            _QUERY,
            required=False,
            description="what is searched for, in the query language; without it the filters alone"
            " say which documents are counted, and at least one is needed",
        ),
        *_FILTERS,
        OPERANDS,
        Parameter(
            "by",
            "list",
            "facets in the answer, all where it is absent: "
            + ", ".join(f"`{name}`" for name in NAMES),
            of="names of facets",
            choices=NAMES,
        ),
        Parameter(
            "limit",
            "integer",
            "values of each facet at most, the commonest; years and months are always all there",
            least=1,
            most=MAX_VALUES,
            default=DEFAULT_VALUES,
        ),
    ),
    credential="key",
    answer=FacetsReply,
)
CHECK = Endpoint(
    "/v1/check",
    "says what a query means, how many documents each part of it finds, and what may be wrong",
    (API_KEY, *FINDING),
    credential="key",
    answer=CheckReply,
)
ENDPOINTS = (FACETS, CHECK)
