"""Requests below `/auth/`: their routes, fields, pages and ids."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import Call, CallLimits, auth_rate
from edgar_search.errors import BadRequest
from edgar_search.web.auth.answers import Changed
from edgar_search.web.auth.endpoints import ID, ID_IN_QUERY
from edgar_search.web.callers import IdentifiedRequest, UserRequest, identify_user
from edgar_search.web.calls import CallKind, Handler, call_endpoint
from edgar_search.web.parameters.declaration import Endpoint, Parameter
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.requests import json_object
from edgar_search.web.responses import json_response

UserCall: TypeAlias = Call[UserRequest]


_OWN = CallLimits(user_rate=auth_rate, turn="own")
_SEARCHES = CallLimits(user_rate=auth_rate)


def _allow(request: Request) -> None:
    """Refuse nothing."""


class Page(NamedTuple):
    """A part of a list."""

    limit: int
    offset: int


def reading(call: UserCall, declared: Sequence[Parameter]) -> tuple[str, Parameters]:
    """The account and the parameters of a request without a body.

    Raises BadRequest for a parameter that is not declared.
    """
    return call.account, Parameters(call.raw.query, declared)


def changing(call: UserCall, declared: Sequence[Parameter]) -> tuple[str, Parameters]:
    """The account and the body of a request that changes something.

    Raises BadRequest for a parameter in the query string, and then for a field that is not
    declared.
    """
    Parameters(call.raw.query, ())
    return call.account, Parameters.of_body(json_object(call.raw.body), declared)


def naming(request: Request, call: UserCall) -> tuple[str, str]:
    """The account and the id in a request to remove one thing.

    It is in the query of DELETE, else in the body.
    """
    if request.method == "DELETE":
        account, parameters = reading(call, [ID_IN_QUERY])
        return account, needed_id(parameters)
    account, fields = changing(call, [ID])
    return account, fields.required_own_text("id")


def listing(call: UserCall, declared: Sequence[Parameter]) -> tuple[str, Parameters, Page]:
    """The account, the parameters and the page of a request for a list."""
    account, parameters = reading(call, declared)
    return account, parameters, page_of(parameters)


def page_of(parameters: Parameters) -> Page:
    """The page that the parameters `limit` and `offset` ask for."""
    return Page(parameters.integer("limit"), parameters.integer("offset"))


def needed_id(parameters: Parameters) -> str:
    """The parameter `id`; BadRequest if it is not there."""
    value = parameters.text("id")
    if value is None:
        raise BadRequest("`id` is missing")
    return value


def list_response(area: str, items: Sequence[Any], total: int) -> Response:
    """A page of a list, whose name is the area's, and how many there are."""
    return json_response({area: items, "total_count": total})


def changed_response(count: int) -> Response:
    """The number of things that were changed."""
    return json_response(Changed(count))


def changes(fields: Parameters, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """The values of those fields that were sent, each by its reader; BadRequest for none."""
    sent = fields.sent(readers)
    if not sent:
        raise BadRequest(f"nothing to change was sent; known are {', '.join(readers)}")
    return {name: readers[name]() for name in sent}


def route(
    handler: Handler[UserRequest],
    *endpoints: Endpoint,
    searches: bool = False,
    check: Callable[[Request], None] = _allow,
) -> Route:
    """The route of the handler of these endpoints, which have one path.

    Its calls have their turn among the searches of the account if they `search` filings, else in
    the line of what belongs to users. `check` raises Forbidden for a request that no user may
    send, before that user's requests are counted.
    """

    async def identify(request: Request) -> IdentifiedRequest[UserRequest]:
        identified = await identify_user(request)
        check(request)
        return identified

    kind = CallKind(_SEARCHES if searches else _OWN, identify)
    methods = [method for each in endpoints for method in each.methods]
    first = endpoints[0]
    return Route(first.path, call_endpoint(kind, first.scope, handler), methods=methods)
