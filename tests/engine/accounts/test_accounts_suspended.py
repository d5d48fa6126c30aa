"""`edgar-search accounts list`, `show`, `suspend` and `resume`, and what a suspension stops."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.accounts import SUSPENDED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.app import create_app
from edgar_search.engine import freshness
from edgar_search.engine.engine import Engine
from edgar_search.errors import Forbidden
from edgar_search.settings import Settings
from tests.support.alerting import Watcher, filing, match
from tests.support.commands import ONE_ACCOUNT, Run
from tests.support.loading import Loads
from tests.support.pages import Browser, open_pages

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


@pytest.fixture
def accounts(engine: Engine, made_settings: Settings) -> Accounts:
    return Accounts(engine, Plans.from_settings(made_settings))


async def test_accounts_are_listed_by_address_and_state(run: Run, accounts: Accounts) -> None:
    await accounts.admit("user-lena", "unlimited", "lena@example.com")
    await accounts.admit("user-leo", None, "leo@example.com")
    status, said, _ = await run("list", "--email", "LENA@example.com")
    (line,) = said.splitlines()
    name, plan, email, _, state = line.split("\t")
    assert (status, name, plan, email, state) == (
        0,
        "user-lena",
        "unlimited",
        "lena@example.com",
        "active",
    )
    _, said, _ = await run("list")
    assert {"user-lena", "user-leo"} <= {line.split("\t")[0] for line in said.splitlines()}
    await run("suspend", "user-leo")
    _, said, _ = await run("list", "--suspended")
    assert [line.split("\t")[0] for line in said.splitlines()] == ["user-leo"]
    await run("resume", "user-leo")


async def test_suspended_account_is_refused(
    engine: Engine, accounts: Accounts, made_settings: Settings
) -> None:
    await accounts.admit("user-max", None, None)
    await accounts.suspend("user-max")
    other_worker = Accounts(engine, Plans.from_settings(made_settings))
    with pytest.raises(Forbidden, match="this account is suspended"):
        await other_worker.plan("user-max")
    with pytest.raises(Forbidden, match="this account is suspended"):
        await other_worker.admit("user-max", "unlimited", None)


@pytest.mark.long
async def test_suspension_ends_sessions_and_refuses_keys_within_5_seconds(
    run: Run, engine: Engine, accounts: Accounts, made_settings: Settings
) -> None:
    await accounts.admit("user-mia", None, "mia@example.com")
    key, _ = await ApiKeys(engine).create("mia's", "user-mia")
    session = await Sessions(engine, made_settings).begin("user-mia", "Mia")
    async with LifespanManager(create_app(made_settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            headers = {"X-API-Key": key}
            assert (await http.get("/v1/lookup?sic=1", headers=headers)).status_code == 200
            status, said, _ = await run("suspend", "mia@example.com")
            assert (status, "1 sessions ended" in said) == (0, True)
            assert await Sessions(engine, made_settings).read(session) is None
            await asyncio.sleep(5)
            refused = await http.get("/v1/lookup?sic=1", headers=headers)
            assert (refused.status_code, "suspended" in refused.json()["error"]) == (403, True)
            assert (await http.get("/v2/filing_lookup", headers=headers)).status_code == 403
            _, shown, _ = await run("show", "user-mia")
            assert "suspended since" in shown and "1 API keys" in shown
            await run("resume", "mia@example.com")
            await asyncio.sleep(5)
            assert (await http.get("/v1/lookup?sic=1", headers=headers)).status_code == 200


async def test_suspension_ends_a_session_of_pages_at_once_and_lets_no_other_in(
    run: Run, engine: Engine, made_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "MAX_AGE", 1.0)
    monkeypatch.setattr(freshness, "REFRESH_AGE", 0.5)
    account = account_id(ISSUER, "nora")
    async with open_pages(made_settings) as app:
        browser, other = Browser(app), Browser(app)
        await browser.sign_in("nora")
        assert (await browser.get("/account")).status_code == 200
        status, said, _ = await run("suspend", account)
        assert (status, "1 sessions ended" in said) == (0, True)
        page = await browser.get("/account")
        assert (page.status_code, page.headers["location"]) == (303, "/sign-in?next=%2Faccount")
        # A worker may know the account as it was for a moment; what begins then is of no use later.
        begun = await Sessions(engine, made_settings).begin(account, "nora")
        other.http.cookies.set("session", begun)
        await asyncio.sleep(freshness.MAX_AGE)
        for reply in (await browser.sign_in("nora"), await other.get("/search?query=basalt")):
            assert (reply.status_code, SUSPENDED in reply.text) == (403, True)
        assert (await browser.get("/account")).status_code == 303
        await run("resume", account)
        await browser.http.aclose()
        await other.http.aclose()


async def test_suspended_account_is_told_of_nothing(
    engine: Engine,
    settings: Settings,
    accounts: Accounts,
    loads: Loads,
    watcher: Watcher,
    new_number: Callable[[], str],
) -> None:
    await watcher.watch("gabbro")
    await accounts.suspend(watcher.account)
    await loads(filing(new_number(), "some gabbro"))
    assert (await match(engine, settings)).notifications == 0
    await accounts.resume(watcher.account)
    await loads(filing(new_number(), "more gabbro"))
    assert (await match(engine, settings)).notifications == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("suspend", "nobody"), "account nobody: there is no such account"),
        (("show", "nobody@example.com"), "account nobody@example.com: there is no such account"),
        (("suspend",), ONE_ACCOUNT),
        (("suspend", "a", "--id", "a"), ONE_ACCOUNT),
        (
            ("suspend", "a", "--issuer", "b"),
            ONE_ACCOUNT,
        ),
    ],
)
async def test_account_that_is_not_there_is_named(
    run: Run, engine: Engine, arguments: tuple[str, ...], message: str
) -> None:
    status, _, said = await run(*arguments)
    assert (status, message in said) == (1, True)


async def test_resume_of_an_active_account_says_so(run: Run, accounts: Accounts) -> None:
    await accounts.admit("user-nils", None, None)
    status, _, said = await run("resume", "user-nils")
    assert (status, "account user-nils is not suspended" in said) == (1, True)


async def test_address_of_two_accounts_names_both(run: Run, accounts: Accounts) -> None:
    for name in ("user-o1", "user-o2"):
        await accounts.admit(name, None, "o@example.com")
    status, _, said = await run("suspend", "o@example.com")
    assert (status, "give one of `--id user-o1`, `--id user-o2`" in said) == (1, True)


async def test_id_that_is_the_address_of_another_account_names_both(
    run: Run, accounts: Accounts
) -> None:
    await accounts.admit("user-p", None, "p@example.com")
    await accounts.ensure("p@example.com")
    status, _, said = await run("suspend", "p@example.com")
    assert (status, said) == (
        1,
        "edgar-search: accounts: p@example.com is the id of an account, and is the e-mail address"
        " of user-p; give one of `--id p@example.com`, `--id user-p`\n",
    )
    for name, other in (("p@example.com", "user-p"), ("user-p", "p@example.com")):
        _, said, _ = await run("show", "--id", name)
        assert (said.startswith(f"{name}\t"), other in said.split("\t")[0]) == (True, False)


async def test_id_that_is_nobodys_address_may_have_its_form(run: Run, accounts: Accounts) -> None:
    await accounts.ensure("q@example.com")
    status, said, _ = await run("show", "q@example.com")
    assert (status, said.startswith("q@example.com\t")) == (0, True)
