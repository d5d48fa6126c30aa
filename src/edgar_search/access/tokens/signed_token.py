"""A JSON web token: taken apart, its signature and claims checked; pure but for the clock."""

import json
import re
import time
import warnings
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterable
from typing import Any, NoReturn

from joserfc import jws
from joserfc.errors import ExpiredTokenError, JoseError, MissingClaimError, SecurityWarning
from joserfc.jwk import Key
from joserfc.jwt import JWTClaimsRegistry

from edgar_search.errors import InvalidBearerToken

# With the other headers it must stay below what the service takes of headers at all.
MAX_TOKEN_LENGTH = 12_288
_MAX_HEADER_LENGTH = 4096
# Clocks of two machines differ by less than this many seconds.
LEEWAY = 60
# OpenID Connect Core, section 2.
MAX_SUBJECT_LENGTH = 255
# Others are no business of ours, whatever they hold (a text for `jti`, say).
_CHECKED_CLAIMS = ("iss", "aud", "exp", "sub", "iat", "nbf")
# A logout token has the same issuer, audience and subject; only its type tells it apart.
_TYPES = frozenset({"jwt", "at+jwt"})


class SignedToken:
    """A token in its parts, none of which is to be believed before its signature is checked."""

    def __init__(self, parts: jws.CompactSignature, claims: dict[str, Any]) -> None:
        self._parts = parts
        self._claims = claims
        header = parts.headers()
        self.kid: str = header["kid"]
        self.algorithm: str = header["alg"]

    @property
    def issuer(self) -> str:
        """The issuer it names; empty where it names none."""
        issuer = self._claims.get("iss")
        return issuer if isinstance(issuer, str) else ""

    def is_signed_by(self, keys: Iterable[Key]) -> bool:
        """Whether one of these keys made the signature, by the algorithm that the token names."""
        registry = _registry([self.algorithm])
        return any(_is_signature_of(self._parts, key, registry) for key in keys)

    def subject(self, issuer: str, audiences: Collection[str]) -> str:
        """The subject; InvalidBearerToken where a claim is missing or is not right."""
        registry = JWTClaimsRegistry(
            now=int(time.time()),
            leeway=LEEWAY,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "values": list(audiences)},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            registry.validate({n: self._claims[n] for n in _CHECKED_CLAIMS if n in self._claims})
        except ExpiredTokenError:
            raise InvalidBearerToken("the bearer token has expired") from None
        except MissingClaimError as error:
            raise InvalidBearerToken(f"the bearer token lacks a claim: {error.claim}") from None
        except JoseError as error:
            claim = getattr(error, "claim", "?")
            raise InvalidBearerToken(f"the bearer token's claim {claim} is not right") from None
        subject: str = self._claims["sub"]
        if not is_subject(subject):
            raise InvalidBearerToken("the bearer token's claim sub is not right")
        return subject


def is_subject(text: str) -> bool:
    """Whether a text can name the subject of a token."""
    return 0 < len(text) <= MAX_SUBJECT_LENGTH and text.isprintable() and not text.isspace()


def signed_token(token: str) -> SignedToken:
    """Take a token apart; InvalidBearerToken where it is no signed JSON web token with a `kid`."""
    if len(token) > MAX_TOKEN_LENGTH:
        raise InvalidBearerToken(f"the bearer token has more than {MAX_TOKEN_LENGTH} characters")
    if not re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", token, re.ASCII):
        raise InvalidBearerToken("the bearer token is not a signed JSON web token")
    try:
        parts = jws.extract_compact(token.encode(), registry=_registry([]))
        # The library takes the last of several; the issuer's own reader may take the first.
        _json(urlsafe_b64decode(token.partition(".")[0] + "=="))
        claims = _claims(parts.payload)
    # A text of thousands of brackets is JSON too.
    except (JoseError, ValueError, RecursionError):
        raise InvalidBearerToken("the bearer token is not a signed JSON web token") from None
    _check_header(parts.headers())
    return SignedToken(parts, claims)


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or not isinstance(header.get("alg"), str):
        raise InvalidBearerToken("the bearer token's header is not right")
    if "crit" in header:
        raise InvalidBearerToken("the bearer token needs an extension that is not known here")
    kid, kind = header.get("kid"), header.get("typ", "JWT")
    if not isinstance(kid, str) or not kid:
        raise InvalidBearerToken("the bearer token's header names no key (kid)")
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in _TYPES:
        raise InvalidBearerToken("the bearer token is of another type (typ) than JWT")


def _claims(payload: bytes) -> dict[str, Any]:
    """The claims, each of which stands there once; ValueError for anything else."""
    claims = _json(payload)
    if not isinstance(claims, dict):
        raise ValueError("no object")
    return claims


def _json(data: bytes) -> Any:
    """A value in which no object has a name twice; ValueError for anything else."""
    return json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_refuse)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _registry(algorithms: list[str]) -> jws.JWSRegistry:
    # A header may hold what we do not know (RFC 7515, section 4), and a certificate is long.
    registry = jws.JWSRegistry(algorithms=algorithms, strict_check_header=False)
    registry.max_header_length = _MAX_HEADER_LENGTH
    return registry


def _is_signature_of(parts: jws.CompactSignature, key: Key, registry: jws.JWSRegistry) -> bool:
    try:
        with warnings.catch_warnings():
            # The library warns of EdDSA, the older name of Ed25519, which issuers still use.
            warnings.simplefilter("ignore", SecurityWarning)
            return jws.validate_compact(parts, key, registry=registry)
    # The key is of another kind than the algorithm needs, or a header parameter is malformed.
    except JoseError:
        return False
