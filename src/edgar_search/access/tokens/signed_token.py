"""A JSON web token: parsing, and checks of its signature and claims; pure except for the clock."""

import json
import re
import time
import warnings
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from joserfc import jws
from joserfc.errors import ExpiredTokenError, JoseError, MissingClaimError, SecurityWarning
from joserfc.jwk import Key
from joserfc.jwt import JWTClaimsRegistry

from edgar_search.errors import InvalidBearerToken

# Together with the other headers it must stay below the service's limit on headers.
MAX_TOKEN_LENGTH = 12_288
_MAX_HEADER_LENGTH = 4096
# By how many seconds two machines' clocks may differ.
LEEWAY = 60
# OpenID Connect Core, section 2.
MAX_SUBJECT_LENGTH = 255
# Other claims are not checked, whatever they hold: `jti` may be any text.
_CHECKED_CLAIMS = ("iss", "aud", "exp", "sub", "iat", "nbf")
# A logout token has the same issuer, audience and subject as an ID token; only its type differs.
_TYPES = ("JWT", "at+jwt")
# The greatest age of a logout token, in seconds, without `exp` and with it.
_LOGOUT_AGE, _OLDEST_LOGOUT = 300, 86_400
LOGOUT_TYPES = ("logout+jwt", "JWT")
_LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
# The claims that name a token's client, in OpenID Connect, RFC 9068, Okta and Entra ID.
_PARTIES = ("azp", "client_id", "cid", "appid")
# Claims that a signed UserInfo answer cannot have: about a sign-in or a client. Its header and its
# other claims may be the same as an ID token's, and each token of the documented issuers has one of
# these.
_NOT_IN_USER_INFO = (
    *("nonce", "at_hash", "c_hash", "auth_time", "sid", "amr", "acr", "azp"),
    *("client_id", "cid", "appid", "scope", "scp", "uti"),
)


class SignedToken:
    """A parsed token, not to be trusted before its signature is verified.

    `name` is what messages call it: bearer token, ID token, logout token.
    """

    def __init__(self, parts: jws.CompactSignature, claims: dict[str, Any], name: str) -> None:
        self.name = name
        self._parts = parts
        self.claims = claims
        header = parts.headers()
        self.kid: str = header["kid"]
        self.algorithm: str = header["alg"]
        self._is_access_token = _type(header) == "at+jwt"

    @property
    def issuer(self) -> str:
        """The issuer that the token names, or ""."""
        issuer = self.claims.get("iss")
        return issuer if isinstance(issuer, str) else ""

    def is_signed_by(self, keys: Iterable[Key]) -> bool:
        """Return True if one of these keys signed the token, by the algorithm that it names."""
        registry = _registry([self.algorithm])
        return any(_is_signature_of(self._parts, key, registry) for key in keys)

    def claims_of_user(self, issuer: str, audiences: Collection[str]) -> dict[str, Any]:
        """Check the claims of a user's token and return them; `sub` names the user.

        Raises InvalidBearerToken if a claim is missing or wrong, and for a token that is not a
        user's: docs/sign-in.md lists the rules.
        """
        self._check(issuer, audiences, {"exp": {"essential": True}, "sub": {"essential": True}})
        if not is_subject(self.claims["sub"]):
            raise InvalidBearerToken(f"the {self.name}'s claim sub is not valid")
        self._require_user(audiences)
        return self.claims

    def claims_of_logout(self, issuer: str, audiences: Collection[str]) -> dict[str, Any]:
        """Check the claims of a logout token and return them; `sub`, `sid` or both name sessions.

        Raises InvalidBearerToken unless it is a logout token (Back-Channel Logout 1.0, 2.6).
        """
        self._check(issuer, audiences, {"iat": {"essential": True}})
        claims = self.claims
        events = claims.get("events")
        if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict):
            raise InvalidBearerToken("the logout token's claim events is not valid")
        if "nonce" in claims:
            raise InvalidBearerToken(
                "the logout token has a nonce, which only an ID token may have"
            )
        if not isinstance(claims.get("jti"), str):
            raise InvalidBearerToken("the logout token lacks a claim: jti")
        named = [claims[name] for name in ("sub", "sid") if name in claims]
        if not named or not all(isinstance(claim, str) and is_subject(claim) for claim in named):
            raise InvalidBearerToken("the logout token names no user (sub) and no session (sid)")
        oldest = _OLDEST_LOGOUT if "exp" in claims else _LOGOUT_AGE
        if time.time() - claims["iat"] > oldest:
            raise InvalidBearerToken("the logout token is too old")
        return claims

    def _check(self, issuer: str, audiences: Collection[str], needed: dict[str, Any]) -> None:
        """Raise InvalidBearerToken if issuer, audience, a time or a required claim is wrong."""
        registry = JWTClaimsRegistry(
            now=int(time.time()),
            leeway=LEEWAY,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "values": list(audiences)},
            **needed,
        )
        try:
            registry.validate(
                {index: self.claims[index] for index in _CHECKED_CLAIMS if index in self.claims}
            )
        except ExpiredTokenError:
            raise InvalidBearerToken(f"the {self.name} has expired") from None
        except MissingClaimError as error:
            raise InvalidBearerToken(f"the {self.name} lacks a claim: {error.claim}") from None
        except JoseError as error:
            claim = getattr(error, "claim", "?")
            raise InvalidBearerToken(f"the {self.name}'s claim {claim} is not valid") from None

    def _require_user(self, audiences: Collection[str]) -> None:
        """Raise InvalidBearerToken, which names the broken rule, unless the token is a user's."""
        claims = self.claims
        # Only this claim tells logout tokens apart if they have no type of their own.
        if "events" in claims:
            raise InvalidBearerToken(
                f"the {self.name} has the claim events, which only a logout token may have"
            )
        parties = {name: claims[name] for name in _PARTIES if name in claims}
        for name, party in parties.items():
            if not isinstance(party, str) or party not in audiences:
                raise InvalidBearerToken(
                    f"the {self.name} was issued to another client ({name}), which is not an"
                    f" audience that this service accepts"
                )
        if _is_of_client(claims, set(parties.values())):
            raise InvalidBearerToken(
                f"the {self.name} belongs to a client (client credentials), not to a user"
            )

    def refuse_user_info(self) -> None:
        """Raise InvalidBearerToken if this may be a signed UserInfo answer."""
        if self._is_access_token or any(name in self.claims for name in _NOT_IN_USER_INFO):
            return
        raise InvalidBearerToken(
            f"the {self.name} may be a signed UserInfo answer: it has no claim about a sign-in"
            f" or the client ({', '.join(_NOT_IN_USER_INFO)})"
        )


def _is_of_client(claims: Mapping[str, Any], parties: Collection[str]) -> bool:
    """Return True if a token is a client's own (client credentials), issued to one of these."""
    subject = claims["sub"]
    # Auth0: its RFC 9068 tokens have no `gty`.
    if subject in parties or subject.removesuffix("@clients") in parties:
        return True
    if claims.get("gty") == "client-credentials" or claims.get("idtyp") == "app":
        return True
    # Entra ID writes `idtyp` only on request; a user's access token always has scopes.
    of_entra = "azpacr" in claims or "appidacr" in claims or claims.get("oid") == subject
    if parties and of_entra and "scp" not in claims:
        return True
    # Keycloak writes user names in lower case.
    name = str(claims.get("preferred_username")).lower()
    return name in {f"service-account-{party}".lower() for party in parties}


def is_subject(text: str) -> bool:
    """Return True if a text can name the subject of a token."""
    return 0 < len(text) <= MAX_SUBJECT_LENGTH and text.isprintable() and not text.isspace()


def signed_token(
    token: str, types: Sequence[str] = _TYPES, name: str = "bearer token"
) -> SignedToken:
    """Parse a token, called `name` in messages.

    Raises InvalidBearerToken unless it is a signed JSON web token of these types with a `kid`.
    """
    if len(token) > MAX_TOKEN_LENGTH:
        raise InvalidBearerToken(f"the {name} has more than {MAX_TOKEN_LENGTH} characters")
    if not re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", token, re.ASCII):
        raise InvalidBearerToken(f"the {name} is not a signed JSON web token")
    try:
        parts = jws.extract_compact(token.encode(), registry=_registry([]))
        # Of two equal names, the library takes the last; the issuer's reader may take the first.
        _json(urlsafe_b64decode(token.partition(".")[0] + "=="))
        claims = _claims(parts.payload)
    # Thousands of nested brackets are valid JSON too.
    except (JoseError, ValueError, RecursionError):
        raise InvalidBearerToken(f"the {name} is not a signed JSON web token") from None
    _check_header(parts.headers(), types, name)
    return SignedToken(parts, claims, name)


def _check_header(header: Any, types: Sequence[str], name: str) -> None:
    if not isinstance(header, dict) or not isinstance(header.get("alg"), str):
        raise InvalidBearerToken(f"the {name}'s header is not valid")
    if "crit" in header:
        raise InvalidBearerToken(
            f"the {name} needs an extension (crit) that this service does not support"
        )
    kid = header.get("kid")
    if not isinstance(kid, str) or not kid:
        raise InvalidBearerToken(f"the {name}'s header names no key (kid)")
    if _type(header) not in [allowed.lower() for allowed in types]:
        known = " or ".join(types)
        raise InvalidBearerToken(f"the {name} has another type (typ) than {known}")


def _type(header: Mapping[str, Any]) -> str:
    """Return the short form of the type in a header; "" if it is not a text."""
    token_type = header.get("typ", "JWT")
    return token_type.lower().removeprefix("application/") if isinstance(token_type, str) else ""


def _claims(payload: bytes) -> dict[str, Any]:
    """Parse the claims; ValueError unless they are one object without repeated names."""
    claims = _json(payload)
    if not isinstance(claims, dict):
        raise ValueError("no object")
    return claims


def _json(data: bytes) -> Any:
    """Parse a JSON value; ValueError if it is malformed or an object repeats a name."""
    return json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_refuse)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _registry(algorithms: list[str]) -> jws.JWSRegistry:
    # Headers may have unknown parameters (RFC 7515, section 4), and certificates are long.
    registry = jws.JWSRegistry(algorithms=algorithms, strict_check_header=False)
    registry.max_header_length = _MAX_HEADER_LENGTH
    return registry


def _is_signature_of(parts: jws.CompactSignature, key: Key, registry: jws.JWSRegistry) -> bool:
    try:
        with warnings.catch_warnings():
            # The library warns about EdDSA, the older name of Ed25519, which issuers still use.
            warnings.simplefilter("ignore", SecurityWarning)
            return jws.validate_compact(parts, key, registry=registry)
    # The key does not fit the algorithm, or a header parameter is malformed.
    except JoseError:
        return False
