"""A request's parameters, as received, and its API key."""

from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.requests import Request

from edgar_search.access.keys import ApiKeys
from edgar_search.access.tokens import account_id, bearer_token
from edgar_search.errors import BadRequest, Unauthorized
from edgar_search.stored.api_key import StoredApiKey
from edgar_search.web.state import service

KEY_HEADER = "x-api-key"
KEY_PARAMETER = "api_key"
MAX_FIELDS = 2_000

RawLists = dict[str, list[str]]


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


async def v1_key(request: Request, keys: ApiKeys) -> StoredApiKey:
    """The request's valid API key, from the header or the query.

    Raises Unauthorized where there is none or it is not valid, and BadRequest for two keys.
    """
    given = {value.strip() for value in request.headers.getlist(KEY_HEADER)}
    given |= {value.strip() for value in _keys_in_query(request)}
    given.discard("")
    if len(given) > 1:
        raise BadRequest("api_key: two different API keys were given; send one")
    stored = await keys.verify(given.pop()) if given else None
    if stored is None:
        raise Unauthorized("Invalid API key")
    return stored


async def bearer_account(request: Request) -> str:
    """The account of the request's bearer token; it is made where there is none yet.

    Raises NoBearerToken, InvalidBearerToken, and Unavailable where neither can be told.
    """
    state = service(request)
    token = bearer_token(request.headers.getlist("authorization"))
    identity = await state.tokens.verify(token)
    account = account_id(identity.issuer, identity.subject)
    await state.admission.accounts.ensure(account)
    return account


def _keys_in_query(request: Request) -> list[str]:
    """The API keys in the query string, whatever else is wrong with it: 401 comes before 400."""
    query = request.scope["query_string"]
    if b"key" not in query and b"%" not in query:
        return []  # As usual: the header has it, and parsing takes 10 us.
    text = query.decode("latin-1")
    return [value for name, value in parse_qsl(text) if name == KEY_PARAMETER]
