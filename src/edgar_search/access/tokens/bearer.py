"""Bearer tokens: who sent one, if it is valid here (OpenID Connect Core 1.0, RFC 6750)."""

import hashlib
import re
from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from edgar_search.access.tokens.issuer_keys import IssuerKeys, Published
from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.access.tokens.signed_token import signed_token
from edgar_search.errors import InvalidBearerToken, NoBearerToken
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings

# RFC 6750, section 2.1; the scheme is in any case by RFC 9110, section 11.1.
_SCHEME = re.compile(r"bearer(?: +|\Z)", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_ACCOUNT_PREFIX = "user-"
_ACCOUNT_DIGITS = 40  # hexadecimal: 160 bits, which nobody finds a second subject for


class Identity(Struct, frozen=True):
    """Whom a valid token names: a subject, and the issuer that knows it by that name."""

    issuer: str
    subject: str


class Issuer(Protocol):
    """Whoever makes tokens that are taken here."""

    algorithms: tuple[str, ...]
    audiences: tuple[str, ...]

    def is_named(self, issuer: str) -> bool:
        """Whether a token that names this issuer may be of this one."""

    async def published(self, kid: str) -> Published:
        """Its name and its keys of this `kid`; Unavailable where they cannot be known."""


class Tokens:
    """The tokens of the issuers in the settings; keys are fetched when the first token comes."""

    def __init__(self, settings: Settings, http: HttpClient) -> None:
        """Raises SettingsError for settings of an issuer that cannot be used."""
        self._remote = IssuerKeys(settings, http) if settings.oidc_issuer is not None else None
        self._issuers: list[Issuer] = [self._remote] if self._remote is not None else []
        if settings.local_issuer:
            self._issuers.append(LocalIssuer(settings.absolute_home))

    async def verify(self, token: str) -> Identity:
        """Who sent this token.

        Raises InvalidBearerToken for one that is not valid here, and Unavailable where the keys of
        its issuer are neither in memory nor to be had. No message has any of the token in it.
        """
        if not self._issuers:
            raise InvalidBearerToken("no issuer of bearer tokens is configured here")
        signed = signed_token(token)
        issuer = next((known for known in self._issuers if known.is_named(signed.issuer)), None)
        if issuer is None:
            raise InvalidBearerToken("the bearer token is of an issuer that is not known here")
        if signed.algorithm not in issuer.algorithms:
            raise InvalidBearerToken("the bearer token's algorithm (alg) is not allowed here")
        published = await issuer.published(signed.kid)
        if not published.keys:
            raise InvalidBearerToken("the bearer token's key (kid) is not known here")
        if not signed.is_signed_by(published.keys):
            raise InvalidBearerToken("the bearer token's signature is not right")
        return Identity(published.issuer, signed.subject(published.issuer, issuer.audiences))

    async def close(self) -> None:
        """End what is under way; the HTTP client stays its owner's to close."""
        if self._remote is not None:
            await self._remote.close()


def bearer_token(authorization: Sequence[str]) -> str:
    """The token in the values of the `Authorization` headers of a request.

    Raises NoBearerToken where there is none, another scheme included (RFC 6750, section 3.1), and
    InvalidBearerToken for two headers, and for what can be no token.
    """
    if not authorization:
        raise NoBearerToken("a bearer token is needed: Authorization: Bearer TOKEN")
    if len(authorization) > 1:
        raise InvalidBearerToken("Authorization: must be given once")
    value = authorization[0].strip(" \t")
    scheme = _SCHEME.match(value)
    token = value[scheme.end() :] if scheme is not None else ""
    if not token:
        raise NoBearerToken("a bearer token is needed: Authorization: Bearer TOKEN")
    if _TOKEN.fullmatch(token) is None:
        raise InvalidBearerToken("Authorization: must be Bearer and one token, nothing else")
    return token


def account_id(issuer: str, subject: str) -> str:
    """The account of a subject: the same for all its tokens, and telling nothing of it."""
    # As a JSON list no two pairs of texts are one text.
    pair = msgspec.json.encode([issuer, subject])
    return _ACCOUNT_PREFIX + hashlib.sha256(pair).hexdigest()[:_ACCOUNT_DIGITS]
