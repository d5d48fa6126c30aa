"""Signing in at the configured OpenID Connect issuer: authorization code with PKCE, by Authlib.

What a sign-in under way needs to know (state, nonce, code verifier, where to go on) is stored under
a cookie of its own, so that only the browser that began it can end it, once, and two tabs do not
disturb each other.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuthError
from authlib.integrations.starlette_client.apps import StarletteOAuth2App
from authlib.integrations.starlette_client.integration import StarletteIntegration
from joserfc.errors import JoseError
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.sessions import SIGN_IN_TIME
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.key_set import is_same_issuer
from edgar_search.errors import BadRequest, InvalidBearerToken, Unavailable
from edgar_search.settings import Settings
from edgar_search.settings.issuer import is_secure
from edgar_search.web.pages.browser import cookie, own_path, set_cookie, sign_in
from edgar_search.web.pages.calls import see_other
from edgar_search.web.state import service

_log = logging.getLogger(__name__)

ISSUER = "/sign-in/issuer"
CALLBACK = "/sign-in/callback"
_DISCOVERY = "/.well-known/openid-configuration"
_NAME = "issuer"
_TIMEOUT = 5.0
_AMISS = "the issuer of the sign-in cannot be reached, or answers amiss; try again later"
_NOT_UNDER_WAY = "this sign-in is not under way in this browser; begin again"
_LONGEST_NAME = 100
# What of a user's claims the pages may call them by, the first that there is.
_NAMES = ("email", "preferred_username", "name", "sub")
# What Authlib raises for an issuer that is away, or whose answers are not what they should be; of
# JSON of another form these are Python's own.
_FAULTS = (
    AuthlibBaseError,
    JoseError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,
    AttributeError,
)


class _Pending(NamedTuple):
    session: dict[str, Any]
    following: str


class IssuerSignIn:
    """The way to the issuer and back."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client = self._new_client()

    async def start(self, request: Request) -> Response:
        """GET /sign-in/issuer: to the issuer's own page."""
        session: dict[str, Any] = {}
        request.scope["session"] = session
        callback = str(request.base_url)[:-1] + CALLBACK
        try:
            metadata = await self._client.load_server_metadata()
            _require_own(metadata, str(self._settings.oidc_issuer))
            made = await self._client.create_authorization_url(callback)
            await self._client.save_authorize_data(request, redirect_uri=callback, **made)
        except _FAULTS as error:
            raise self._amiss(error) from None
        following = own_path(request.query_params.get("next", "/"))
        pending = json.dumps(_Pending(session, following))
        response = see_other(made["url"])
        key = await service(request).sessions.begin_sign_in(pending)
        seconds = int(SIGN_IN_TIME.total_seconds())
        set_cookie(request, response, _cookie_of(made["state"]), key, seconds)
        return response

    async def callback(self, request: Request) -> Response:
        """GET /sign-in/callback: back from there, signed in or not."""
        name = _cookie_of(request.query_params.get("state", ""))
        key = cookie(request, name)
        text = await service(request).sessions.take_sign_in(key) if key else None
        if text is None:
            raise BadRequest(_NOT_UNDER_WAY)
        pending = _Pending(*json.loads(text))
        request.scope["session"] = pending.session
        token = await self._token(request)
        state = service(request)
        try:
            # By the same rules as a bearer token: its keys, algorithms and audiences.
            identity = await state.tokens.verify(str(token.get("id_token", "")))
        except InvalidBearerToken as error:
            raise BadRequest(f"the issuer's answer: {error}") from None
        account = account_id(identity.issuer, identity.subject)
        await state.admission.accounts.ensure(account)
        response = see_other(pending.following)
        set_cookie(request, response, name, "", 0)
        await sign_in(request, response, account, _name_of(token.get("userinfo") or {}))
        return response

    async def _token(self, request: Request) -> dict[str, Any]:
        try:
            token: dict[str, Any] = await self._client.authorize_access_token(request)
        except OAuthError as error:
            _log.info("a sign-in was refused: %.100r", error.error)
            raise BadRequest("the issuer refused the sign-in") from None
        except _FAULTS as error:
            raise self._amiss(error) from None
        return token

    def _amiss(self, error: Exception) -> Unavailable:
        # Without its text, which may have what was sent in it.
        _log.warning("the issuer of the sign-in answers amiss: %s", type(error).__name__)
        # What it said of itself is asked for again.
        self._client = self._new_client()
        return Unavailable(_AMISS)

    def _new_client(self) -> Any:
        settings = self._settings
        secret = settings.oidc_client_secret
        return StarletteOAuth2App(
            StarletteIntegration(_NAME),
            name=_NAME,
            client_id=settings.oidc_client_id,
            client_secret=secret,
            server_metadata_url=str(settings.oidc_issuer).rstrip("/") + _DISCOVERY,
            client_kwargs={
                "scope": "openid profile email",
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": "client_secret_basic" if secret else "none",
                "timeout": _TIMEOUT,
                "trust_env": False,
            },
        )


def _require_own(metadata: Mapping[str, Any], configured: str) -> None:
    """ValueError where it is another issuer, or would be sent to where others can read."""
    if not is_same_issuer(str(metadata["issuer"]), configured):
        raise ValueError("the issuer names itself otherwise")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not is_secure(str(metadata[name])):
            raise ValueError(f"{name} must be an https:// address")


def _cookie_of(state: str) -> str:
    """The name of the cookie of one sign-in: each tab has its own."""
    return f"sign-in-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


def _name_of(claims: dict[str, Any]) -> str:
    for name in _NAMES:
        text = claims.get(name)
        if isinstance(text, str) and text.strip() and text.isprintable():
            return text[:_LONGEST_NAME]
    return "somebody"
