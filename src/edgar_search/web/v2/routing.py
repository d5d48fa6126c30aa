"""What the routes of Version 2 have in common."""

from starlette.routing import Route

from edgar_search.web.data_call import Handler, v2_endpoint
from edgar_search.web.declaration import Endpoint
from edgar_search.web.request_fields import RequestFields


def route(endpoint: Endpoint, handler: Handler[RequestFields]) -> Route:
    """The route of a data endpoint."""
    return Route(
        endpoint.path, v2_endpoint(endpoint.scope, handler), methods=list(endpoint.methods)
    )
