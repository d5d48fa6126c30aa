"""This service as a client of an OpenID Connect issuer: authorization code with PKCE, by Authlib.

All requests go through the service's HTTP client, which bounds time and bytes. RFC 6749, RFC 7636,
RFC 7523, OpenID Connect Core 1.0.
"""

import asyncio
import base64
import logging
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import msgspec
from authlib.common.security import generate_token
from authlib.common.urls import add_params_to_qs, add_params_to_uri
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7523 import private_key_jwt_sign
from authlib.oauth2.rfc7523.client import ASSERTION_TYPE
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey
from msgspec import Struct

from edgar_search.access.tokens.bearer import Tokens
from edgar_search.access.tokens.issuer_keys import MIN_RSA_BITS, Discovery
from edgar_search.errors import (
    BadRequest,
    FetchFailed,
    InvalidBearerToken,
    SettingsError,
    Unavailable,
)
from edgar_search.http_client import HttpClient, Reply
from edgar_search.settings import Settings
from edgar_search.settings.issuer import may_name

_log = logging.getLogger(__name__)

# From the browser's return until its session begins, in seconds.
TIME_IN_ALL = 10.0
MAX_BYTES = 262_144
# Claims with a name of the user; the first one found is shown.
NAME_CLAIMS = ("email", "preferred_username", "name")
_AMISS = "the issuer of the sign-in cannot be reached, or its answer is wrong; try again later"
_LONGEST_IN_LOG = 200
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
# The signature algorithm for a client's key, by the key's curve.
_ALGORITHMS = {
    "P-256": "ES256",
    "P-384": "ES384",
    "P-521": "ES512",
    "Ed25519": "EdDSA",
}
_ASSERTION_SECONDS = 60
# Messages for the person who signs in, by error of RFC 6749 and OpenID Connect.
_CANCELLED = "the issuer refused the sign-in: it was cancelled there; begin again"
_BUSY = "the issuer of the sign-in is busy; try again later"
_UNFINISHED = "the issuer refused the sign-in, because it needs a step from you first; begin again"
_EXPIRED = "the issuer refused the sign-in: it took too long, or had already ended; begin again"
_OPERATORS = (
    "the issuer does not accept this service as its client; only the operator of this service"
    " can correct that; the log says why"
)
_REFUSED = "the issuer refused the sign-in"
_MESSAGES = {
    "access_denied": _CANCELLED,
    "temporarily_unavailable": _BUSY,
    "server_error": _BUSY,
    "slow_down": _BUSY,
    "login_required": _UNFINISHED,
    "interaction_required": _UNFINISHED,
    "consent_required": _UNFINISHED,
    "account_selection_required": _UNFINISHED,
    "invalid_grant": _EXPIRED,
    "invalid_client": _OPERATORS,
    "unauthorized_client": _OPERATORS,
    "invalid_scope": _OPERATORS,
    "unsupported_response_type": _OPERATORS,
    "redirect_uri_mismatch": _OPERATORS,
}


class Begun(NamedTuple):
    """The state of a sign-in, kept until the browser comes back."""

    state: str
    nonce: str
    code_verifier: str
    redirect_uri: str


class User(NamedTuple):
    """A user who has signed in: the claims of ID token and UserInfo, and the ID token itself.

    `whole` is false if the issuer's UserInfo endpoint gave no claims.
    """

    claims: Mapping[str, Any]
    id_token: str
    whole: bool = True

    @property
    def session(self) -> str | None:
        """The issuer's id of its own session, by which a logout may name it."""
        sid = self.claims.get("sid")
        return sid if isinstance(sid, str) else None

    @property
    def name(self) -> str:
        """The user's name, as pages show it."""
        for claim in (*NAME_CLAIMS, "sub"):
            text = self.claims.get(claim)
            if isinstance(text, str) and text.strip() and text.isprintable():
                return text
        return "somebody"


class _TokenReply(Struct):
    """An answer of the token endpoint (RFC 6749, sections 5.1 and 5.2)."""

    id_token: str | None = None
    access_token: str | None = None
    error: str | None = None
    error_description: str | None = None


class IssuerClient:
    """The client that begins and ends sign-ins at the issuer of the settings."""

    def __init__(self, settings: Settings, tokens: Tokens, http: HttpClient) -> None:
        """Raises SettingsError if the client's key cannot be used."""
        self._tokens = tokens
        self._http = http
        self._client_id = settings.oidc_client_id or ""
        self._scopes = settings.oidc_scopes
        self._auth = authentication(settings)

    async def begin(self, redirect_uri: str, *, choose: bool) -> tuple[str, Begun]:
        """Begin a sign-in; return the issuer's address for the browser, and the state to keep.

        With `choose`, the issuer asks the user which account to use. Raises Unavailable.
        """
        issuer = await self._tokens.remote.discover()
        begun = Begun(generate_token(30), generate_token(30), generate_token(64), redirect_uri)
        address = prepare_grant_uri(
            _endpoint(issuer, "authorization_endpoint"),
            self._client_id,
            "code",
            redirect_uri=redirect_uri,
            scope=self._scopes,
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.code_verifier),
            code_challenge_method="S256",
            prompt="select_account" if choose else None,
        )
        return address, begun

    async def finish(self, begun: Begun, answer: Mapping[str, str]) -> User:
        """Finish a sign-in with the parameters that the browser brought back; return the user.

        Raises BadRequest if the user can begin again, else Unavailable.
        """
        if "error" in answer:
            raise _refusal("authorization", 302, answer["error"], answer.get("error_description"))
        ends = asyncio.get_running_loop().time() + TIME_IN_ALL
        try:
            return await self._finish(begun, answer.get("code", ""), ends)
        except FetchFailed as error:
            _log.warning("the sign-in at the issuer failed: %s", error)
        except TimeoutError:
            _log.warning("the sign-in at the issuer failed: not finished within %g s", TIME_IN_ALL)
        raise Unavailable(_AMISS)

    async def sign_out_address(self, back: str, id_token: str | None) -> str | None:
        """Return the issuer's address for signing out (RP-Initiated Logout 1.0), if it has one.

        Its page leads the browser to `back`.
        """
        try:
            issuer = await self._tokens.remote.discover()
            if not issuer.end_session_endpoint:
                return None
            address = _endpoint(issuer, "end_session_endpoint")
        except Unavailable:
            return None
        hint = [("id_token_hint", id_token)] if id_token else []
        pairs = [*hint, ("client_id", self._client_id), ("post_logout_redirect_uri", back)]
        return str(add_params_to_uri(address, pairs))

    async def refusal(self) -> str | None:
        """Test if the issuer accepts this client; return the issuer's error, or None.

        The test redeems a code that the issuer never gave: if it accepts the client, it refuses
        only the code. Raises Unavailable if its answer is neither.
        """
        issuer = await self._tokens.remote.discover()
        address = _endpoint(issuer, "token_endpoint")
        begun = Begun("", "", generate_token(64), "https://doctor.invalid/")
        answer = await self._ask_for_tokens(address, begun, generate_token(30))
        reply = _decode_reply(answer)
        error = reply.error or ("invalid_client" if answer.status == 401 else None)
        description = f"status {answer.status}, error {_quote(error)}"
        if error in ("invalid_client", "unauthorized_client"):
            return description
        # Some issuers check the redirect address, which is unknown to them, before the code.
        if error in ("invalid_grant", "invalid_request", "redirect_uri_mismatch"):
            return None
        raise FetchFailed(f"its token endpoint answered with {description}")

    async def _finish(self, begun: Begun, code: str, ends: float) -> User:
        """Fetch the user before the loop's time is `ends`.

        Raises TimeoutError, FetchFailed and as `finish`.
        """
        if not code:
            raise BadRequest("the issuer's answer has no code; begin again")
        async with asyncio.timeout_at(ends):
            issuer = await self._tokens.remote.discover()
            reply = await self._exchange(issuer, begun, code)
            id_token = reply.id_token or ""
            claims = await self._claims(id_token, begun)
        wants_user_info = (
            reply.access_token and issuer.userinfo_endpoint and self._tokens.want_more(claims)
        )
        if not wants_user_info:
            return User(claims, id_token)
        try:
            async with asyncio.timeout_at(ends):
                user_info = await self._user_info(issuer, reply.access_token or "", claims["sub"])
        except (Unavailable, TimeoutError) as error:
            _log.warning("the issuer's UserInfo could not be fetched: %s", str(error) or "too slow")
            if self._tokens.depend_on_more(claims):
                raise Unavailable(_AMISS) from None
            return User(claims, id_token, whole=False)
        return User(_merge_claims(user_info, claims), id_token)

    async def _claims(self, id_token: str, begun: Begun) -> Mapping[str, Any]:
        try:
            return await self._tokens.verify_sign_in(id_token, begun.nonce, self._client_id)
        except InvalidBearerToken as error:
            _log.warning("the issuer's ID token is refused: %s", error)
            raise BadRequest(f"the issuer's answer: {error}") from None

    async def _exchange(self, issuer: Discovery, begun: Begun, code: str) -> _TokenReply:
        """Exchange a code, which works once, for tokens."""
        endpoint = _endpoint(issuer, "token_endpoint")
        answer = await self._ask_for_tokens(endpoint, begun, code)
        reply = _decode_reply(answer)
        if answer.status != 200 or reply.error is not None:
            error = reply.error or ("invalid_client" if answer.status == 401 else "")
            raise _refusal("token", answer.status, error, reply.error_description)
        return reply

    async def _ask_for_tokens(self, endpoint: str, begun: Begun, code: str) -> Reply:
        body = prepare_token_request(
            "authorization_code",
            redirect_uri=begun.redirect_uri,
            code=code,
            code_verifier=begun.code_verifier,
        )
        url, headers, body = self._auth.prepare("POST", endpoint, dict(_FORM), body)
        return await self._http.post(url, body.encode(), headers, MAX_BYTES)

    async def _user_info(
        self, issuer: Discovery, access_token: str, subject: str
    ) -> Mapping[str, Any]:
        """Fetch the claims of UserInfo about this subject.

        Raises Unavailable if it has none, FetchFailed if they cannot be used.
        """
        headers = {"Authorization": f"Bearer {access_token}", "Accept": "application/json"}
        answer = await self._http.get(_endpoint(issuer, "userinfo_endpoint"), headers, MAX_BYTES)
        if answer.status != 200:
            raise FetchFailed(f"its UserInfo endpoint answered with status {answer.status}")
        user_info: Mapping[str, Any]
        try:
            if answer.headers.get("content-type", "").startswith("application/jwt"):
                user_info = await self._tokens.verify_user_info(answer.body.decode("latin-1"))
            else:
                user_info = msgspec.json.decode(answer.body, type=dict[str, Any])
        except InvalidBearerToken as error:
            raise FetchFailed(str(error)) from None
        except (msgspec.DecodeError, RecursionError):
            raise FetchFailed("its UserInfo endpoint did not answer with a JSON object") from None
        # OpenID Connect Core 1.0, section 5.3.2: otherwise they may be another user's.
        if user_info.get("sub") != subject:
            raise FetchFailed("its UserInfo endpoint answered for another user (sub)")
        return user_info


def _merge_claims(user_info: Mapping[str, Any], claims: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the claims of UserInfo and ID token; the ID token wins.

    An e-mail address and its verification are taken from the same source.
    """
    own = claims.get("email_verified")
    if "email" not in claims:
        own = user_info.get("email_verified")
    elif own is None and user_info.get("email") == claims["email"]:
        own = user_info.get("email_verified")
    return {**user_info, **claims, "email_verified": own}


def _endpoint(issuer: Discovery, name: str) -> str:
    """Return an endpoint of the issuer; Unavailable if it names none, or a forbidden one."""
    address = getattr(issuer, name) or ""
    if not may_name(issuer.issuer, address):
        _log.warning("the issuer's %s must be an https:// address of another machine", name)
        raise Unavailable(_AMISS)
    return address


def _decode_reply(answer: Reply) -> _TokenReply:
    try:
        return msgspec.json.decode(answer.body, type=_TokenReply)
    except (msgspec.DecodeError, RecursionError):
        if answer.status in (400, 401, 403):
            return _TokenReply()
        raise FetchFailed(
            f"its token endpoint answered with status {answer.status} and no JSON object"
        ) from None


def _refusal(
    endpoint: str, status: int, error: str, description: str | None
) -> BadRequest | Unavailable:
    """Return the error for a refusal by the issuer; its own words go to the log."""
    _log.warning(
        "the issuer's %s endpoint refused a sign-in: status %d, error %s, error_description %s",
        endpoint,
        status,
        _quote(error),
        _quote(description),
    )
    message = _MESSAGES.get(error, _BUSY if status >= 500 or status == 429 else _REFUSED)
    return Unavailable(message) if message in (_BUSY, _OPERATORS) else BadRequest(message)


def _quote(text: str | None) -> str:
    """Quote a text of the issuer for the log, on one line and cut to a bound."""
    return "none" if text is None else repr(text[:_LONGEST_IN_LOG])


def authentication(settings: Settings) -> ClientAuth:
    """Return how the client authenticates at the token endpoint.

    Raises SettingsError if its key cannot be used.
    """
    method = settings.oidc_client_auth
    if method is None:
        method = "client_secret_basic" if settings.oidc_client_secret else "none"
    secret: Any = settings.oidc_client_secret
    auth: Any = method
    if method == "client_secret_basic":
        auth = _basic
    elif method == "private_key_jwt":
        secret, auth = _private_key(settings), _assertion
    return ClientAuth(settings.oidc_client_id, secret, auth)


def _basic(
    client: ClientAuth, method: str, uri: str, headers: dict[str, str], body: str
) -> tuple[str, dict[str, str], str]:
    """Add basic authentication with form-encoded id and secret (RFC 6749, section 2.3.1).

    Authlib does not encode them, and issuers would misread a colon, a plus or a percent sign.
    """
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.client_secret)}"
    headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return uri, headers, body


def _assertion(
    client: ClientAuth, method: str, uri: str, headers: dict[str, str], body: str
) -> tuple[str, dict[str, str], str]:
    """Add authentication by a token that the client signs (RFC 7523, section 2.2)."""
    key = client.client_secret
    with warnings.catch_warnings():
        # The library warns about EdDSA, the older name of Ed25519, but issuers know only that name.
        warnings.simplefilter("ignore", SecurityWarning)
        token = private_key_jwt_sign(
            key,
            client.client_id,
            uri,
            alg=_algorithm(key),
            header={"kid": key.kid or key.thumbprint()},
            expires_in=_ASSERTION_SECONDS,
        )
    pairs = [("client_assertion_type", ASSERTION_TYPE), ("client_assertion", token)]
    return uri, headers, add_params_to_qs(body, [("client_id", client.client_id), *pairs])


def _private_key(settings: Settings) -> Key:
    """Read the client's key from its PEM file; SettingsError if it cannot be used."""
    name = "EDGAR_SEARCH_OIDC_CLIENT_KEY"
    path = settings.oidc_client_key
    assert path is not None, "the settings are checked"
    try:
        data = path.expanduser().read_bytes()
    except OSError as error:
        raise SettingsError(f"{name}: {path} cannot be read: {error.strerror}") from None
    except RuntimeError as error:  # The user does not exist.
        raise SettingsError(f"{name}: {path} cannot be read: {error}") from None
    for key_type in (RSAKey, ECKey, OKPKey):
        try:
            with warnings.catch_warnings():
                # The library warns about short keys, which are refused below.
                warnings.simplefilter("ignore", SecurityWarning)
                key: Key = key_type.import_key(data)
            if key.is_private and _algorithm(key):
                return key
        # A key of another kind or curve; the libraries below raise many kinds of errors.
        except Exception:
            continue
    raise SettingsError(
        f"{name}: {path} must be a private key in PEM without a passphrase: RSA of"
        f" {MIN_RSA_BITS} bits at least, EC of P-256, P-384 or P-521, or Ed25519"
    )


def _algorithm(key: Key) -> str:
    """Return the signature algorithm for a key; "" if it has none."""
    if isinstance(key, RSAKey):
        return "RS256" if key.raw_value.key_size >= MIN_RSA_BITS else ""
    return _ALGORITHMS.get(str(getattr(key, "curve_name", "")), "")
