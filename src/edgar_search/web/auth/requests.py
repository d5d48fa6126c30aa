"""What all requests below `/auth/` have in common: whose they are, their fields, pages and ids."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import BadRequest
from edgar_search.web.auth.parameters import Fields
from edgar_search.web.credentials import bearer_account, query_parameters
from edgar_search.web.json_body import json_object, read_body
from edgar_search.web.parameters import Parameters
from edgar_search.web.responses import json_response
from edgar_search.web.state import service

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_OFFSET = 10_000
# Longer than any id; what is longer is unknown, and need not be looked up.
MAX_ID = 200


class Page(NamedTuple):
    """A part of a list."""

    limit: int
    offset: int


# The names of parameters, each with its other spellings.
Names = Mapping[str, Sequence[str]]


def once(*names: str) -> Names:
    """Names that have one spelling only."""
    return {name: () for name in names}


async def reading(request: Request, names: Names) -> tuple[str, Parameters]:
    """The account and the parameters of a request that changes nothing.

    Raises Unauthorized, RateExceeded, and then BadRequest for a parameter that is not among
    `names`.
    """
    account = await bearer_account(request)
    await _count(request, account)
    return account, Parameters(query_parameters(request, without=()), names)


async def changing(
    request: Request, names: Sequence[str], check: Callable[[Request], None] | None = None
) -> tuple[str, Fields]:
    """The account and the body of a request that changes something.

    Raises BodyTooLarge, Unauthorized, what `check` raises, RateExceeded, and BadRequest for what is
    not among `names`, in this order.
    """
    body = await read_body(request)
    account = await bearer_account(request)
    if check is not None:
        check(request)
    await _count(request, account)
    Parameters(query_parameters(request, without=()), {})
    return account, Fields(json_object(body), names)


async def naming(request: Request) -> tuple[str, str]:
    """The account and the id in a request to remove one thing.

    It stands in the query of DELETE, else in the body.
    """
    if request.method == "DELETE":
        account, parameters = await reading(request, once("id"))
        return account, needed_id(parameters)
    account, fields = await changing(request, ["id"])
    return account, fields.needed("id", MAX_ID)


async def listing(request: Request, *names: str) -> tuple[str, Parameters, Page]:
    """The account, the parameters and the page of a request for a list."""
    account, parameters = await reading(request, once(*names, "limit", "offset"))
    return account, parameters, page_of(parameters)


def page_of(parameters: Parameters) -> Page:
    """The page that the parameters `limit` and `offset` ask for."""
    return Page(
        parameters.integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        parameters.integer("offset", 0, 0, MAX_OFFSET),
    )


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
    return json_response({"changed": count})


def changes(fields: Fields, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """The values of those fields that were sent, each by its reader; BadRequest for none."""
    sent = fields.sent(readers)
    if not sent:
        raise BadRequest(f"nothing to change was sent; known are {', '.join(readers)}")
    return {name: readers[name]() for name in sent}


async def _count(request: Request, account: str) -> None:
    """RateExceeded where the account sends too many requests of this kind."""
    state = service(request)
    await state.admission.rates.check_user(account, state.settings.auth_rate)
