"""The parameters of the endpoints that tell of a search as a whole, as frozen values."""

from edgar_search.errors import BadRequest
from edgar_search.search.bodies.facets import FACETS as NAMES
from edgar_search.search.criteria import DocumentCriteria, FacetSearch
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.overview.endpoints import CHECK, FACETS
from edgar_search.web.v1.parameters import OPERANDS_BY_NAME, document_criteria, required_query

_ANYTHING = DocumentCriteria(None, all_documents=True)


def facets_params(raw: Raw) -> FacetSearch:
    """The parameters of `/v1/facets`; BadRequest names what is wrong."""
    parameters = Parameters(raw, FACETS.parameters)
    criteria = document_criteria(parameters, all_documents=True)
    if criteria == _ANYTHING:
        raise BadRequest("query: needed where there is no filter; give a query or a filter")
    return FacetSearch(
        criteria,
        parameters.choices("by") or NAMES,
        parameters.integer("limit"),
        OPERANDS_BY_NAME[parameters.choice("operands")],
    )


def check_params(raw: Raw) -> DocumentCriteria:
    """The parameters of `/v1/check`; BadRequest names what is wrong."""
    return required_query(Parameters(raw, CHECK.parameters))
