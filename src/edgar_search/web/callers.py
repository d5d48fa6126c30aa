"""Credentials of a request: its parameters as received, and its API key."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request

from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.tokens.bearer import account_id, bearer_token
from edgar_search.errors import BadRequest, Unauthorized
from edgar_search.stored.accounts import StoredApiKey
from edgar_search.web.requests import RequestFields, json_object, key_in_body, read_body
from edgar_search.web.service import service

KEY_HEADER = "x-api-key"
KEY_PARAMETER = "api_key"
MAX_FIELDS = 2_000

NO_V1_KEY = "Invalid API key"
NO_V2_KEY = "Invalid or missing API key"

# A field of a query string whose name is that of the key, each of its letters as such or encoded.
_KEY_FIELD = re.compile(
    "(?:(?<=&)|^)(?:"
    + "".join(f"(?:{letter}|%(?i:{ord(letter):02x}))" for letter in KEY_PARAMETER)
    + ")=[^&]*"
)

P = TypeVar("P")
RawLists = dict[str, list[str]]


class VerifiedRequest(NamedTuple, Generic[P]):
    """A request whose key is valid.

    `parameters` are read once the call is admitted, and may raise BadRequest; `kept` makes of them
    what the history keeps.
    """

    key: StoredApiKey
    parameters: Callable[[], P]
    kept: Callable[[P], Mapping[str, Sequence[str]]]


def query_parameters(request: Request, without: Sequence[str] = (KEY_PARAMETER,)) -> RawLists:
    """The query string's parameters with their values in order, without the API key's.

    Raises BadRequest for what is no percent-encoded UTF-8.
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


async def received_v1(request: Request, keys: ApiKeys) -> VerifiedRequest[RawLists]:
    """A Version 1 request: its key is in the header or the query string.

    Raises Unauthorized where there is none or it is not valid, and BadRequest for two keys.
    """
    key = await _valid_key({*_keys_in_header(request), *_keys_in_query(request)}, keys, NO_V1_KEY)
    return VerifiedRequest(key, lambda: query_parameters(request), lambda lists: lists)


async def received_v2(request: Request, keys: ApiKeys) -> VerifiedRequest[RequestFields]:
    """A Version 2 request: its key and its parameters may be in a JSON body too.

    Raises BodyTooLarge, and as `received_v1`; the rest of the body is read after the key.
    """
    body = await read_body(request)
    in_body = _filled([key_in_body(body) or ""])
    given = {*_keys_in_header(request), *_keys_in_query(request), *in_body}
    key = await _valid_key(given, keys, NO_V2_KEY)

    def parameters() -> RequestFields:
        fields = json_object(body)
        query = query_parameters(request)
        return RequestFields(
            query, {name: fields[name] for name in fields if name != KEY_PARAMETER}
        )

    return VerifiedRequest(key, parameters, RequestFields.texts)


async def bearer_account(request: Request) -> str:
    """The account of the request's bearer token; it is made where there is none yet.

    Raises NoBearerToken, InvalidBearerToken, and Unavailable where neither can be told.
    """
    state = service(request)
    token = bearer_token(request.headers.getlist("authorization"))
    identity = await state.tokens.verify(token)
    account = account_id(identity.issuer, identity.subject)
    await state.admission.accounts.admit(account, identity.plan, identity.email)
    return account


async def _valid_key(given: set[str], keys: ApiKeys, otherwise: str) -> StoredApiKey:
    if len(given) > 1:
        raise BadRequest("api_key: two different API keys were given; send one")
    stored = await keys.verify(given.pop()) if given else None
    if stored is None:
        raise Unauthorized(otherwise)
    return stored


def _keys_in_header(request: Request) -> list[str]:
    return _filled(request.headers.getlist(KEY_HEADER))


def _filled(values: Iterable[str]) -> list[str]:
    return [value.strip() for value in values if value.strip()]


def _keys_in_query(request: Request) -> list[str]:
    """The API keys in the query string, whatever else is wrong with it: 401 comes before 400."""
    # Decoding all fields of a long query would take longer than an answer of 401 should cost.
    fields = _KEY_FIELD.findall(request.scope["query_string"].decode("latin-1"))
    return _filled(value for _, value in parse_qsl("&".join(fields)))
