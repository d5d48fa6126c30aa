"""What all pages of an account have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import BadRequest
from edgar_search.web.auth.parameters import BodyFields
from edgar_search.web.credentials import query_parameters
from edgar_search.web.declaration import Parameter
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.pages.links import address
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import rendered
from edgar_search.web.parameters import Parameters

SIZE = 50
_OFFSET = Parameter("offset", "integer", "rows to skip", least=0, most=9_950, default=0)
PAGES = (
    ("/account", "API keys"),
    ("/account/usage", "Usage and plan"),
    ("/account/alerts", "Alerts"),
    ("/account/notifications", "Notifications"),
    ("/account/favorites", "Favorites"),
    ("/account/links", "Saved links"),
    ("/account/history", "History"),
)


def account_page(
    template: str, request: Request, call: PageCall, status: int = 200, /, **content: Any
) -> Response:
    """A page of an account, with the others beside it."""
    return rendered(
        f"account/{template}",
        status,
        pages=PAGES,
        here=request.url.path,
        **{"wrong": None, **content},
        **head(call),
    )


def list_page(
    template: str,
    request: Request,
    call: PageCall,
    offset: int,
    total: int,
    status: int = 200,
    /,
    **content: Any,
) -> Response:
    """A page of a list of an account's, with the ways to the pages before and after it."""
    beside = _neighbours(request, offset, total)
    return account_page(template, request, call, status, total=total, **content, **beside)


def offset_of(request: Request, others: Sequence[str] = ()) -> int:
    """How many rows of a list are skipped; BadRequest for what is no such page.

    `others` are parameters that the page takes beside.
    """
    parameters = Parameters(query_parameters(request, without=others), (_OFFSET,))
    return parameters.integer("offset")


def _neighbours(request: Request, offset: int, total: int) -> dict[str, str | None]:
    """The addresses of the pages of a list before and after this one."""
    here = request.url.path
    more = offset + SIZE < min(total, 10_000)
    return {
        "newer": address(here, {}, offset=offset - SIZE or None) if offset >= SIZE else None,
        "older": address(here, {}, offset=offset + SIZE) if more else None,
    }


def fields_of(form: Mapping[str, Sequence[str]], declared: Sequence[Parameter]) -> BodyFields:
    """What a form says, as the endpoint with these fields takes it; blank fields are absent."""
    known = {parameter.name: parameter for parameter in declared}
    body: dict[str, Any] = {}
    for name, values in form.items():
        parameter = known.get(name)
        filled = [value.strip() for value in values if value.strip()]
        if parameter is None or not filled:
            continue
        body[name] = _value(parameter, filled)
    return BodyFields(body, declared)


def action_of(form: Mapping[str, Sequence[str]], known: Sequence[str]) -> str:
    """What a form is to do; BadRequest for anything else than what is known."""
    action = "".join(form.get("do", ()))
    if action not in known:
        raise BadRequest(f"do: must be one of {', '.join(known)}")
    return action


def _value(parameter: Parameter, filled: list[str]) -> Any:
    match parameter.kind:
        case "list":
            return [each.strip() for text in filled for each in text.split(",") if each.strip()]
        case "flag":
            return filled[-1] == "true"
        case "integer":
            return int(filled[-1]) if filled[-1].isdecimal() else filled[-1]
        case "moment":
            # A day of a form is its last moment.
            return filled[-1] if "T" in filled[-1] else f"{filled[-1]}T23:59:59Z"
        case _:
            return filled[-1]
