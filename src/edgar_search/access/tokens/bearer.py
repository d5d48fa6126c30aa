"""Bearer tokens: who sent them, and if they are valid (OpenID Connect Core 1.0, RFC 6750)."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from edgar_search.access.tokens.issuer_keys import LOGOUT_PAUSE, IssuerKeys, PublishedKeys
from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.access.tokens.signed_token import (
    LEEWAY,
    LOGOUT_TYPES,
    SignedToken,
    signed_token,
)
from edgar_search.access.tokens.user_rules import UserRules, is_verified, lacks_email
from edgar_search.errors import InvalidBearerToken, NoBearerToken
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings

# RFC 6750, section 2.1; the scheme is case-insensitive by RFC 9110, section 11.1.
_SCHEME = re.compile(r"bearer(?: +|\Z)", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_ACCOUNT_PREFIX = "user-"
_LONGEST_EMAIL = 254
_ACCOUNT_DIGITS = 40  # hexadecimal: 160 bits, too many to find a second subject for


class Identity(Struct, frozen=True):
    """The user of a valid token: a subject of an issuer.

    `plan` is the name of the plan that the rules give, if any. `email` is verified; operators find
    the account by it.
    """

    issuer: str
    subject: str
    plan: str | None = None
    email: str | None = None


class Logout(Struct, frozen=True):
    """A logout by an issuer: of a subject, of one session by the issuer's id, or of both.

    Sessions that began after `at` do not end.
    """

    issuer: str
    subject: str | None
    session: str | None
    at: datetime


class Issuer(Protocol):
    """An issuer whose tokens are accepted here."""

    algorithms: tuple[str, ...]
    audiences: tuple[str, ...]

    def is_named(self, issuer: str) -> bool:
        """Return True if a token that names this issuer may be its own."""

    async def find_keys(self, kid: str, *, pause: float | None = None) -> PublishedKeys:
        """Return the issuer's name and its keys of this `kid`; Unavailable if they cannot be found.

        For an unknown `kid`, keys may be fetched again `pause` seconds after the last fetch.
        """


class Tokens:
    """Tokens of the issuers in the settings; keys are fetched when the first token is verified."""

    def __init__(self, settings: Settings, http: HttpClient) -> None:
        """Raises SettingsError if an issuer in the settings cannot be used."""
        self._remote = IssuerKeys(settings, http) if settings.oidc_issuer is not None else None
        self._issuers: list[Issuer] = [self._remote] if self._remote is not None else []
        if settings.local_issuer:
            self._issuers.append(LocalIssuer(settings.absolute_home))
        self._rules = UserRules.from_settings(settings)

    @property
    def remote(self) -> IssuerKeys:
        """The issuer over the network, if users sign in at one."""
        assert self._remote is not None, "no issuer is configured"
        return self._remote

    async def verify(self, token: str) -> Identity:
        """Identify the sender of a token.

        Raises InvalidBearerToken if it is not valid here, Forbidden if the rules do not admit the
        user, and Unavailable if its issuer's keys are not in memory and cannot be fetched. No
        message quotes the token.
        """
        issuer, claims = await self._claims(token)
        if issuer is not self._remote:
            return Identity(claims["iss"], claims["sub"])
        return self.admit(claims, whole=False)

    async def verify_sign_in(self, id_token: str, nonce: str, client_id: str) -> Mapping[str, Any]:
        """Return the claims of an ID token that the issuer has just given to this client.

        Its keys are fetched at once if they are unknown. Raises InvalidBearerToken if it belongs to
        another sign-in or client, and as `verify`; `admit` applies the rules about users.
        """
        issuer, claims = await self._claims(id_token, "ID token", pause=0.0)
        if issuer is not self._remote:
            raise InvalidBearerToken("the ID token was not issued by the issuer of this sign-in")
        if claims.get("nonce") != nonce:
            raise InvalidBearerToken("the ID token belongs to another sign-in (nonce)")
        audience = claims["aud"]
        if client_id not in (audience if isinstance(audience, list) else [audience]):
            raise InvalidBearerToken("the ID token is for another client (aud)")
        if claims.get("azp", client_id) != client_id:
            raise InvalidBearerToken("the ID token is for another client (azp)")
        return claims

    def admit(self, claims: Mapping[str, Any], *, whole: bool) -> Identity:
        """Return the user with these claims; Forbidden if the rules refuse the user.

        `whole` means that the issuer has no other claims about the user.
        """
        plan = self._rules.admit(claims, whole=whole)
        return Identity(claims["iss"], claims["sub"], plan, email_of(claims))

    def want_more(self, claims: Mapping[str, Any]) -> bool:
        """Return True if UserInfo may add useful claims: an e-mail address, or claims in rules."""
        return lacks_email(claims) or self._rules.lack(claims)

    def depend_on_more(self, claims: Mapping[str, Any]) -> bool:
        """Return True if the user's admission depends on claims that only UserInfo may have."""
        return self._rules.are_undecided(claims)

    async def verify_user_info(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a signed UserInfo answer (OpenID Connect Core 1.0, section 5.3.2).

        Raises InvalidBearerToken unless the issuer signed it, and as `verify`.
        """
        signed = signed_token(token, name="signed UserInfo")
        issuer, published = await self._verify_signature(signed, pause=0.0)
        if issuer is not self._remote or signed.issuer != published.issuer:
            raise InvalidBearerToken("the UserInfo does not come from the issuer of this sign-in")
        return signed.claims

    def logout_token(self, token: str) -> SignedToken:
        """Parse a logout token that names the issuer; its claims are not verified yet.

        Raises InvalidBearerToken for anything else.
        """
        if self._remote is None:
            raise InvalidBearerToken("no issuer is configured here")
        signed = signed_token(token, LOGOUT_TYPES, "logout token")
        if not self._remote.is_named(signed.issuer):
            raise InvalidBearerToken(
                "the logout token was not issued by the issuer that users sign in at"
            )
        return signed

    async def verify_logout(self, signed: SignedToken) -> Logout:
        """Return the sessions that a logout token ends (Back-Channel Logout 1.0, section 2.6).

        Raises InvalidBearerToken if it is not valid here, and Unavailable as `verify`.
        """
        issuer, published = await self._verify_signature(signed, pause=LOGOUT_PAUSE)
        claims = signed.claims_of_logout(published.issuer, issuer.audiences)
        at = datetime.fromtimestamp(claims["iat"] + LEEWAY, UTC)
        return Logout(published.issuer, claims.get("sub"), claims.get("sid"), at)

    async def _claims(
        self, token: str, name: str = "bearer token", *, pause: float | None = None
    ) -> tuple[Issuer, Mapping[str, Any]]:
        """Verify a user's token; return its issuer and claims."""
        if not self._issuers:
            raise InvalidBearerToken("no issuer of bearer tokens is configured here")
        signed = signed_token(token, name=name)
        issuer, published = await self._verify_signature(signed, pause=pause)
        claims = signed.claims_of_user(published.issuer, issuer.audiences)
        if issuer is self._remote:
            signed.refuse_user_info()
        return issuer, claims

    async def _verify_signature(
        self, signed: SignedToken, *, pause: float | None
    ) -> tuple[Issuer, PublishedKeys]:
        """Verify the signature of a token; return its issuer, with the issuer's name and keys."""
        issuer = next(
            (candidate for candidate in self._issuers if candidate.is_named(signed.issuer)), None
        )
        if issuer is None:
            raise InvalidBearerToken(
                f"the {signed.name} was issued by an issuer (iss) that this service does not know"
            )
        if signed.algorithm not in issuer.algorithms:
            raise InvalidBearerToken(f"the {signed.name}'s algorithm (alg) is not allowed here")
        published = await issuer.find_keys(signed.kid, pause=pause)
        if not published.keys:
            raise InvalidBearerToken(f"the {signed.name}'s key (kid) is not known here")
        if not signed.is_signed_by(published.keys):
            raise InvalidBearerToken(f"the {signed.name}'s signature is not valid")
        return issuer, published

    async def close(self) -> None:
        """Stop fetches under way; the HTTP client stays open."""
        if self._remote is not None:
            await self._remote.close()


def bearer_token(authorization: Sequence[str]) -> str:
    """Return the token in the `Authorization` headers of a request.

    Raises NoBearerToken if there is no header or another scheme (RFC 6750, section 3.1), and
    InvalidBearerToken for two headers or a malformed token.
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
        raise InvalidBearerToken("Authorization: must be Bearer and one token, and nothing else")
    return token


def email_of(claims: Mapping[str, Any]) -> str | None:
    """Return the verified e-mail address in claims, in lower case, or None.

    Operators find accounts by it: an address that anyone can enter could lead to the wrong account.
    """
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email or not email.isprintable():
        return None
    if not is_verified(claims):
        return None
    return email.strip().lower() if len(email) <= _LONGEST_EMAIL else None


def account_id(issuer: str, subject: str) -> str:
    """Return the account id of a subject: the same for all its tokens, and not reversible."""
    # Encoded as a JSON list, two different pairs never give the same text.
    pair = msgspec.json.encode([issuer, subject])
    return _ACCOUNT_PREFIX + hashlib.sha256(pair).hexdigest()[:_ACCOUNT_DIGITS]
