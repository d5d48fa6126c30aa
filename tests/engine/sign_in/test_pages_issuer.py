"""Signing in to the pages at an issuer that listens, lies, refuses and goes away."""

import asyncio
import base64
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager
from joserfc import jwt

from bench.service import running_service
from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens import bearer, issuer_client
from edgar_search.access.tokens.bearer import account_id
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.user_data.deletion import delete_belongings
from tests.support.issuer import (
    AUDIENCE,
    DISCOVERY,
    END,
    KEYS,
    TOKEN,
    USER_INFO,
    Answer,
    Issuer,
    answer,
    key_list,
    private_key,
)
from tests.support.pages import BASE, Browser

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation, pytest.mark.any_engine]


SIGNED_IN = {
    "pages": "signed-in",
    "pages_rate": 10_000,
    "auth_rate": 10_000,
    "oidc_audience": AUDIENCE,
    "oidc_client_id": AUDIENCE,
    "oidc_client_secret": "secret",
}


@asynccontextmanager
async def serving(
    made_settings: Settings, issuer: Issuer, **changes: Any
) -> AsyncIterator[Browser]:
    """Yield a browser at a service whose users sign in at the issuer."""
    usual = {**SIGNED_IN, "oidc_issuer": issuer.name}
    settings = msgspec.structs.replace(made_settings, **{**usual, **changes})
    async with LifespanManager(create_app(settings)) as manager:
        browser = Browser(manager.app)
        yield browser
        await browser.http.aclose()


@pytest.fixture
async def browser(made_settings: Settings, issuer: Issuer) -> AsyncIterator[Browser]:
    async with serving(made_settings, issuer) as browser:
        yield browser


async def leave(browser: Browser, following: str = "/account") -> str:
    """Go to the issuer; its address, with all that is asked of it."""
    reply = await browser.http.get("/sign-in/issuer", params={"next": following})
    assert reply.status_code == 303
    return reply.headers["location"]


async def come_back(browser: Browser, address: str) -> httpx.Response:
    return await browser.get(address.removeprefix(BASE))


async def test_user_signs_in_and_goes_on_where_it_was(browser: Browser, issuer: Issuer) -> None:
    asked = await browser.get("/docs")
    offered = await browser.get(asked.headers["location"])
    assert "/sign-in/issuer?next=%2Fdocs" in offered.text
    back = await come_back(
        browser, issuer.agree(await leave(browser, "/docs"), "alice", email="alice@example.com")
    )
    assert (back.status_code, back.headers["location"]) == (303, "/docs")
    page = await browser.get("/account")
    assert (page.status_code, ">alice@example.com</a>" in page.text) == (200, True)


async def test_account_is_that_of_the_bearer_token(browser: Browser, issuer: Issuer) -> None:
    await come_back(browser, issuer.agree(await leave(browser), "bob"))
    await browser.post("/account", do="create", name="laptop of bob")
    token = {"Authorization": f"Bearer {issuer.token('bob')}"}
    answered = await browser.http.get("/auth/api_keys/get", headers=token)
    assert [key["name"] for key in answered.json()["api_keys"]] == ["laptop of bob"]


async def test_issuer_is_asked_with_state_nonce_and_challenge(
    browser: Browser, issuer: Issuer
) -> None:
    asked = dict(parse_qsl(urlsplit(await leave(browser)).query))
    assert asked["redirect_uri"] == f"{BASE}/sign-in/callback"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["client_id"] == AUDIENCE
    assert min(len(asked[name]) for name in ("state", "nonce", "code_challenge")) >= 20


async def test_two_tabs_sign_in_at_once(browser: Browser, issuer: Issuer) -> None:
    first, second = await leave(browser, "/docs"), await leave(browser, "/account")
    backs = [await come_back(browser, issuer.agree(each, "carol")) for each in (first, second)]
    assert [back.headers["location"] for back in backs] == ["/docs", "/account"]


async def test_sign_in_ends_in_the_browser_that_began_it_only(
    browser: Browser, issuer: Issuer
) -> None:
    back = issuer.agree(await leave(browser), "mallory")
    victim = Browser(browser.app)
    reply = await come_back(victim, back)
    assert (reply.status_code, "did not begin in this browser" in reply.text) == (400, True)
    assert (await victim.get("/account")).status_code == 303
    await victim.http.aclose()


async def test_sign_in_ends_once(browser: Browser, issuer: Issuer) -> None:
    back = issuer.agree(await leave(browser), "dave")
    kept = dict(browser.http.cookies)
    assert (await come_back(browser, back)).status_code == 303
    browser.http.cookies.update(kept)
    assert (await come_back(browser, back)).status_code == 400


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"nonce": "another"}, "the ID token belongs to another sign-in (nonce)"),
        ({"nonce": None}, "the ID token belongs to another sign-in (nonce)"),
        ({"aud": "somebody-else"}, "the ID token's claim aud is not valid"),
        ({"aud": "api"}, "the ID token is for another client (aud)"),
        ({"azp": "api"}, "the ID token is for another client (azp)"),
        (
            {"iss": "https://other.example"},
            "the ID token was issued by an issuer (iss) that this service does not know",
        ),
        ({"exp": 1}, "the ID token has expired"),
        ({"exp": None}, "the ID token lacks a claim: exp"),
        ({"sub": None}, "the ID token lacks a claim: sub"),
        ({"sub": ""}, "the ID token's claim sub is not valid"),
        ({"key": private_key(99)}, "the ID token's key (kid) is not known here"),
        (
            {"key": private_key(99), "header": {"kid": private_key(0).kid}},
            "the ID token's signature is not valid",
        ),
    ],
)
async def test_token_that_lies_signs_nobody_in(
    made_settings: Settings, issuer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    async with serving(made_settings, issuer, oidc_audience=f"{AUDIENCE},api") as browser:
        back = issuer.agree(await leave(browser), **claims)
        reply = await come_back(browser, back)
        said = unescape(reply.text)
        assert (reply.status_code, f"the issuer's answer: {reason}<" in said) == (400, True)
        assert (await browser.get("/account")).status_code == 303


async def test_refusal_of_the_issuer_is_said_without_its_words(
    browser: Browser, issuer: Issuer
) -> None:
    state = dict(parse_qsl(urlsplit(await leave(browser)).query))["state"]
    reply = await browser.http.get(
        "/sign-in/callback",
        params={"error": "access_denied", "error_description": "<b>no</b>", "state": state},
    )
    assert (reply.status_code, "the issuer refused the sign-in" in reply.text) == (400, True)
    assert "<b>no" not in reply.text


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        ("access_denied", 400, "it was cancelled there; begin again"),
        ("login_required", 400, "it needs a step from you first; begin again"),
        ("temporarily_unavailable", 503, "the issuer of the sign-in is busy"),
        ("unauthorized_client", 503, "only the operator of this service can correct that"),
        ("made_up", 400, "the issuer refused the sign-in"),
    ],
)
async def test_refusal_says_what_the_user_can_do_and_the_log_why(
    browser: Browser,
    issuer: Issuer,
    caplog: pytest.LogCaptureFixture,
    error: str,
    status: int,
    message: str,
) -> None:
    state = dict(parse_qsl(urlsplit(await leave(browser)).query))["state"]
    given = {"error": error, "error_description": "said\nso", "state": state}
    reply = await browser.http.get("/sign-in/callback", params=given)
    assert (reply.status_code, message in reply.text) == (status, True)
    assert [
        record.message for record in caplog.records if record.name == issuer_client.__name__
    ] == [
        "the issuer's authorization endpoint refused a sign-in: status 302,"
        f" error '{error}', error_description 'said\\nso'"
    ]


async def test_wrong_secret_is_the_operators(
    browser: Browser, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    back = issuer.agree(await leave(browser))
    refusal = {"error": "invalid_client", "error_description": "no such secret"}
    issuer.answers[TOKEN] = answer(refusal, 401)
    reply = await come_back(browser, back)
    assert (reply.status_code, "only the operator" in reply.text) == (503, True)
    assert "status 401, error 'invalid_client', error_description 'no such secret'" in caplog.text


async def test_head_uses_no_sign_in_up(browser: Browser, issuer: Issuer) -> None:
    back = issuer.agree(await leave(browser))
    reply = await browser.http.head(back.removeprefix(BASE))
    assert (reply.status_code, reply.headers["allow"]) == (405, "GET")
    assert (await come_back(browser, back)).status_code == 303


async def test_keys_that_were_rotated_are_fetched_though_somebody_sent_made_up_ones(
    browser: Browser, issuer: Issuer
) -> None:
    made_up = {"Authorization": f"Bearer {issuer.token(key=private_key(98))}"}
    assert (await browser.http.get("/auth/usage_limits", headers=made_up)).status_code == 401
    issuer.rotate()
    assert (await browser.http.get("/auth/usage_limits", headers=made_up)).status_code == 401
    assert (await come_back(browser, issuer.agree(await leave(browser)))).status_code == 303


@pytest.mark.parametrize(
    "odd",
    [
        {"kty": "EC", "crv": "P-999", "kid": "odd", "x": "AA", "y": "AA"},
        {"kty": "RSA", "kid": "odd", "n": "!", "e": "AQAB"},
        {"kid": "odd"},
        {"kty": "oct", "kid": "odd", "k": "AA"},
    ],
)
async def test_odd_key_beside_the_right_one_stops_no_sign_in(
    browser: Browser, issuer: Issuer, odd: dict[str, Any]
) -> None:
    issuer.answers[KEYS] = answer(key_list(odd, {**odd, "kid": issuer.keys[0].kid}, *issuer.keys))
    assert (await come_back(browser, issuer.agree(await leave(browser)))).status_code == 303


async def test_secret_is_form_encoded(made_settings: Settings, issuer: Issuer) -> None:
    secret = {"oidc_client_secret": "a+b:c%d e"}
    async with serving(made_settings, issuer, **secret) as browser:
        await come_back(browser, issuer.agree(await leave(browser)))
    headers, _ = issuer.exchanged
    pair = base64.b64decode(headers["Authorization"].removeprefix("Basic ")).decode()
    assert pair == f"{AUDIENCE}:a%2Bb%3Ac%25d+e"


async def test_scopes_are_those_of_the_settings(made_settings: Settings, issuer: Issuer) -> None:
    async with serving(made_settings, issuer, oidc_scopes="openid groups") as browser:
        asked = dict(parse_qsl(urlsplit(await leave(browser)).query))
    assert asked["scope"] == "openid groups"


async def test_secret_in_the_body(made_settings: Settings, issuer: Issuer) -> None:
    how = {"oidc_client_secret": "a+b", "oidc_client_auth": "client_secret_post"}
    async with serving(made_settings, issuer, **how) as browser:
        await come_back(browser, issuer.agree(await leave(browser)))
    headers, body = issuer.exchanged
    assert ("Authorization" in headers, body["client_secret"]) == (False, "a+b")


@pytest.mark.parametrize(
    ("kind", "size", "algorithm"),
    [
        ("RSA", 2048, "RS256"),
        ("EC", "P-256", "ES256"),
        ("EC", "P-384", "ES384"),
        ("EC", "P-521", "ES512"),
        ("OKP", "Ed25519", "EdDSA"),
    ],
)
async def test_client_proves_itself_by_its_key(
    made_settings: Settings,
    issuer: Issuer,
    tmp_path: Path,
    kind: str,
    size: int | str,
    algorithm: str,
) -> None:
    key = private_key(3, kind, size)
    (tmp_path / "client.pem").write_bytes(key.as_pem(private=True))  # type: ignore[union-attr]
    how = {
        "oidc_client_secret": None,
        "oidc_client_auth": "private_key_jwt",
        "oidc_client_key": tmp_path / "client.pem",
    }
    issuer.client_key = key
    async with serving(made_settings, issuer, **how) as browser:
        back = await come_back(browser, issuer.agree(await leave(browser)))
    assert back.status_code == 303
    assert issuer.proof is not None
    header, claims = issuer.proof.header, issuer.proof.claims
    assert (header["alg"], header["kid"]) == (algorithm, key.thumbprint())
    assert (claims["iss"], claims["sub"]) == (AUDIENCE, AUDIENCE)
    assert claims["aud"] == issuer.url + TOKEN
    assert 0 < claims["exp"] - time.time() <= 60


@pytest.mark.parametrize(
    ("token", "user_info", "seconds"),
    [(9.0, 0.0, 1.0), (0.0, 9.0, 1.0), (0.6, 9.0, 1.0), (0.4, 0.2, 0.6)],
    ids=["of the tokens", "of UserInfo", "of both", "not reached"],
)
async def test_sign_in_has_an_end(
    made_settings: Settings,
    issuer: Issuer,
    monkeypatch: pytest.MonkeyPatch,
    token: float,
    user_info: float,
    seconds: float,
) -> None:
    monkeypatch.setattr(issuer_client, "TIME_IN_ALL", 1.0)
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    issuer.user_info = {"sub": "lee", "email": "lee@example.com", "email_verified": True}
    issuer.delays = {TOKEN: token, USER_INFO: user_info}
    async with serving(made_settings, issuer, oidc_users="email_domain=example.com") as browser:
        back = issuer.agree(await leave(browser), "lee")
        began = time.monotonic()
        reply = await come_back(browser, back)
        took = time.monotonic() - began
    if seconds < 1.0:
        assert reply.status_code == 303
    else:
        assert (reply.status_code, f"{AMISS}<" in unescape(reply.text)) == (503, True)
    # A busy machine takes a while for the rest; without the bound it were 5 seconds.
    assert seconds <= took < seconds + 2


async def test_answer_without_end_is_given_up(browser: Browser, issuer: Issuer) -> None:
    back = issuer.agree(await leave(browser))
    issuer.answers[TOKEN] = Answer(b" " * 1_000_000)
    assert (await come_back(browser, back)).status_code == 503


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"sub": "erin", "name": "Erin Example", "email": "erin@example.com"}, "erin@example.com"),
        ({"sub": "somebody else", "email": "other@example.com"}, "erin"),
        ({"email": "other@example.com"}, "erin"),
    ],
)
async def test_name_is_that_of_user_info_of_the_same_subject(
    browser: Browser, issuer: Issuer, said: dict[str, Any], name: str
) -> None:
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    issuer.user_info = said
    assert (await come_back(browser, issuer.agree(await leave(browser), "erin"))).status_code == 303
    assert f">{name}</a>" in (await browser.get("/account")).text


async def test_signed_user_info_that_is_refused_is_named_in_the_log(
    browser: Browser, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    said = issuer.token("erin", key=private_key(99))
    issuer.answers[USER_INFO] = Answer(said.encode(), headers={"Content-Type": "application/jwt"})
    assert (await come_back(browser, issuer.agree(await leave(browser), "erin"))).status_code == 303
    assert (
        "UserInfo could not be fetched: the signed UserInfo's key (kid) is not known" in caplog.text
    )


async def test_user_info_may_be_signed(browser: Browser, issuer: Issuer) -> None:
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    said = issuer.token("erin", email="erin@example.com", header={"typ": None})
    issuer.answers[USER_INFO] = Answer(said.encode(), headers={"Content-Type": "application/jwt"})
    assert (await come_back(browser, issuer.agree(await leave(browser), "erin"))).status_code == 303
    assert ">erin@example.com</a>" in (await browser.get("/account")).text


RULES = "groups=analysts; email_domain=example.com"


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"groups": ["analysts"]}, 303),
        ({"email": "a@example.com", "email_verified": True}, 303),
        ({"email": "a@example.com"}, 403),
        ({"groups": ["others"]}, 403),
    ],
)
async def test_rules_say_who_may_sign_in_and_send_tokens(
    made_settings: Settings, issuer: Issuer, claims: dict[str, Any], status: int
) -> None:
    rules = {"oidc_users": RULES, "sign_in_help": "it@example.com"}
    async with serving(made_settings, issuer, **rules) as browser:
        reply = await come_back(browser, issuer.agree(await leave(browser), "frank", **claims))
        token = {"Authorization": f"Bearer {issuer.token('frank', **claims)}"}
        answered = await browser.http.get("/auth/usage_limits", headers=token)
    assert (reply.status_code, answered.status_code) == (status, 200 if status == 303 else 403)
    assert ("ask it@example.com" in reply.text) == (status == 403)
    assert ("ask it@example.com" in answered.text) == (status == 403)


async def test_user_who_was_refused_may_choose_another_account(
    made_settings: Settings, issuer: Issuer
) -> None:
    async with serving(made_settings, issuer, oidc_users="sub=grace") as browser:
        reply = await come_back(browser, issuer.agree(await leave(browser), "frank"))
        again = await leave(browser)
        assert (reply.status_code, "prompt=select_account" in again) == (403, True)
        assert (await come_back(browser, issuer.agree(again, "grace"))).status_code == 303


async def test_sign_in_that_an_older_version_began_is_begun_again(
    browser: Browser, engine: Engine, made_settings: Settings
) -> None:
    older = '[{"state": "s", "nonce": "n", "code_verifier": "v"}, "/docs"]'
    key = await Sessions(engine, made_settings).begin_sign_in(older)
    name = f"sign-in-{hashlib.sha256(b's').hexdigest()[:16]}"
    browser.http.cookies.set(name, key)
    reply = await browser.get("/sign-in/callback?state=s&code=c")
    assert (reply.status_code, "begin again" in reply.text) == (400, True)


@pytest.mark.parametrize(
    ("claims", "said", "status"),
    [
        ({"name": "Lee"}, {"email": "a@example.com", "email_verified": True}, 303),
        ({"email": "a@example.com"}, {"email": "a@example.com", "email_verified": True}, 303),
        ({"email": "a@example.com"}, {"email": "b@else.example", "email_verified": True}, 403),
        ({"email_verified": True}, {"email": "a@example.com"}, 403),
        ({"name": "Lee"}, {"groups": ["analysts"]}, 303),
    ],
)
async def test_rules_read_user_info_for_what_the_id_token_lacks(
    made_settings: Settings,
    issuer: Issuer,
    claims: dict[str, Any],
    said: dict[str, Any],
    status: int,
) -> None:
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    issuer.user_info = {"sub": "lee", **said}
    async with serving(made_settings, issuer, oidc_users=RULES) as browser:
        reply = await come_back(browser, issuer.agree(await leave(browser), "lee", **claims))
    assert reply.status_code == status


def slow() -> Iterator[bytes]:
    """Yield a body that does not come before everything has taken too long."""
    time.sleep(1.5)
    yield b"{}"


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        ("", 303),
        ("email_domain=example.com; sub=lee", 303),
        ("sub=else", 403),
        ("groups=analysts", 503),
        ("email_domain=example.com", 503),
    ],
)
@pytest.mark.parametrize(
    "lie",
    [Answer(b"{}", 500), Answer(b"{}", 429), Answer(b"<html>"), answer({"sub": "else"}), slow],
    ids=["500", "429", "no JSON", "of another user", "slow"],
)
async def test_user_info_that_cannot_be_had_is_503_if_rules_need_it(
    made_settings: Settings,
    issuer: Issuer,
    monkeypatch: pytest.MonkeyPatch,
    lie: Answer | Callable[[], Iterator[bytes]],
    rules: str,
    status: int,
) -> None:
    monkeypatch.setattr(issuer_client, "TIME_IN_ALL", 1.0)
    issuer.endpoints["userinfo_endpoint"] = issuer.url + USER_INFO
    issuer.answers[USER_INFO] = lie if isinstance(lie, Answer) else Answer(lie())
    async with serving(made_settings, issuer, oidc_users=rules) as browser:
        reply = await come_back(browser, issuer.agree(await leave(browser), "lee"))
    assert reply.status_code == status


async def test_address_is_kept_with_the_account_if_it_is_verified(
    browser: Browser, issuer: Issuer, engine: Engine, made_settings: Settings
) -> None:
    kept = []
    for claims in (
        {"email": "boss@example.com"},
        {"email_verified": True, "email": "lu@a.example"},
    ):
        await come_back(browser, issuer.agree(await leave(browser), "lu", **claims))
        accounts = Accounts(engine, Plans.from_settings(made_settings))
        kept.append((await accounts.read(account_id(issuer.name, "lu"))).email)
    assert kept == [None, "lu@a.example"]


async def test_rules_give_plans(made_settings: Settings, issuer: Issuer) -> None:
    async with serving(made_settings, issuer, oidc_plans="groups=analysts:unlimited") as browser:
        plans = []
        for groups in (["analysts"], ["others"]):
            token = issuer.token("grace", groups=groups)
            headers = {"Authorization": f"Bearer {token}"}
            answered = await browser.http.get("/auth/usage_limits", headers=headers)
            plans.append(answered.json()["plan"])
    assert plans == ["unlimited", "free"]


async def test_token_without_the_claim_of_a_rule_leaves_the_plan_and_a_sign_in_decides(
    made_settings: Settings, issuer: Issuer
) -> None:
    async with serving(made_settings, issuer, oidc_plans="groups=analysts:unlimited") as browser:

        async def plan() -> str:
            headers = {"Authorization": f"Bearer {issuer.token('gita')}"}
            answered = await browser.http.get("/auth/usage_limits", headers=headers)
            return str(answered.json()["plan"])

        plans = [await plan()]
        for claims in ({"groups": ["analysts"]}, {}):
            await come_back(browser, issuer.agree(await leave(browser), "gita", **claims))
            plans.append(await plan())
    assert plans == ["free", "unlimited", "free"]


async def test_sign_out_leads_to_the_issuer_and_the_next_sign_in_asks_which_account(
    browser: Browser, issuer: Issuer
) -> None:
    issuer.endpoints["end_session_endpoint"] = issuer.url + END
    first = await leave(browser)
    await come_back(browser, issuer.agree(first, "heidi"))
    page = await browser.post("/sign-out")
    assert (page.status_code, f"0; url={issuer.url}{END}?id_token_hint=" in page.text) == (
        200,
        True,
    )
    assert f"post_logout_redirect_uri={quote(BASE + '/', safe='')}" in page.text
    assert (await browser.get("/account")).status_code == 303
    second = await leave(browser)
    prompts = [dict(parse_qsl(urlsplit(each).query)).get("prompt") for each in (first, second)]
    assert prompts == [None, "select_account"]


async def test_id_token_can_be_read_by_who_has_the_cookie_only(
    browser: Browser, issuer: Issuer, engine: Engine
) -> None:
    issuer.endpoints["end_session_endpoint"] = issuer.url + END
    await come_back(browser, issuer.agree(await leave(browser), "hugo"))
    await engine.refresh("sessions")
    every = {"query": {"match_all": {}}, "size": 10_000}
    stored = [bytes(hit) for hit in (await engine.search("sessions", every, msgspec.Raw)).hits.hits]
    page = await browser.post("/sign-out")
    token = page.text.split("id_token_hint=")[1].split("&")[0]
    assert jwt.decode(token, issuer.keys[-1], algorithms=["RS256"]).claims["sub"] == "hugo"
    assert [
        part for part in token.split(".") if any(part.encode() in each for each in stored)
    ] == []


async def test_issuer_that_cannot_ask_which_account_is_asked_without(
    browser: Browser, issuer: Issuer
) -> None:
    await come_back(browser, issuer.agree(await leave(browser), "heidi"))
    await browser.post("/sign-out")
    state = dict(parse_qsl(urlsplit(await leave(browser, "/docs")).query))["state"]
    given = {"error": "invalid_request", "error_description": "prompt", "state": state}
    reply = await browser.http.get("/sign-in/callback", params=given)
    assert reply.headers["location"] == "/sign-in/issuer?next=%2Fdocs"
    assert "prompt" not in await leave(browser, "/docs")


async def test_sign_out_without_an_address_of_the_issuer_ends_here(
    browser: Browser, issuer: Issuer
) -> None:
    await come_back(browser, issuer.agree(await leave(browser), "heidi"))
    assert (await browser.post("/sign-out")).headers["location"] == "/"


@pytest.mark.parametrize(
    ("token", "ends"),
    [
        ({"sid": "s-1"}, (True, False)),
        ({"sub": "ivan"}, (True, True)),
        ({"sub": "ivan", "sid": "s-2"}, (False, True)),
        ({"sub": "ivan", "sid": "unknown"}, (False, False)),
        ({"sub": "judy"}, (False, False)),
    ],
)
async def test_issuer_ends_sessions(
    browser: Browser, issuer: Issuer, token: dict[str, str], ends: tuple[bool, bool]
) -> None:
    browsers = [browser, Browser(browser.app)]
    for each, sid in zip(browsers, ("s-1", "s-2"), strict=True):
        await come_back(each, issuer.agree(await leave(each), "ivan", sid=sid))
    logout = {"logout_token": issuer.logout_token(**token)}
    reply = await browser.http.post("/sign-out/backchannel", data=logout)
    assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store")
    pages = [await each.get("/account") for each in browsers]
    assert tuple(page.status_code == 303 for page in pages) == ends
    await browser.post("/sign-out/everywhere")


async def test_sign_out_in_one_browser_leaves_the_others_though_the_issuer_tells_of_it(
    browser: Browser, issuer: Issuer
) -> None:
    other = Browser(browser.app)
    for each, sid in ((browser, "s-1"), (other, "s-2")):
        await come_back(each, issuer.agree(await leave(each), "niaj", sid=sid))
    await browser.post("/sign-out")
    logout = {"logout_token": issuer.logout_token(sub="niaj", sid="s-1")}
    assert (await browser.http.post("/sign-out/backchannel", data=logout)).status_code == 200
    assert (await other.get("/account")).status_code == 200
    await other.http.aclose()


async def test_session_of_an_issuer_that_gives_none_an_id_ends_with_its_user(
    browser: Browser, issuer: Issuer
) -> None:
    await come_back(browser, issuer.agree(await leave(browser), "olivia"))
    logout = {"logout_token": issuer.logout_token(sub="olivia", sid="s-1")}
    assert (await browser.http.post("/sign-out/backchannel", data=logout)).status_code == 200
    assert (await browser.get("/account")).status_code == 303


@pytest.mark.parametrize(
    "wrong",
    [
        {"sub": "ivan", "nonce": "n"},
        {"sub": "ivan", "events": {}},
        {"sub": "ivan", "jti": None},
        {"sub": "ivan", "aud": "somebody-else"},
        {"sub": "ivan", "exp": 1},
        {"sub": "ivan", "key": private_key(99)},
        {},
    ],
)
async def test_logout_token_that_lies_ends_nothing(
    browser: Browser, issuer: Issuer, wrong: dict[str, Any]
) -> None:
    await come_back(browser, issuer.agree(await leave(browser), "ivan", sid="s-1"))
    logout = {"logout_token": issuer.logout_token(**wrong)}
    reply = await browser.http.post("/sign-out/backchannel", data=logout)
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid_request")
    assert reply.json()["error_description"].startswith("the logout token")
    assert (await browser.get("/account")).status_code == 200


async def test_logout_token_is_no_bearer_token(browser: Browser, issuer: Issuer) -> None:
    headers = {"Authorization": f"Bearer {issuer.logout_token(sub='ivan')}"}
    assert (await browser.http.get("/auth/usage_limits", headers=headers)).status_code == 401
    id_token = {"logout_token": issuer.token("ivan")}
    reply = await browser.http.post("/sign-out/backchannel", data=id_token)
    assert reply.status_code == 400


def caller(browser: Browser, address: str) -> httpx.AsyncClient:
    """Someone at another address."""
    transport = httpx.ASGITransport(browser.app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=BASE)


@pytest.mark.parametrize(
    ("wrong", "from_issuer"),
    [
        ({"sub": "mallory", "key": private_key(99)}, False),
        ({"sub": "mallory", "aud": "somebody-else"}, False),
        ({"sub": "mallory", "iss": "https://other.example"}, False),
        ({"sub": "mallory", "iss": "https://other.example"}, True),
    ],
)
async def test_wrong_logout_tokens_have_a_rate_that_keeps_out_no_right_one(
    made_settings: Settings,
    issuer: Issuer,
    monkeypatch: pytest.MonkeyPatch,
    wrong: dict[str, Any],
    from_issuer: bool,
) -> None:
    monkeypatch.setattr(bearer, "LOGOUT_PAUSE", 0.0)
    right = {"logout_token": issuer.logout_token(sub="mallory")}
    async with serving(made_settings, issuer, pages_rate=1) as browser:
        sender = caller(browser, "192.0.2.1")
        async with sender, caller(browser, "192.0.2.1" if from_issuer else "192.0.2.2") as attacker:
            assert (await sender.post("/sign-out/backchannel", data=right)).status_code == 200
            # Signed before, so that they are sent within a second.
            tokens = [{"logout_token": issuer.logout_token(**wrong)} for _ in range(3)]
            refused = [await attacker.post("/sign-out/backchannel", data=token) for token in tokens]
            assert [reply.status_code for reply in refused] == [400, 400, 429]
            assert refused[-1].headers["retry-after"] == "2"
            for _ in range(5):
                reply = await sender.post("/sign-out/backchannel", data=right)
                assert reply.status_code == 200


async def test_logout_token_of_a_new_key_is_taken_though_others_send_made_up_ones(
    browser: Browser, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bearer, "LOGOUT_PAUSE", 0.5)
    await come_back(browser, issuer.agree(await leave(browser), "ivan", sid="s-1"))
    made_up = {"logout_token": issuer.logout_token(sub="ivan", key=private_key(98))}
    reply = await browser.http.post("/sign-out/backchannel", data=made_up)
    assert reply.status_code == 400
    fetches = issuer.fetches()
    issuer.rotate()
    right = {"logout_token": issuer.logout_token(sub="ivan")}
    sent = [browser.http.post("/sign-out/backchannel", data=each) for each in [made_up] * 20]
    *others, reply = await asyncio.gather(
        *sent, browser.http.post("/sign-out/backchannel", data=right)
    )
    assert reply.status_code == 200
    assert {other.status_code for other in others} == {400}
    assert issuer.fetches() == fetches + 1
    assert (await browser.get("/account")).status_code == 303


@pytest.mark.parametrize("token", [{"sub": "paul"}, {"sub": "paul", "sid": "s-1"}])
async def test_logout_token_that_is_sent_again_ends_no_newer_session(
    browser: Browser, issuer: Issuer, token: dict[str, str]
) -> None:
    minutes_ago = int(time.time()) - 120
    await come_back(browser, issuer.agree(await leave(browser), "paul", sid="s-1"))
    for issued, status in ((minutes_ago, 200), (int(time.time()), 303)):
        logout = {"logout_token": issuer.logout_token(iat=issued, **token)}
        reply = await browser.http.post("/sign-out/backchannel", data=logout)
        assert reply.status_code == 200
        assert (await browser.get("/account")).status_code == status


@pytest.mark.parametrize(
    "times", [{"iat": -301, "exp": None}, {"iat": -86_401, "exp": 60}, {"iat": -1e300, "exp": 60}]
)
async def test_logout_token_that_is_too_old_is_refused(
    browser: Browser, issuer: Issuer, times: dict[str, float | None]
) -> None:
    now = int(time.time())
    claims = {name: None if value is None else now + value for name, value in times.items()}
    logout = {"logout_token": issuer.logout_token(sub="paul", **claims)}
    reply = await browser.http.post("/sign-out/backchannel", data=logout)
    assert (reply.status_code, "too old" in reply.text) == (400, True)


async def test_session_and_keys_outlive_rules_that_admit_their_user_no_more(
    made_settings: Settings, issuer: Issuer, engine: Engine
) -> None:
    account = account_id(issuer.name, "trudy")
    key, _ = await ApiKeys(engine).create("trudy's", account)
    token = {"Authorization": f"Bearer {issuer.token('trudy')}"}
    async with serving(made_settings, issuer) as browser:
        await come_back(browser, issuer.agree(await leave(browser), "trudy"))
        kept = dict(browser.http.cookies)
    async with serving(made_settings, issuer, oidc_users="sub=somebody-else") as browser:
        browser.http.cookies.update(kept)
        assert (await browser.get("/account")).status_code == 200
        called = await browser.http.get("/v1/lookup?sic=1", headers={"X-API-Key": key})
        assert called.status_code == 200
        asked = await browser.http.get("/auth/usage_limits", headers=token)
        again = await come_back(browser, issuer.agree(await leave(browser), "trudy"))
        assert (asked.status_code, again.status_code) == (403, 403)
        await Sessions(engine, made_settings).end_all(account)
        assert (await browser.get("/account")).status_code == 303


async def test_deletion_takes_a_suspension_away(
    made_settings: Settings, issuer: Issuer, engine: Engine
) -> None:
    account = account_id(issuer.name, "victor")
    accounts = Accounts(engine, Plans.from_settings(made_settings))
    await accounts.suspend(account)
    statuses = []
    for _ in range(2):
        # Each service remembers nothing of the account.
        async with serving(made_settings, issuer) as browser:
            back = await come_back(browser, issuer.agree(await leave(browser), "victor"))
            statuses.append(back.status_code)
        await delete_belongings(engine, account)
    assert statuses == [403, 303]


@pytest.mark.long
async def test_suspended_user_comes_in_nowhere(
    made_settings: Settings, engine: Engine, issuer: Issuer
) -> None:
    accounts = Accounts(engine, Plans.from_settings(made_settings))
    account = account_id(issuer.name, "kim")
    async with serving(made_settings, issuer) as browser:
        await come_back(browser, issuer.agree(await leave(browser), "kim"))
        await accounts.suspend(account)
        token = {"Authorization": f"Bearer {issuer.token('kim')}"}

        # The promise of a revoked key, which a suspension keeps too.
        await asyncio.sleep(5)
        page = await browser.get("/account")
        answered = await browser.http.get("/auth/usage_limits", headers=token)
        assert (page.status_code, answered.status_code) == (403, 403)
        reply = await come_back(browser, issuer.agree(await leave(browser), "kim"))
        assert (reply.status_code, "this account is suspended" in reply.text) == (403, True)
        await accounts.resume(account)


@pytest.mark.parametrize(
    ("path", "lie"),
    [
        (DISCOVERY, Answer(status=500)),
        (DISCOVERY, Answer(b"<html>")),
        (DISCOVERY, answer([])),
        (DISCOVERY, answer({})),
        (DISCOVERY, answer({"issuer": "https://other.example"})),
    ],
)
async def test_issuer_that_answers_amiss_is_503_and_tried_again(
    browser: Browser, issuer: Issuer, path: str, lie: Answer
) -> None:
    issuer.answers[path] = lie
    reply = await browser.get("/sign-in/issuer")
    assert (reply.status_code, "cannot be reached" in reply.text) == (503, True)
    del issuer.answers[path]
    assert (await leave(browser)).startswith(issuer.url)


AMISS = "the issuer of the sign-in cannot be reached, or its answer is wrong; try again later"


@pytest.mark.parametrize(
    ("lie", "status", "message"),
    [
        (Answer(status=500), 503, AMISS),
        (Answer(b"no JSON"), 503, AMISS),
        (answer([]), 503, AMISS),
        (answer({"id_token": 1}), 503, AMISS),
        (answer({}, 500), 503, "the issuer of the sign-in is busy; try again later"),
        (answer({}, 429), 503, "the issuer of the sign-in is busy; try again later"),
        (Answer(b"<html>", 400), 400, "the issuer refused the sign-in"),
        (answer({}, 400), 400, "the issuer refused the sign-in"),
        (
            answer({"error": "invalid_grant"}, 400),
            400,
            "the issuer refused the sign-in: it took too long, or had already ended; begin again",
        ),
        (
            answer({}),
            400,
            "the issuer's answer: the ID token is not a signed JSON web token",
        ),
    ],
)
async def test_exchange_that_fails_signs_nobody_in(
    browser: Browser, issuer: Issuer, lie: Answer, status: int, message: str
) -> None:
    back = issuer.agree(await leave(browser))
    issuer.answers[TOKEN] = lie
    reply = await come_back(browser, back)
    assert (reply.status_code, f"{message}<" in unescape(reply.text)) == (status, True)
    assert (await browser.get("/account")).status_code == 303


async def test_issuer_that_is_down_is_503(browser: Browser, issuer: Issuer) -> None:
    issuer.stop()
    reply = await browser.get("/sign-in/issuer")
    issuer.start()
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")


@pytest.mark.parametrize(("vouched", "status"), [(True, 303), (False, 503)])
def test_whole_sign_in_at_an_issuer_of_a_private_authority(
    made_settings: Settings,
    issuer: Issuer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vouched: bool,
    status: int,
) -> None:
    authority = issuer.use_tls(tmp_path)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if vouched:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    endpoints = {"userinfo_endpoint": USER_INFO, "end_session_endpoint": END}
    issuer.endpoints = {name: issuer.url + path for name, path in endpoints.items()}
    issuer.user_info = {"sub": "rupert", "email": "rupert@example.com", "email_verified": True}
    settings = msgspec.structs.replace(
        made_settings, **SIGNED_IN, oidc_issuer=issuer.name, oidc_users="email_domain=example.com"
    )
    with running_service(settings) as service, httpx.Client(base_url=service.url) as http:
        begun = http.get("/sign-in/issuer", params={"next": "/account"})
        assert begun.status_code == status
        if not vouched:
            assert AMISS in unescape(begun.text)
            return
        back = http.get(issuer.agree(begun.headers["location"], "rupert"))
        assert (back.status_code, back.headers["location"]) == (303, "/account")
        assert ">rupert@example.com</a>" in http.get("/account").text
        token = {"Authorization": f"Bearer {issuer.token(**issuer.user_info)}"}
        assert http.get("/auth/usage_limits", headers=token).status_code == 200
        left = http.post("/sign-out", headers={"Sec-Fetch-Site": "same-origin"})
        assert f"0; url={issuer.url}{END}?id_token_hint=" in left.text
