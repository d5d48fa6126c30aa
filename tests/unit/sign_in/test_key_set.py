"""An issuer's published keys, with anything in them."""

import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.access.tokens.issuer_keys import MAX_KEYS, discovery, discovery_url, key_set
from edgar_search.errors import FetchFailed
from edgar_search.settings.issuer import ASYMMETRIC
from tests.support.issuer import key_list, private_key

RSA, EC, OKP = private_key(0), private_key(0, "EC", "P-256"), private_key(0, "OKP", "Ed25519")
SECRET = private_key(0, "oct", 256)


def public(**changes: Any) -> dict[str, Any]:
    """Return a public RSA key with other members; None leaves one out."""
    whole = {**RSA.as_dict(), "use": "sig", **changes}
    return {name: value for name, value in whole.items() if value is not None}


def kids(*keys: Any, algorithms: tuple[str, ...] = ASYMMETRIC) -> list[str]:
    """Return the ids of the keys that are used, of a set that has a good one too."""
    body = msgspec.json.encode(key_list(public(kid="good"), *keys))
    return [kid for kid in key_set(body, algorithms) if kid != "good"]


def test_public_keys_of_all_kinds_are_used() -> None:
    assert kids(EC, OKP) == [EC.kid, OKP.kid]


USED: dict[str, dict[str, Any]] = {
    "without use": public(use=None),
    "for an algorithm that is allowed": public(alg="RS256"),
    "for verifying": public(use=None, key_ops=["verify"]),
    "with certificates": public(x5c=["MII..."], x5t="abc"),
    "with members of any kind": public(other={"a": [1]}),
}


@pytest.mark.parametrize("key", USED.values(), ids=USED)
def test_key_is_used(key: dict[str, Any]) -> None:
    assert kids(key) == [RSA.kid]


LEFT_OUT: dict[str, Any] = {
    "130 symmetric": {**SECRET.as_dict(private=True), "use": "sig"},
    "symmetric that says it is RSA": {**SECRET.as_dict(private=True), "kty": "RSA"},
    "private": {**RSA.as_dict(private=True), "use": "sig"},
    "private of a curve": EC.as_dict(private=True),
    "for encryption": public(use="enc"),
    "for wrapping keys": public(use=None, key_ops=["wrapKey"]),
    "for an algorithm of encryption": public(use=None, alg="RSA-OAEP"),
    "for a symmetric algorithm": public(alg="HS256"),
    "133 without kid": public(kid=None),
    "133 with an empty kid": public(kid=""),
    "133 with a number for kid": public(kid=7),
    "of an unknown kind": public(kty="AKP"),
    "without kind": public(kty=None),
    "of 1,024 bits": public(n=public()["n"][:172]),
    "of 16,384 bits": public(n=public()["n"] * 8),
    "without a modulus": public(n=None),
    "with a modulus that is no base64": public(n="?" * 342),
    "with an exponent of 1": public(e="AQ"),
    "with a number for a modulus": public(n=7),
    "with use that is a list": public(use=["sig"]),
    "of an unknown curve": {**EC.as_dict(), "crv": "P-999"},
    "beside its curve": {**EC.as_dict(), "x": EC.as_dict()["y"], "y": EC.as_dict()["x"]},
    "of a curve with too few bytes": {**OKP.as_dict(), "x": "AAAA"},
    "that is a text": "key",
    "that is null": None,
    "that is a list": [],
}


@pytest.mark.parametrize("key", LEFT_OUT.values(), ids=LEFT_OUT)
def test_key_is_left_out_and_costs_no_other(key: Any) -> None:
    body = msgspec.json.encode({"keys": [key, public(kid="good")]})
    assert list(key_set(body, ASYMMETRIC)) == ["good"]


def test_key_for_an_algorithm_that_is_not_allowed_is_left_out() -> None:
    assert kids(public(alg="RS512"), algorithms=("RS256",)) == []


def test_published_private_key_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        kids(RSA.as_dict(private=True))
    assert "publishes a private key" in caplog.text
    assert str(RSA.as_dict(private=True)["d"]) not in caplog.text


def test_keys_beyond_a_hundred_are_left_out() -> None:
    keys = [public(kid=f"key {number}") for number in range(MAX_KEYS + 5)]
    assert len(kids(*keys)) == MAX_KEYS - 1


def test_set_of_which_nothing_is_left_is_refused() -> None:
    body = msgspec.json.encode(key_list(public(use="enc")))
    with pytest.raises(FetchFailed, match="no key that could check a signature"):
        key_set(body, ASYMMETRIC)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"null", b"[]", b"7", b'{"keys":7}', b'{"keys":null}', b"{}", b"[" * 100_000],
)
def test_what_is_no_key_set_is_refused(body: bytes) -> None:
    with pytest.raises(FetchFailed, match="the issuer's key set cannot be read"):
        key_set(body, ASYMMETRIC)


MEMBERS = ["kty", "kid", "use", "alg", "key_ops", "n", "e", "crv", "x", "y", "d"]
VALUES = st.one_of(
    st.sampled_from(["RSA", "EC", "OKP", "oct", "sig", "enc", "RS256", "P-256", "Ed25519", "AQAB"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    ),
)


@given(st.sampled_from([RSA, EC, OKP]), st.dictionaries(st.sampled_from(MEMBERS), VALUES))
def test_138_key_with_anything_in_it_costs_no_other(key: Any, changes: dict[str, Any]) -> None:
    body = msgspec.json.encode({"keys": [{**key.as_dict(), **changes}, public(kid="good")]})
    assert "good" in key_set(body, ASYMMETRIC)


@pytest.mark.parametrize(("configured", "own"), [("", ""), ("", "/"), ("/", ""), ("/", "/")])
def test_134_discovery_may_differ_from_the_setting_by_a_slash(configured: str, own: str) -> None:
    document = {"issuer": f"https://issuer.example{own}", "jwks_uri": "https://keys.example/"}
    found = discovery(msgspec.json.encode(document), f"https://issuer.example{configured}")
    assert (found.issuer, found.jwks_uri) == (document["issuer"], document["jwks_uri"])


@pytest.mark.parametrize(
    "issuer",
    [
        "https://issuer.example//",
        "https://ISSUER.example",
        "http://issuer.example",
        "https://issuer.example/realm",
        "https://issuer.example.evil.example",
        "",
    ],
)
def test_134_discovery_of_another_issuer_is_refused(issuer: str) -> None:
    document = {"issuer": issuer, "jwks_uri": "https://keys.example/"}
    with pytest.raises(FetchFailed, match="belongs to another issuer"):
        discovery(msgspec.json.encode(document), "https://issuer.example")


@pytest.mark.parametrize(
    "uri",
    [
        "http://keys.example/",
        "ftp://127.0.0.1/",
        "/keys",
        "",
        "https://",
        "https://u@h/",
        "http://[",
        "http://127.0.0.1:9200/",
        "https://localhost/keys",
        "http://[::1]/keys",
    ],
)
def test_keys_are_not_fetched_from_where_others_could_change_them(uri: str) -> None:
    document = {"issuer": "https://issuer.example", "jwks_uri": uri}
    with pytest.raises(FetchFailed, match="jwks_uri must be an https:// address"):
        discovery(msgspec.json.encode(document), "https://issuer.example")


def test_discovery_is_below_the_issuers_path() -> None:
    expected = "https://issuer.example/realms/main/.well-known/openid-configuration"
    assert discovery_url("https://issuer.example/realms/main/") == expected
