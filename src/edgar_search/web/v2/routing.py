"""What the routes of Version 2 have in common."""

from starlette.routing import Route

from edgar_search.web.data_call import Handler, v2_endpoint
from edgar_search.web.given import Given

METHODS = ["GET", "POST"]


def route(scope: str, handler: Handler[Given]) -> Route:
    """The route of a data endpoint, whose scope is named by its path."""
    return Route(f"/{scope}", v2_endpoint(scope, handler), methods=METHODS)
