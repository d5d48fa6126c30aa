"""Bearer tokens: which are valid, by the keys of a real issuer."""

import logging
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.access.tokens import signed_token
from edgar_search.access.tokens.bearer import Identity, Tokens
from edgar_search.access.tokens.local_issuer import ISSUER, LocalIssuer
from edgar_search.errors import InvalidBearerToken, SettingsError
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings
from edgar_search.settings.issuer import ASYMMETRIC
from tests.support.issuer import AUDIENCE, Issuer, private_key
from tests.unit.sign_in.token_cases import INVALID, VALID, Make, raw_header

pytestmark = pytest.mark.anyio


class Clock:
    """Stands in for the module `time`, and stands still."""

    def __init__(self) -> None:
        self.now = time.time()

    def time(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, issuer: Issuer) -> Clock:
    """The issuer and the service have the same time."""
    clock = Clock()
    monkeypatch.setattr(signed_token, "time", clock)
    issuer.clock = clock.time
    return clock


async def refusal(tokens: Tokens, token: str) -> str:
    with pytest.raises(InvalidBearerToken) as caught:
        await tokens.verify(token)
    return str(caught.value)


@pytest.mark.parametrize("make", VALID.values(), ids=VALID)
async def test_valid_token_names_its_subject(make: Make, issuer: Issuer, http: HttpClient) -> None:
    identity = await Tokens(issuer.settings(), http).verify(make(issuer))
    assert identity == Identity(issuer.name, "somebody")


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "Lee@Example.com", "email_verified": True}, "lee@example.com"),
        ({"email": "lee@example.com", "email_verified": "true"}, "lee@example.com"),
        ({"email": "lee@example.com", "email_verified": False}, None),
        ({"email": "lee@example.com"}, None),
        ({"email": "lee", "email_verified": True}, None),
        ({"email_verified": True}, None),
    ],
)
async def test_address_that_is_verified_is_kept(
    claims: dict[str, Any], email: str | None, issuer: Issuer, http: HttpClient
) -> None:
    identity = await Tokens(issuer.settings(), http).verify(issuer.token(**claims))
    assert identity.email == email


@pytest.mark.parametrize(("make", "reason"), INVALID.values(), ids=INVALID)
async def test_invalid_token_is_refused_with_its_reason_and_none_of_its_text(
    make: Make,
    reason: str,
    issuer: Issuer,
    http: HttpClient,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    token = make(issuer)
    text = await refusal(Tokens(issuer.settings(oidc_algorithms="RS256, ES256"), http), token)
    assert text == reason
    assert [part for part in token.split(".") if len(part) > 3 and part in caplog.text] == []


SIGNING = {
    **{name: ("RSA", 2048) for name in ASYMMETRIC if name[:2] in ("RS", "PS")},
    **{"ES256": ("EC", "P-256"), "ES384": ("EC", "P-384"), "ES512": ("EC", "P-521")},
    **{"EdDSA": ("OKP", "Ed25519"), "Ed25519": ("OKP", "Ed25519")},
}


@pytest.mark.parametrize("algorithm", ASYMMETRIC)
async def test_130_every_algorithm_that_can_be_allowed_works(
    algorithm: str, issuer: Issuer, http: HttpClient
) -> None:
    issuer.keys = [private_key(0, *SIGNING[algorithm])]
    tokens = Tokens(issuer.settings(oidc_algorithms=algorithm), http)
    token = issuer.token(header={"alg": algorithm})
    assert await tokens.verify(token) == Identity(issuer.name, "somebody")


async def test_130_key_of_a_curve_for_encryption_checks_no_signature(
    issuer: Issuer, http: HttpClient
) -> None:
    issuer.keys = [private_key(0, "OKP", "X25519")]
    head = {"alg": "EdDSA", "kid": issuer.keys[0].kid}
    token = raw_header(msgspec.json.encode(head))(issuer)
    reason = await refusal(Tokens(issuer.settings(), http), token)
    assert reason == "the bearer token's signature is not valid"


async def test_subject_may_have_255_characters(issuer: Issuer, http: HttpClient) -> None:
    identity = await Tokens(issuer.settings(), http).verify(issuer.token("s" * 255))
    assert identity.subject == "s" * 255


async def test_135_any_of_the_configured_audiences_will_do(
    issuer: Issuer, http: HttpClient
) -> None:
    tokens = Tokens(issuer.settings(oidc_audience=f"first, {AUDIENCE}"), http)
    assert await tokens.verify(issuer.token()) == Identity(issuer.name, "somebody")


@pytest.mark.parametrize(("configured", "own"), [("", "/"), ("/", ""), ("/", "/")])
async def test_134_slash_may_differ_between_the_setting_and_the_issuers_own_name(
    configured: str, own: str, issuer: Issuer, http: HttpClient
) -> None:
    issuer.name = issuer.url + own
    tokens = Tokens(issuer.settings(oidc_issuer=issuer.url + configured), http)
    assert await tokens.verify(issuer.token()) == Identity(issuer.url + own, "somebody")


async def test_134_token_must_have_the_issuers_own_name(issuer: Issuer, http: HttpClient) -> None:
    issuer.name = issuer.url + "/"
    tokens = Tokens(issuer.settings(oidc_issuer=issuer.url), http)
    reason = await refusal(tokens, issuer.token(iss=issuer.url))
    assert reason == "the bearer token's claim iss is not valid"


async def test_without_an_issuer_every_token_is_refused(issuer: Issuer, http: HttpClient) -> None:
    reason = await refusal(Tokens(Settings(), http), issuer.token())
    assert reason == "no issuer of bearer tokens is configured here"


async def test_both_issuers_may_be_configured(
    issuer: Issuer, http: HttpClient, tmp_path: Path
) -> None:
    tokens = Tokens(issuer.settings(local_issuer=True, home=tmp_path), http)
    local = LocalIssuer(tmp_path).token("somebody")
    assert await tokens.verify(issuer.token()) == Identity(issuer.name, "somebody")
    assert await tokens.verify(local) == Identity(ISSUER, "somebody")


def test_settings_that_cannot_be_used_are_told_at_once() -> None:
    http = HttpClient("edgar-search tests", timeout=1)
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_OIDC_AUDIENCE is needed"):
        Tokens(Settings(oidc_issuer="https://issuer.example"), http)
