"""Signing in to the pages at an issuer that listens, lies, refuses and goes away."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.settings import Settings
from tests.support.issuer import AUDIENCE, DISCOVERY, TOKEN, Answer, Issuer, answer, private_key
from tests.support.pages import BASE, Browser

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation, pytest.mark.any_engine]


@pytest.fixture
async def app(made_settings: Settings, issuer: Issuer) -> AsyncIterator[Any]:
    settings = msgspec.structs.replace(
        made_settings,
        pages="signed-in",
        pages_rate=10_000,
        oidc_issuer=issuer.name,
        oidc_audience=AUDIENCE,
        oidc_client_id=AUDIENCE,
        oidc_client_secret="secret",
    )
    async with LifespanManager(create_app(settings)) as manager:
        yield manager.app


@pytest.fixture
async def browser(app: Any) -> AsyncIterator[Browser]:
    browser = Browser(app)
    yield browser
    await browser.http.aclose()


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
    app: Any, browser: Browser, issuer: Issuer
) -> None:
    back = issuer.agree(await leave(browser), "mallory")
    victim = Browser(app)
    reply = await come_back(victim, back)
    assert (reply.status_code, "not under way in this browser" in reply.text) == (400, True)
    assert (await victim.get("/account")).status_code == 303
    await victim.http.aclose()


async def test_sign_in_ends_once(browser: Browser, issuer: Issuer) -> None:
    back = issuer.agree(await leave(browser), "dave")
    kept = dict(browser.http.cookies)
    assert (await come_back(browser, back)).status_code == 303
    browser.http.cookies.update(kept)
    assert (await come_back(browser, back)).status_code == 400


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"aud": "somebody-else"},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"sub": None},
        {"key": private_key(99)},
    ],
    ids=lambda claims: next(iter(claims)),
)
async def test_token_that_lies_signs_nobody_in(
    browser: Browser, issuer: Issuer, claims: dict[str, Any]
) -> None:
    back = issuer.agree(await leave(browser), **claims)
    reply = await come_back(browser, back)
    assert reply.status_code in (400, 503)
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


@pytest.mark.parametrize(
    "lie", [Answer(status=500), Answer(b"no JSON"), answer([]), answer({"id_token": 1})]
)
async def test_exchange_that_fails_signs_nobody_in(
    browser: Browser, issuer: Issuer, lie: Answer
) -> None:
    back = issuer.agree(await leave(browser))
    issuer.answers[TOKEN] = lie
    reply = await come_back(browser, back)
    assert reply.status_code in (400, 503)
    assert (await browser.get("/account")).status_code == 303


async def test_issuer_that_is_down_is_503(browser: Browser, issuer: Issuer) -> None:
    issuer.stop()
    reply = await browser.get("/sign-in/issuer")
    issuer.start()
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
