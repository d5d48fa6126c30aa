"""Accounts and sessions of an older version: what continues, and what waits for `templates put`."""

import asyncio
import copy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from asgi_lifespan import LifespanManager

from bench.installation import delete_indices
from edgar_search import cli
from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens.bearer import account_id
from edgar_search.app import create_app
from edgar_search.engine import freshness, templates
from edgar_search.engine.engine import Engine
from edgar_search.engine.templates import load_templates
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredAccount
from ingest.cli import main as ingest_main
from ingest.indices import indices
from ingest.indices.indices import Indices
from tests.support.commands import Ran, Run, runner
from tests.support.issuer import AUDIENCE, END, Issuer
from tests.support.pages import BASE, Browser

pytestmark = [pytest.mark.anyio]
# What the templates have now, and had not in the older version.
NEW = {"accounts": ("email", "suspended_at"), "sessions": ("issuer_session", "id_token")}
LONG_AGO = datetime(2026, 1, 2, tzinfo=UTC)
PUT_FIRST = "run `edgar-ingest templates put` first"


@pytest.fixture
def settings(emptied_settings: Settings, issuer: Issuer) -> Settings:
    """An installation for each test, whose users sign in at the issuer."""
    issuer.endpoints["end_session_endpoint"] = issuer.url + END
    return msgspec.structs.replace(
        emptied_settings,
        pages="signed-in",
        pages_rate=10_000,
        auth_rate=10_000,
        oidc_issuer=issuer.name,
        oidc_audience=AUDIENCE,
        oidc_client_id=AUDIENCE,
        oidc_client_secret="secret",
    )


@pytest.fixture(autouse=True)
def little_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """For half a second, as it is for five."""
    monkeypatch.setattr(freshness, "MAX_AGE", 0.5)
    monkeypatch.setattr(freshness, "REFRESH_AGE", 0.2)


@pytest.fixture
async def older(engine: Engine, settings: Settings) -> None:
    """Its indices are those of the older version, and so is an account."""
    await delete_indices(engine, [f"{settings.prefix}{name}.all.v1" for name in NEW])
    with pytest.MonkeyPatch.context() as patch:
        for module in (indices, templates):
            patch.setattr(module, "load_templates", older_templates)
        await Indices(engine, settings).set_up()
    account = StoredAccount(
        account_id(settings.oidc_issuer or "", "amy"), "free", LONG_AGO, LONG_AGO
    )
    await engine.create("accounts", account.id, account)


def older_templates(prefix: str) -> dict[str, dict[str, Any]]:
    """Return the templates as the older version had them."""
    older = copy.deepcopy(load_templates(prefix))
    for name, fields in NEW.items():
        mappings = older[name]["template"]["mappings"]
        mappings["_meta"] = older[name]["_meta"] = {"version": 1}
        for field in fields:
            del mappings["properties"][field]
    return older


@pytest.fixture
def amy(issuer: Issuer) -> str:
    """The account of the older version."""
    return account_id(issuer.name, "amy")


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command of the service or of ingest."""
    commands = runner(settings, monkeypatch, capsys)

    async def run(command: str, *arguments: str) -> Ran:
        main = cli.main if command == "accounts" else ingest_main
        return await commands(main, command, *arguments)

    return run


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Browser]:
    async with LifespanManager(create_app(settings)) as manager:
        browser = Browser(manager.app)
        yield browser
        await browser.http.aclose()


async def sign_in(browser: Browser, issuer: Issuer, **claims: Any) -> int:
    """Return the status of a page after a sign-in as the user of the older version."""
    begun = await browser.get("/sign-in/issuer?next=/account")
    address = issuer.agree(begun.headers["location"], "amy", **claims)
    assert (await browser.get(address.removeprefix(BASE))).status_code == 303
    return (await browser.get("/account")).status_code


async def log_out(browser: Browser, issuer: Issuer, **claims: str) -> tuple[int, int]:
    """Return the status of a logout that the issuer asks for, and that of a page after it."""
    sent = {"logout_token": issuer.logout_token(**claims)}
    reply = await browser.http.post("/sign-out/backchannel", data=sent)
    return reply.status_code, (await browser.get("/account")).status_code


VERIFIED = {"email": "amy@example.com", "email_verified": True, "sid": "s-1"}


@pytest.mark.any_engine
@pytest.mark.usefixtures("older")
async def test_session_of_the_older_version_goes_on_and_is_ended(
    settings: Settings, engine: Engine, issuer: Issuer, amy: str
) -> None:
    session = await Sessions(engine, settings).begin(amy, "Amy")
    async with serving(settings) as browser:
        browser.http.cookies.set("session", session)
        assert (await browser.get("/account")).status_code == 200
        left = await browser.post("/sign-out")
        assert f"0; url={issuer.url}{END}?client_id=" in left.text
        assert (await browser.get("/account")).status_code == 303


@pytest.mark.any_engine
@pytest.mark.usefixtures("older")
async def test_user_signs_in_and_out_before_the_templates_are_put(
    settings: Settings, engine: Engine, issuer: Issuer, amy: str
) -> None:
    async with serving(settings) as browser:
        assert await sign_in(browser, issuer, **VERIFIED) == 200
        left = await browser.post("/sign-out")
        # There is nowhere to keep the ID token, so the issuer asks who is to leave.
        assert f"0; url={issuer.url}{END}?client_id=" in left.text
        assert (await browser.get("/account")).status_code == 303
    stored = await Accounts(engine, Plans.from_settings(settings)).read(amy)
    assert (stored.email, stored.created_at) == (None, LONG_AGO)


@pytest.mark.any_engine
@pytest.mark.usefixtures("older")
@pytest.mark.parametrize(
    ("named", "statuses"),
    [
        ({"sub": "amy"}, (200, 303)),
        ({"sub": "amy", "sid": "s-1"}, (200, 303)),
        # Nobody knows which session that is: the issuer hears that it has not ended.
        ({"sid": "s-1"}, (503, 200)),
    ],
)
async def test_logout_at_the_issuer_ends_sessions_of_its_user_before_the_templates_are_put(
    settings: Settings, issuer: Issuer, named: dict[str, str], statuses: tuple[int, int]
) -> None:
    async with serving(settings) as browser:
        assert await sign_in(browser, issuer, **VERIFIED) == 200
        assert await log_out(browser, issuer, **named) == statuses


@pytest.mark.any_engine
@pytest.mark.usefixtures("older")
async def test_accounts_are_shown_and_named_by_their_id_before_the_templates_are_put(
    run: Run, amy: str
) -> None:
    line = f"{amy}\tfree\t-\t2026-01-02\tactive\n"
    assert await run("accounts", "list") == (0, line, "1 account\n")
    assert await run("accounts", "show", amy) == (0, f"{line}has 1 record of the account\n", "")


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (("list", "--email", "amy@example.com"), "accounts list: the index"),
        (("list", "--suspended"), "accounts list: the index"),
        (("show", "amy@example.com"), "accounts: no account has an e-mail address yet; the index"),
        (
            ("suspend", "amy@example.com"),
            "accounts: no account has an e-mail address yet; the index",
        ),
        (("suspend", "{amy}"), "accounts suspend: the index"),
    ],
)
async def test_what_needs_the_new_fields_of_accounts_says_what_to_run(
    run: Run, amy: str, arguments: tuple[str, ...], refusal: str
) -> None:
    said = await run("accounts", *(argument.format(amy=amy) for argument in arguments))
    older = f"edgar-search: {refusal} of accounts is of an older version; {PUT_FIRST}\n"
    assert said == (1, "", older)


@pytest.mark.usefixtures("older")
async def test_everything_is_there_once_the_templates_are_put(
    settings: Settings, engine: Engine, issuer: Issuer, run: Run, amy: str
) -> None:
    older = await Sessions(engine, settings).begin(amy, "Amy")
    async with serving(settings) as browser:
        assert await sign_in(browser, issuer, **VERIFIED) == 200
        status, said, _ = await run("templates", "put")
        assert (status, said.startswith("put: ")) == (0, True)
        # The service knows within the time that it remembers anything for.
        await asyncio.sleep(freshness.MAX_AGE)
        again = Browser(browser.app)
        assert await sign_in(again, issuer, **VERIFIED | {"sid": "s-2"}) == 200
        status, said, _ = await run("accounts", "list", "--email", "amy@example.com")
        assert (status, said.split("\t")[:3]) == (0, [amy, "free", "amy@example.com"])
        assert await log_out(again, issuer, sid="s-2") == (200, 303)
        assert await sign_in(again, issuer, **VERIFIED) == 200
        assert f"{END}?id_token_hint=" in (await again.post("/sign-out")).text
        assert await sign_in(again, issuer, **VERIFIED) == 200
        status, said, _ = await run("accounts", "suspend", "amy@example.com")
        # That of the older version, and those of before and after the templates.
        assert (status, f"suspended account {amy}: 3 sessions ended" in said) == (0, True)
        await asyncio.sleep(freshness.MAX_AGE)
        for each in (browser, again):
            assert (await each.get("/account")).status_code == 303
        assert await Sessions(engine, settings).read(older) is None
        begun = await again.get("/sign-in/issuer")
        back = issuer.agree(begun.headers["location"], "amy", **VERIFIED)
        assert (await again.get(back.removeprefix(BASE))).status_code == 403
        await again.http.aclose()
