"""Tokens and what becomes of each; the number before a case is that of the trap it holds."""

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import msgspec
from joserfc.jwk import RSAKey

from tests.support.issuer import AUDIENCE, Issuer, private_key, sign

Make = Callable[[Issuer], str]


def base64_part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def json_part(content: Any) -> str:
    return base64_part(msgspec.json.encode(content))


def claims(**changes: Any) -> Make:
    """Return a token with other claims, rightly signed; None leaves one out."""
    return lambda issuer: issuer.token(**changes)


def times(**seconds: float) -> Make:
    """Return a token whose times are this many seconds from now."""

    def make(issuer: Issuer) -> str:
        changes: dict[str, Any] = {n: int(issuer.clock()) + s for n, s in seconds.items()}
        return issuer.token(**changes)

    return make


def header(**changes: Any) -> Make:
    """Return a token with other header parameters, rightly signed; None leaves one out."""
    return lambda issuer: issuer.token(header=changes)


def payload(content: bytes) -> Make:
    """Return a token of any payload, rightly signed."""
    return lambda issuer: sign(issuer.keys[-1], {}, content)


def replaced(old: bytes, new: bytes, **changes: Any) -> Make:
    """Return a token whose claims have something that no library would write, rightly signed."""

    def make(issuer: Issuer) -> str:
        content = msgspec.json.encode({**issuer.claims(), **changes})
        assert old in content
        return sign(issuer.keys[-1], {}, content.replace(old, new))

    return make


def raw_header(content: bytes) -> Make:
    """Return a token of any header, with a signature of nothing."""
    return lambda issuer: (
        f"{base64_part(content)}.{json_part(issuer.claims())}.{base64_part(b'0' * 256)}"
    )


def naming(algorithm: str, signature: str) -> Make:
    """Return a token that names an algorithm, with any signature."""

    def make(issuer: Issuer) -> str:
        head = json_part({"alg": algorithm, "kid": issuer.keys[-1].kid})
        return f"{head}.{json_part(issuer.claims())}.{signature}"

    return make


def public_key_as_secret(issuer: Issuer) -> str:
    """Signed with what everybody knows, as if it were a secret."""
    key = issuer.keys[-1]
    assert isinstance(key, RSAKey)
    unsigned = f"{json_part({'alg': 'HS256', 'kid': key.kid})}.{json_part(issuer.claims())}"
    pem = key.as_pem(private=False)
    return f"{unsigned}.{base64_part(hmac.digest(pem, unsigned.encode(), hashlib.sha256))}"


def of_another_key(**parameters: Any) -> Make:
    """Signed by someone else, who uses the issuer's `kid`."""
    return lambda issuer: issuer.token(
        key=private_key(99), header={"kid": issuer.keys[-1].kid, **parameters}
    )


def changed(issuer: Issuer) -> str:
    """Changed after it was signed."""
    head, _, signature = issuer.token().split(".")
    return f"{head}.{json_part(issuer.claims('somebody else'))}.{signature}"


VALID: dict[str, Make] = {
    "plain": claims(),
    "128 expired 59 seconds ago": times(exp=-59),
    "129 without iat": claims(iat=None),
    "iat 59 seconds ahead": times(iat=59),
    "nbf 59 seconds ahead": times(nbf=59),
    "exp with a fraction": times(exp=0.5),
    "135 one of several audiences": claims(aud=["another", AUDIENCE]),
    "135 one audience in a list": claims(aud=[AUDIENCE]),
    "135 authorized party that is an audience": claims(aud=["another", AUDIENCE], azp=AUDIENCE),
    "access token of a client that is an audience": claims(client_id=AUDIENCE, scope="openid"),
    "135 typed as access token": header(typ="at+jwt"),
    "136 claims of any kind that are not checked": claims(jti=7, auth_time="x", nonce=[]),
    "access token of RFC 9068 without another claim": (
        lambda issuer: issuer.token(header={"typ": "at+jwt"}, auth_time=None)
    ),
    "ID token of Okta": (
        lambda issuer: issuer.token(
            header={"typ": None}, ver=1, jti="ID.x", amr=["pwd"], idp="00o", at_hash="x"
        )
    ),
    "access token of Okta": (
        lambda issuer: issuer.token(
            header={"typ": None}, auth_time=None, jti="AT.x", cid=AUDIENCE, uid="00u", scp=["x"]
        )
    ),
    "ID token of Entra without a nonce": claims(
        auth_time=None, aio="x", oid="o", rh="x", tid="t", uti="x", ver="2.0"
    ),
    "access token of Entra": claims(
        auth_time=None, azp=AUDIENCE, azpacr="1", oid="o", scp="read", tid="t", uti="x", ver="2.0"
    ),
    "access token of Entra, version 1": claims(
        auth_time=None, appid=AUDIENCE, appidacr="1", oid="o", scp="read", ver="1.0"
    ),
    "ID token whose oid is its subject, as Azure AD B2C writes it": claims(oid="somebody"),
    "ID token of Google": claims(auth_time=None, azp=AUDIENCE, at_hash="x", hd="example.com"),
    "access token of Keycloak": claims(
        auth_time=None, typ="Bearer", azp=AUDIENCE, sid="s", acr="1", scope="openid"
    ),
    "access token of Auth0": claims(auth_time=None, azp=AUDIENCE, scope="openid profile"),
    "type in lower case": header(typ="jwt"),
    "type with its prefix": header(typ="application/at+jwt"),
    "no type but a sign-in": lambda issuer: issuer.token(header={"typ": None}, at_hash="x"),
    "jku of somebody else": header(jku="https://evil.example/keys"),
    "x5u of somebody else": header(x5u="https://evil.example/certificate"),
    "jwk of somebody else": header(jwk=private_key(99).as_dict()),
    "unknown header parameter": header(other={"of": "any kind"}),
    "certificates in the header": header(x5c=["M" * 2000]),
}

NO_TOKEN = "the bearer token is not a signed JSON web token"
NOT_ALLOWED = "the bearer token's algorithm (alg) is not allowed here"
BAD_HEADER = "the bearer token's header is not valid"
BAD_SIGNATURE = "the bearer token's signature is not valid"
NO_KID = "the bearer token's header names no key (kid)"
NO_ISSUER = "the bearer token was issued by an issuer (iss) that this service does not know"
BAD_TYPE = "the bearer token has another type (typ) than JWT or at+jwt"
UNKNOWN_KID = "the bearer token's key (kid) is not known here"
EXTENSION = "the bearer token needs an extension (crit) that this service does not support"
EXPIRED = "the bearer token has expired"
TOO_LONG = "the bearer token has more than 12288 characters"


def lacks(claim: str) -> str:
    return f"the bearer token lacks a claim: {claim}"


def wrong(claim: str) -> str:
    return f"the bearer token's claim {claim} is not valid"


PARTY = (
    "the bearer token was issued to another client ({}), which is not an audience that this"
    " service accepts"
)
MACHINE = "the bearer token belongs to a client (client credentials), not to a user"
USER_INFO = (
    "the bearer token may be a signed UserInfo answer: it has no claim about a sign-in or the"
    " client (nonce, at_hash, c_hash, auth_time, sid, amr, acr, azp, client_id, cid, appid,"
    " scope, scp, uti)"
)
LOGOUT = "the bearer token has the claim events, which only a logout token may have"

# The service allows RS256 and ES256 here.
INVALID: dict[str, tuple[Make, str]] = {
    "130 alg none": (naming("none", ""), NO_TOKEN),
    "130 alg none with a signature": (naming("none", "AAAA"), NOT_ALLOWED),
    "130 alg NoNe": (naming("NoNe", "AAAA"), NOT_ALLOWED),
    "130 public key as secret": (public_key_as_secret, NOT_ALLOWED),
    "130 alg that is not in the list": (header(alg="RS512"), NOT_ALLOWED),
    "130 alg of another kind than the key": (naming("ES256", "AAAA"), BAD_SIGNATURE),
    "130 alg that is no text": (raw_header(b'{"alg":["RS256"],"kid":"k"}'), BAD_HEADER),
    "130 no alg": (raw_header(b'{"kid":"k"}'), NO_TOKEN),
    "128 expired 60 seconds ago": (times(exp=-60), EXPIRED),
    "128 expired 61 seconds ago": (times(exp=-61), EXPIRED),
    "128 not valid for 61 seconds": (times(nbf=61), wrong("nbf")),
    "128 issued 61 seconds ahead": (times(iat=61), wrong("iat")),
    "129 no exp": (claims(exp=None), lacks("exp")),
    "129 no aud": (claims(aud=None), lacks("aud")),
    "129 no sub": (claims(sub=None), lacks("sub")),
    "129 no iss": (claims(iss=None), NO_ISSUER),
    "129 exp that is null": (replaced(b'"exp":7', b'"exp":null', exp=7), lacks("exp")),
    "exp as text": (claims(exp="2100-01-01"), wrong("exp")),
    "exp as boolean": (claims(exp=True), wrong("exp")),
    "exp beyond all numbers": (replaced(b'"exp":7', b'"exp":1e999', exp=7), wrong("exp")),
    "exp that is NaN": (replaced(b'"exp":7', b'"exp":NaN', exp=7), NO_TOKEN),
    "exp of 5,000 digits": (replaced(b'"exp":7', b'"exp":' + b"9" * 5000, exp=7), NO_TOKEN),
    "nbf as text": (claims(nbf="now"), wrong("nbf")),
    "iat as text": (claims(iat="now"), wrong("iat")),
    "135 another audience": (claims(aud="another"), wrong("aud")),
    "135 several other audiences": (claims(aud=["another", "third"]), wrong("aud")),
    "135 audience that only begins so": (claims(aud=AUDIENCE + "2"), wrong("aud")),
    "135 authorized party but not audience": (claims(aud="another", azp=AUDIENCE), wrong("aud")),
    "135 another authorized party": (
        claims(aud=["another", AUDIENCE], azp="another"),
        PARTY.format("azp"),
    ),
    "access token of another client": (claims(client_id="another"), PARTY.format("client_id")),
    "access token of another client of Okta": (claims(cid="another"), PARTY.format("cid")),
    "access token of another client of Entra": (claims(appid="another"), PARTY.format("appid")),
    "authorized party that is no text": (claims(azp=[AUDIENCE]), PARTY.format("azp")),
    "client credentials": (claims(sub=AUDIENCE, client_id=AUDIENCE), MACHINE),
    "client credentials of Auth0": (claims(gty="client-credentials"), MACHINE),
    "client credentials of Entra": (claims(idtyp="app"), MACHINE),
    "client credentials of Auth0 by RFC 9068": (
        lambda issuer: issuer.token(
            f"{AUDIENCE}@clients", header={"typ": "at+jwt"}, client_id=AUDIENCE
        ),
        MACHINE,
    ),
    "client credentials of Entra without idtyp": (
        claims(azp=AUDIENCE, oid="somebody", roles=["read"]),
        MACHINE,
    ),
    "client credentials of Entra without idtyp, version 1": (
        claims(appid=AUDIENCE, oid="somebody"),
        MACHINE,
    ),
    "client credentials of Entra of a client that is no principal": (
        claims(azp=AUDIENCE, azpacr="1"),
        MACHINE,
    ),
    "client credentials of Entra of a client that is no principal, version 1": (
        claims(appid=AUDIENCE, appidacr="1"),
        MACHINE,
    ),
    "client credentials of Keycloak": (
        claims(client_id=AUDIENCE, preferred_username=f"service-account-{AUDIENCE}"),
        MACHINE,
    ),
    "client credentials of Keycloak without the client's own scope": (
        claims(azp=AUDIENCE, preferred_username=f"service-account-{AUDIENCE}"),
        MACHINE,
    ),
    "logout token of the type of all tokens": (
        lambda issuer: issuer.logout_token(sub="somebody", header={"typ": "JWT"}),
        LOGOUT,
    ),
    "logout token without a type": (
        lambda issuer: issuer.logout_token(sub="somebody", sid="s", header={"typ": None}),
        LOGOUT,
    ),
    "signed UserInfo": (
        lambda issuer: issuer.token(header={"typ": None}, auth_time=None, email="a@example.com"),
        USER_INFO,
    ),
    "signed UserInfo of type JWT": (
        claims(auth_time=None, jti="x", email="a@example.com", email_verified=True),
        USER_INFO,
    ),
    "135 logout token": (header(typ="logout+jwt"), BAD_TYPE),
    "type that is a number": (raw_header(b'{"alg":"RS256","kid":"k","typ":7}'), BAD_TYPE),
    "audience in an object": (claims(aud={AUDIENCE: True}), wrong("aud")),
    "audiences with a number": (claims(aud=[AUDIENCE, 7]), wrong("aud")),
    "no audience in a list": (claims(aud=[]), wrong("aud")),
    "another issuer": (claims(iss="https://evil.example"), NO_ISSUER),
    "issuer in a list": (lambda issuer: issuer.token(iss=[issuer.name]), NO_ISSUER),
    "134 slash that the issuer's own name lacks": (
        lambda issuer: issuer.token(iss=issuer.name + "/"),
        wrong("iss"),
    ),
    "issuer that only begins so": (
        lambda issuer: issuer.token(iss=issuer.name + ".evil.example"),
        NO_ISSUER,
    ),
    "subject that is a number": (claims(sub=7), wrong("sub")),
    "subject that is empty": (claims(sub=""), wrong("sub")),
    "subject of blanks": (claims(sub="  "), wrong("sub")),
    "subject of 256 characters": (claims(sub="s" * 256), wrong("sub")),
    "subject of half a character": (replaced(b"half", rb"\ud800", sub="half"), wrong("sub")),
    "claim that stands there twice": (
        replaced(b'{"iss"', b'{"sub":"somebody else","iss"'),
        NO_TOKEN,
    ),
    "kid that stands there twice": (
        raw_header(b'{"alg":"RS256","kid":"k","kid":"RSA-2048-0"}'),
        NO_TOKEN,
    ),
    "alg that stands there twice": (
        raw_header(b'{"alg":"none","kid":"RSA-2048-0","alg":"RS256"}'),
        NO_TOKEN,
    ),
    "name that stands there twice deep in the header": (
        raw_header(b'{"alg":"RS256","kid":"RSA-2048-0","jwk":{"n":"1","n":"2"}}'),
        NO_TOKEN,
    ),
    "133 no kid": (header(kid=None), NO_KID),
    "133 empty kid": (header(kid=""), NO_KID),
    "133 kid that is a number": (raw_header(b'{"alg":"RS256","kid":7}'), NO_KID),
    "132 unknown kid": (lambda issuer: issuer.token(key=private_key(98)), UNKNOWN_KID),
    "signed by another key": (of_another_key(), BAD_SIGNATURE),
    "signed by the key in its header": (
        of_another_key(jwk=private_key(99).as_dict()),
        BAD_SIGNATURE,
    ),
    "changed after it was signed": (changed, BAD_SIGNATURE),
    "signature cut off": (lambda issuer: issuer.token()[:-8], BAD_SIGNATURE),
    "jku that is no URL": (
        raw_header(b'{"alg":"RS256","kid":"RSA-2048-0","jku":"keys"}'),
        BAD_SIGNATURE,
    ),
    "extension that must be known": (
        raw_header(b'{"alg":"RS256","kid":"k","crit":["exp"],"exp":1}'),
        EXTENSION,
    ),
    "no extension in the list of them": (
        raw_header(b'{"alg":"RS256","kid":"k","crit":[]}'),
        EXTENSION,
    ),
    "payload said to be unencoded": (
        raw_header(b'{"alg":"RS256","kid":"k","b64":false,"crit":["b64"]}'),
        NO_TOKEN,
    ),
    "header that is a list": (raw_header(b'["alg","kid"]'), BAD_HEADER),
    "header that is a text": (raw_header(b'"alg kid"'), BAD_HEADER),
    "header that is a number": (raw_header(b"7"), NO_TOKEN),
    "header of 2,500 brackets": (raw_header(b"[" * 2500), NO_TOKEN),
    "header that is too long": (header(other="h" * 5000), NO_TOKEN),
    "payload of 4,000 brackets": (payload(b"[" * 4000), NO_TOKEN),
    "payload of 1,500 objects": (payload(b'{"a":' * 1500), NO_TOKEN),
    "payload that is a list": (payload(b"[]"), NO_TOKEN),
    "payload that is not UTF-8": (payload(b'{"iss":"\xff"}'), NO_TOKEN),
    "payload in UTF-16": (payload('{"iss":"x"}'.encode("utf-16")), NO_TOKEN),
    "payload that is no JSON": (payload(b"sub=somebody"), NO_TOKEN),
    "no payload": (payload(b""), NO_TOKEN),
    "too long": (claims(sub="s" * 12_288), TOO_LONG),
    "empty": (lambda issuer: "", NO_TOKEN),
    "garbage": (lambda issuer: "garbage", NO_TOKEN),
    "garbage in three parts": (lambda issuer: "a.b.c", NO_TOKEN),
    "encrypted, in five parts": (lambda issuer: "a.b.c.d.e", NO_TOKEN),
    "dots": (lambda issuer: ".....", NO_TOKEN),
    "line end at its end": (lambda issuer: issuer.token() + "\n", NO_TOKEN),
    "padded": (lambda issuer: issuer.token() + "=", NO_TOKEN),
    "letters of other scripts": (lambda issuer: "ä.ö.ü", NO_TOKEN),
    "API key": (lambda issuer: "sk_live_" + "a" * 28, NO_TOKEN),
}
