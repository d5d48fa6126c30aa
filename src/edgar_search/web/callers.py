"""Callers: the credentials of a request, and its parameters as received."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request

from edgar_search.access.admission import Caller, TextLists
from edgar_search.access.tokens.bearer import account_id, bearer_token
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.errors import BadRequest, Unauthorized
from edgar_search.web.requests import json_object, key_in_body, read_body
from edgar_search.web.service import service
from edgar_search.web.strangers import admit_stranger

KEY_HEADER = "x-api-key"
KEY_PARAMETER = "api_key"
MAX_FIELDS = 2_000
# The account that all visitors share who have not signed in.
OPEN_ACCOUNT = "pages"
# The rate of an address for EDGAR's interfaces, separate from other requests without a key.
_MIRROR = "mirror"

NO_V1_KEY = "Invalid API key"
NO_V2_KEY = "Invalid or missing API key"

# The query field for the key, with any letter of its name percent-encoded.
_KEY_FIELD = re.compile(
    "(?:(?<=&)|^)(?:"
    + "".join(f"(?:{letter}|%(?i:{ord(letter):02x}))" for letter in KEY_PARAMETER)
    + ")=[^&]*"
)

P = TypeVar("P")
RawLists = dict[str, list[str]]


def _keep_nothing(parameters: object) -> TextLists:
    return {}


class IdentifiedRequest(NamedTuple, Generic[P]):
    """A request whose caller is known.

    `parameters` are read once the call is admitted, and may raise BadRequest; `kept` selects the
    ones to store in the history.
    """

    caller: Caller
    parameters: Callable[[], P]
    kept: Callable[[P], TextLists] = _keep_nothing


class UserRequest(NamedTuple):
    """The parameters of a request with a bearer token: from the query string and the body."""

    query: RawLists
    body: bytes


def query_parameters(request: Request, without: Sequence[str] = (KEY_PARAMETER,)) -> RawLists:
    """Return the query string's parameters with their values in order, without the API key.

    Raises BadRequest unless it is percent-encoded UTF-8.
    """
    lists: RawLists = {}
    try:
        text = request.scope["query_string"].decode()
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except UnicodeDecodeError:
        raise BadRequest("the query string is not percent-encoded UTF-8") from None
    except ValueError:
        raise BadRequest(f"the query string has more than {MAX_FIELDS} parameters") from None
    for name, value in pairs:
        if name not in without:
            lists.setdefault(name, []).append(value)
    return lists


async def identify_v1(request: Request) -> IdentifiedRequest[RawLists]:
    """Identify a Version 1 request: its key is in the header or the query string.

    Raises Unauthorized if there is no valid key, BadRequest for two keys, and Forbidden for a
    suspended account.
    """
    keys = {*_keys_in_header(request), *_keys_in_query(request)}
    caller = await _caller(request, keys, NO_V1_KEY)
    return IdentifiedRequest(caller, lambda: query_parameters(request), lambda lists: lists)


async def identify_v2(request: Request) -> IdentifiedRequest[RequestFields]:
    """Identify a Version 2 request: its key and its parameters may be in a JSON body too.

    Raises BodyTooLarge, and the errors of `identify_v1`; the rest of the body is read after the
    key.
    """
    body = await read_body(request)
    in_body = _without_blanks([key_in_body(body) or ""])
    keys = {*_keys_in_header(request), *_keys_in_query(request), *in_body}
    caller = await _caller(request, keys, NO_V2_KEY)

    def parameters() -> RequestFields:
        fields = json_object(body)
        query = query_parameters(request)
        return RequestFields(
            query, {name: fields[name] for name in fields if name != KEY_PARAMETER}
        )

    return IdentifiedRequest(caller, parameters, RequestFields.texts)


async def identify_client_of_edgar(request: Request) -> IdentifiedRequest[RawLists]:
    """Identify a request from an EDGAR client, whose key may be in the path.

    Parameters may be in a JSON body. Without a key it is a visitor, if `EDGAR_SEARCH_MIRROR` is
    `open`. Raises BodyTooLarge, and the errors of `identify_v1`.
    """
    body = await read_body(request) if request.method == "POST" else b""
    in_path = _without_blanks([request.path_params.get("key", "")])
    keys = {*_keys_in_header(request), *_keys_in_query(request), *in_path}
    if not keys and service(request).settings.mirror == "open":
        await admit_stranger(request, _MIRROR)
        caller = visitor(request)
    else:
        caller = await _caller(request, keys, NO_V1_KEY)

    def parameters() -> RawLists:
        fields = {name: _texts(value) for name, value in json_object(body).items()}
        fields.pop(KEY_PARAMETER, None)
        return fields | query_parameters(request)

    return IdentifiedRequest(caller, parameters, lambda lists: lists)


def _texts(value: object) -> list[str]:
    """Return a value of a JSON body as the texts of an equivalent query string."""
    values = value if isinstance(value, list) else [value]
    return [str(item) for item in values if isinstance(item, str | int)]


def visitor(request: Request) -> Caller:
    """Return the caller of a request without sign-in or key; each address has its own limits."""
    state = service(request)
    plan = state.admission.accounts.plans.named(state.settings.pages_plan)
    return Caller(OPEN_ACCOUNT, plan, visitor=request.client.host if request.client else "")


async def identify_user(request: Request) -> IdentifiedRequest[UserRequest]:
    """Identify a request with a bearer token, making the user's account if it does not exist.

    Raises BodyTooLarge, NoBearerToken, InvalidBearerToken, Forbidden for a suspended account, and
    Unavailable if the token or the account cannot be checked.
    """
    body = await read_body(request) if request.method == "POST" else b""
    state = service(request)
    identity = await state.tokens.verify(bearer_token(request.headers.getlist("authorization")))
    account, accounts = account_id(identity.issuer, identity.subject), state.admission.accounts
    await accounts.admit(account, identity.plan, identity.email)
    caller = Caller(account, await accounts.plan(account))
    return IdentifiedRequest(
        caller, lambda: UserRequest(query_parameters(request, without=()), body)
    )


async def _caller(request: Request, keys: set[str], otherwise: str) -> Caller:
    """Return the caller of a key; `otherwise` is the error's message if no key is valid."""
    state = service(request)
    if len(keys) > 1:
        raise BadRequest("api_key: two different API keys were given; send one")
    key = await state.keys.verify(keys.pop()) if keys else None
    if key is None:
        raise Unauthorized(otherwise)
    return Caller(key.account, await state.admission.accounts.plan(key.account), key)


def has_key(request: Request) -> bool:
    """Return True if a request has an API key in its header or query string, valid or not."""
    return bool(_keys_in_header(request) or _keys_in_query(request))


def _keys_in_header(request: Request) -> list[str]:
    return _without_blanks(request.headers.getlist(KEY_HEADER))


def _without_blanks(values: Iterable[str]) -> list[str]:
    return [value.strip() for value in values if value.strip()]


def _keys_in_query(request: Request) -> list[str]:
    """Return the API keys in the query string, even a malformed one, because 401 precedes 400."""
    # Decoding all fields of a long query would take longer than a 401 should cost.
    fields = _KEY_FIELD.findall(request.scope["query_string"].decode("latin-1"))
    return _without_blanks(value for _, value in parse_qsl("&".join(fields)))
