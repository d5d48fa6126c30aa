"""Endpoints below `/auth/`: declarations, routes, fields, pages and ids."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, defstruct, structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import Call, CallLimits, auth_rate
from edgar_search.api.parameters.declaration import Declared, Endpoint, Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest
from edgar_search.web.callers import IdentifiedRequest, UserRequest, identify_user
from edgar_search.web.calls import CallKind, Handler, call_endpoint
from edgar_search.web.requests import json_object
from edgar_search.web.responses import json_response

UserCall: TypeAlias = Call[UserRequest]

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_OFFSET = 10_000
# Longer than any id: such a value is unknown without a look-up.
MAX_ID = 200
MAX_NAME = 100
CREATED = (201,)

PAGE = (
    Parameter(
        "limit",
        "integer",
        "items in the answer at most",
        least=1,
        most=MAX_LIMIT,
        default=DEFAULT_LIMIT,
    ),
    Parameter("offset", "integer", "items to skip", least=0, most=MAX_OFFSET, default=0),
)
ID = Parameter("id", "text", "the id of the item", required=True, longest=MAX_ID)
# An unknown id gets a 404, however long it is.
ID_IN_QUERY = structs.replace(ID, longest=None)
ONLY_ID, _ONLY_ID_IN_QUERY = by_spelling([ID]), by_spelling([ID_IN_QUERY])
NAME = Parameter("name", "text", "the user's own", required=True, longest=MAX_NAME)


class Changed(Struct):
    """The number of items that were changed."""

    changed: int


def list_of(area: str, item: type[Struct]) -> type[Struct]:
    """Make the type of a list's page, named after its area, with the total number."""
    fields: list[tuple[str, Any]] = [("items", list[item]), ("total_count", int)]  # type: ignore[valid-type]
    return defstruct(f"{item.__name__}List", fields, rename={"items": area})


def list_endpoint(path: str, summary: str, item: type[Struct], *parameters: Parameter) -> Endpoint:
    """Declare an endpoint that answers with a page of a list."""
    answer = list_of(path.split("/")[2], item)
    return Endpoint(path, summary, (*parameters, *PAGE), credential="token", answer=answer)


def read_endpoint(path: str, summary: str, answer: Any, *parameters: Parameter) -> Endpoint:
    """Declare a read-only endpoint, with its parameters in the query string."""
    return Endpoint(path, summary, parameters, credential="token", answer=answer)


def change_endpoint(
    path: str,
    summary: str,
    *fields: Parameter,
    answer: Any = Changed,
    statuses: tuple[int, ...] = (200,),
) -> Endpoint:
    """Declare an endpoint that makes a change, with its parameters in a body."""
    return Endpoint(
        path, summary, fields, ("POST",), "body", "token", answer=answer, statuses=statuses
    )


def optional(fields: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Make fields optional: an update changes only the fields that are sent."""
    return tuple(structs.replace(field, required=False) for field in fields)


def removal_endpoints(path: str, summary: str) -> tuple[Endpoint, Endpoint]:
    """Declare a removal twice: by POST with a body, and by DELETE with a query string."""
    by_query = Endpoint(
        path, summary, (ID_IN_QUERY,), ("DELETE",), "query", "token", answer=Changed
    )
    return change_endpoint(path, summary, ID), by_query


_OWN = CallLimits(user_rate=auth_rate, turn="own")
_SEARCHES = CallLimits(user_rate=auth_rate)


def _allow(request: Request) -> None:
    """Accept every request."""


class Page(NamedTuple):
    """A page of a list."""

    limit: int
    offset: int


def read_query(call: UserCall, declared: Declared) -> tuple[str, Parameters]:
    """Return the account and the parameters of a request without a body.

    Raises BadRequest for an undeclared parameter.
    """
    return call.account, Parameters(call.raw.query, declared)


def read_change(call: UserCall, declared: Declared) -> tuple[str, Parameters]:
    """Return the account and the body of a request that makes a change.

    Raises BadRequest for any parameter in the query string, or an undeclared field.
    """
    Parameters(call.raw.query, {})
    return call.account, Parameters.of_body(json_object(call.raw.body), declared)


def read_id(request: Request, call: UserCall) -> tuple[str, str]:
    """Return the account and the id from a request to remove an item.

    For DELETE it is in the query string, otherwise in the body.
    """
    if request.method == "DELETE":
        account, parameters = read_query(call, _ONLY_ID_IN_QUERY)
        return account, needed_id(parameters)
    account, fields = read_change(call, ONLY_ID)
    return account, fields.required_own_text("id")


def read_listing(call: UserCall, declared: Declared) -> tuple[str, Parameters, Page]:
    """Return the account, the parameters and the page from a request for a list."""
    account, parameters = read_query(call, declared)
    return account, parameters, page_of(parameters)


def page_of(parameters: Parameters) -> Page:
    """Return the page that the parameters `limit` and `offset` request."""
    return Page(parameters.integer("limit"), parameters.integer("offset"))


def needed_id(parameters: Parameters) -> str:
    """Return the parameter `id`; raises BadRequest if it is missing."""
    value = parameters.text("id")
    if value is None:
        raise BadRequest("`id` is missing")
    return value


def list_response(area: str, items: Sequence[Any], total: int) -> Response:
    """Return a page of a list, named after its area, with the total number."""
    return json_response({area: items, "total_count": total})


def changed_response(count: int) -> Response:
    """Return the number of items that were changed."""
    return json_response(Changed(count))


def changes(fields: Parameters, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Read each field that was sent; raises BadRequest if there are none."""
    sent = fields.sent(readers)
    if not sent:
        raise BadRequest(f"the body has nothing to change; known are {', '.join(readers)}")
    return {name: readers[name]() for name in sent}


class UserEndpoint(NamedTuple):
    """A handler and the endpoints that it serves, which share a path.

    Its calls wait in the account's queue for searches if it `searches` filings, otherwise in the
    queue for users' own items. `check` raises Forbidden for a request that no user may send, before
    the request is counted.
    """

    handler: Handler[UserRequest]
    declared: tuple[Endpoint, ...]
    searches: bool = False
    check: Callable[[Request], None] = _allow

    def route(self) -> Route:
        """Return the route of the handler."""

        async def identify(request: Request) -> IdentifiedRequest[UserRequest]:
            identified = await identify_user(request)
            self.check(request)
            return identified

        kind = CallKind(_SEARCHES if self.searches else _OWN, identify)
        methods = [method for endpoint in self.declared for method in endpoint.methods]
        first = self.declared[0]
        return Route(first.path, call_endpoint(kind, first.scope, self.handler), methods=methods)
