"""Signing in and out at a certified provider, in the browser."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from bench.service import free_port, running_service
from edgar_search.settings import Settings
from tests.browser.conftest import CHROMIUM, launched
from tests.support.engines import installation
from tests.support.provider import API, CLIENT, SECRET, running_provider
from tests.support.samples import install_samples


@pytest.fixture(scope="module")
def issuer_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def service_url(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory, issuer_port: int
) -> Iterator[str]:
    """The service, whose users sign in at a provider that runs beside it."""
    if CHROMIUM is None:
        pytest.skip("chromium is missing: `make browser` installs it")
    port = free_port()
    with running_provider(issuer_port, f"http://127.0.0.1:{port}") as issuer:
        settings = installation(engine_settings, "sign-in", tmp_path_factory.mktemp("home"))
        asyncio.run(install_samples(settings))
        settings = msgspec.structs.replace(
            settings,
            es_timeout=60.0,
            pages="signed-in",
            pages_rate=1_000,
            auth_rate=1_000,
            oidc_issuer=issuer,
            oidc_audience=f"{CLIENT},{API}",
            oidc_client_id=CLIENT,
            oidc_client_secret=SECRET,
            oidc_users="email_domain=example.com",
        )
        with running_service(settings, port=port) as service:
            yield service.url


@pytest.fixture(scope="module")
def chromium(service_url: str) -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def sign_in(page: Page, url: str, name: str) -> None:
    """Sign in as a person would, by the provider's own forms."""
    page.goto(f"{url}/account")
    page.get_by_role("link", name="Sign in at").click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"{url}/account")


def leave_provider(page: Page) -> None:
    page.get_by_role("button", name="Yes, sign me out").click()


def test_user_signs_in_and_out_and_may_be_somebody_else_next(page: Page, service_url: str) -> None:
    sign_in(page, service_url, "alice")
    expect(page.get_by_role("link", name="alice@example.com")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    leave_provider(page)
    page.wait_for_url(f"{service_url}/**")
    page.goto(f"{service_url}/account")
    assert page.url.startswith(f"{service_url}/sign-in")
    sign_in(page, service_url, "bob")
    expect(page.get_by_role("link", name="bob@example.com")).to_be_visible()


def test_logout_at_the_provider_ends_the_session_here(
    page: Page, service_url: str, issuer_port: int
) -> None:
    sign_in(page, service_url, "carol")
    page.goto(f"http://127.0.0.1:{issuer_port}/session/end")
    leave_provider(page)
    page.goto(f"{service_url}/account")
    assert page.url.startswith(f"{service_url}/sign-in")


def test_cancelled_sign_in_says_what_to_do(page: Page, service_url: str) -> None:
    page.goto(f"{service_url}/sign-in")
    page.get_by_role("link", name="Sign in at").click()
    page.get_by_role("link", name="[ Cancel ]").click()
    expect(page.get_by_text("it was cancelled there; begin again")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    assert page.url == f"{service_url}/sign-in"


@pytest.mark.parametrize(
    ("client", "secret", "reason"),
    [
        ("machine", "machine", "issued to another client"),
        (CLIENT, "a%2Bb%3Ac%25d", "belongs to a client"),
    ],
)
def test_token_by_client_credentials_is_no_users(
    service_url: str, issuer_port: int, client: str, secret: str, reason: str
) -> None:
    form: dict[str, Any] = {"grant_type": "client_credentials", "resource": API, "scope": "read"}
    address = f"http://127.0.0.1:{issuer_port}/token"
    token = httpx.post(address, data=form, auth=(client, secret)).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    reply = httpx.get(f"{service_url}/auth/usage_limits", headers=headers)
    assert (reply.status_code, reason in reply.json()["error"]) == (401, True)
