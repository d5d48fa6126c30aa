"""Requests below `/auth/`: whose they are, their fields, pages and ids."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import wraps
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import BadRequest
from edgar_search.web.auth.answers import Changed
from edgar_search.web.auth.endpoints import ID, ID_IN_QUERY
from edgar_search.web.auth.parameters import BodyFields
from edgar_search.web.callers import bearer_account, query_parameters
from edgar_search.web.declaration import Endpoint, Parameter
from edgar_search.web.parameters import Parameters
from edgar_search.web.requests import json_object, read_body
from edgar_search.web.responses import json_response
from edgar_search.web.service import service


class Page(NamedTuple):
    """A part of a list."""

    limit: int
    offset: int


async def reading(request: Request, declared: Sequence[Parameter]) -> tuple[str, Parameters]:
    """The account and the parameters of a request without a body.

    Raises Unauthorized, RateExceeded, SearchesAtOnce, and then BadRequest for a parameter that is
    not declared.
    """
    account = await bearer_account(request)
    await _admit(request, account)
    return account, Parameters(query_parameters(request, without=()), declared)


async def changing(
    request: Request,
    declared: Sequence[Parameter],
    check: Callable[[Request], None] | None = None,
) -> tuple[str, BodyFields]:
    """The account and the body of a request that changes something.

    Raises BodyTooLarge, Unauthorized, what `check` raises, RateExceeded, SearchesAtOnce, and
    BadRequest for what is not declared, in this order.
    """
    body = await read_body(request)
    account = await bearer_account(request)
    if check is not None:
        check(request)
    await _admit(request, account)
    Parameters(query_parameters(request, without=()), ())
    return account, BodyFields(json_object(body), declared)


async def naming(request: Request) -> tuple[str, str]:
    """The account and the id in a request to remove one thing.

    It stands in the query of DELETE, else in the body.
    """
    if request.method == "DELETE":
        account, parameters = await reading(request, [ID_IN_QUERY])
        return account, needed_id(parameters)
    account, fields = await changing(request, [ID])
    return account, fields.needed("id")


async def listing(request: Request, declared: Sequence[Parameter]) -> tuple[str, Parameters, Page]:
    """The account, the parameters and the page of a request for a list."""
    account, parameters = await reading(request, declared)
    return account, parameters, page_of(parameters)


def page_of(parameters: Parameters) -> Page:
    """The page that the parameters `limit` and `offset` ask for."""
    return Page(parameters.integer("limit"), parameters.integer("offset"))


def needed_id(parameters: Parameters) -> str:
    """The parameter `id`; BadRequest where it is not there."""
    value = parameters.single("id")
    if value is None:
        raise BadRequest("id: needed")
    return value


def list_response(area: str, items: Sequence[Any], total: int) -> Response:
    """A page of a list, whose name is the area's, and how many there are."""
    return json_response({area: items, "total_count": total})


def changed_response(count: int) -> Response:
    """How many things were changed."""
    return json_response(Changed(count))


def changes(fields: BodyFields, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """The values of those fields that were sent, each by its reader; BadRequest for none."""
    sent = fields.sent(readers)
    if not sent:
        raise BadRequest(f"nothing to change was sent; known are {', '.join(readers)}")
    return {name: readers[name]() for name in sent}


def route(
    handler: Callable[[Request], Awaitable[Response]],
    *endpoints: Endpoint,
    searches: bool = False,
) -> Route:
    """The route of the handler of these endpoints, which have one path.

    From when it knows the account until it has answered, the handler holds a share: of the
    account's searches where it `searches` filings (`share` of the request's state), else of what
    belongs to users.
    """

    @wraps(handler)
    async def endpoint(request: Request) -> Response:
        async with AsyncExitStack() as held:
            request.state.held, request.state.searches = held, searches
            return await handler(request)

    methods = [method for each in endpoints for method in each.methods]
    return Route(endpoints[0].path, endpoint, methods=methods)


async def _admit(request: Request, account: str) -> None:
    """Count a request of an account, and hold a share for it until it is answered.

    Raises RateExceeded where the account sends too many, and SearchesAtOnce.
    """
    state, held = service(request), request.state.held
    admission = state.admission
    await admission.rates.check_user(account, state.settings.auth_rate)
    if request.state.searches:
        plan = await admission.accounts.plan(account)
        searching = admission.shares.share(account, plan)
        request.state.share = await held.enter_async_context(searching)
    else:
        await held.enter_async_context(admission.own_share(account))
