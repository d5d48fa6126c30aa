"""Signing in to the pages, and the pages of an account."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from asgi_lifespan import LifespanManager

from bench.page_addresses import OWN
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.alerts.notifications import Notice, Notifications
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine, Stored
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredSession
from edgar_search.stored.user_items import StoredNotification
from edgar_search.web.pages.templates import day
from tests.support.pages import BASE, Browser, open_pages
from tests.support.users import Users

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation, pytest.mark.any_engine]
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
async def app(anyio_backend: str, made_settings: Settings) -> AsyncIterator[Any]:
    """One service for all tests here, each of which has a user of its own."""
    async with open_pages(made_settings) as app:
        yield app


@pytest.fixture
async def browser(app: Any) -> AsyncIterator[Browser]:
    browser = Browser(app)
    yield browser
    await browser.http.aclose()


@pytest.fixture
def name(new_number: Any) -> str:
    """A user that nobody has seen before."""
    return f"reader {new_number()}"


@pytest.mark.parametrize("path", OWN)
async def test_own_pages_ask_to_sign_in_and_lead_back(
    browser: Browser, name: str, path: str
) -> None:
    asked = await browser.get(path)
    assert asked.status_code == 303
    signing = await browser.get(asked.headers["location"])
    (following,) = re.findall(r'name="next" value="([^"]+)"', signing.text)
    back = await browser.sign_in(name, following)
    assert (back.status_code, back.headers["location"]) == (303, path)
    page = await browser.get(path)
    assert (page.status_code, f">{name}</a>" in page.text) == (200, True)


async def test_account_is_that_of_the_bearer_token(
    browser: Browser, users: Users, name: str
) -> None:
    await browser.sign_in(name)
    await browser.post("/account", do="create", name="laptop")
    answer = await users.named(name).get("api_keys/get")
    assert [key["name"] for key in answer["api_keys"]] == ["laptop"]


async def test_key_is_shown_once_and_works(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    sent = await browser.post("/account", do="create", name="laptop", scopes="v1/lookup")
    made = await browser.get(sent.headers["location"])
    (key,) = set(re.findall(r"sk_live_\w{28}", made.text))
    reply = await browser.http.get("/v1/lookup?sic=1", headers={"X-API-Key": key})
    other = await browser.http.get("/v1/search?query=a", headers={"X-API-Key": key})
    assert (sent.status_code, reply.status_code, other.status_code) == (303, 200, 403)
    assert "<b>laptop</b> is ready" in made.text
    # A reload asks for the page again, and no longer for a key.
    again = await browser.get("/account")
    assert (key in again.text, again.text.count("<td>laptop</td>")) == (False, 1)


async def test_new_key_is_sealed_on_its_way(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    sent = await browser.post("/account", do="create", name="laptop")
    assert "sk_live" not in f"{sent.headers}{sent.text}"
    other = Browser(browser.app)
    await other.sign_in(f"{name} 2")
    other.http.cookies.set("handed-over", browser.http.cookies["handed-over"])
    assert "sk_live" not in (await other.get("/account")).text
    await other.http.aclose()


async def test_company_is_watched_by_one_click_and_no_longer_by_another(
    browser: Browser, users: Users, name: str
) -> None:
    await browser.sign_in(name)
    fields = {"cik": "9990101", "name": "QUILLFEATHER"}
    user = users.named(name)
    for _ in range(2):
        done = await browser.post("/account/alerts", do="watch", **fields)
        assert (done.status_code, done.headers["location"]) == (303, "/company/0009990101")
    (trigger,) = (await user.get("alert_triggers/get"))["alert_triggers"]
    assert (trigger["name"], trigger["filters"]["cik"]) == ("QUILLFEATHER", ["0009990101"])
    await browser.post("/account/alerts", do="off", id=trigger["id"])
    await browser.post("/account/alerts", do="watch", **fields)
    (trigger,) = (await user.get("alert_triggers/get"))["alert_triggers"]
    assert trigger["enabled"] is True
    for _ in range(2):
        assert (await browser.post("/account/alerts", do="unwatch", **fields)).status_code == 303
    assert (await user.get("alert_triggers/get"))["total_count"] == 0


@pytest.mark.parametrize("cik", ["", "x", "12345678901", "<b>"])
async def test_watch_of_no_company_is_refused(browser: Browser, name: str, cik: str) -> None:
    await browser.sign_in(name)
    page = await browser.post("/account/alerts", do="watch", cik=cik, name="a")
    assert (page.status_code, "a CIK has 1 to 10 digits" in page.text) == (400, True)


async def test_company_is_not_watched_for_another_site(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    sent = {"Sec-Fetch-Site": "cross-site"}
    page = await browser.post("/account/alerts", sent, do="watch", cik="9990101", name="a")
    assert page.status_code == 403


async def test_head_counts_unread_notifications_until_they_are_read(
    browser: Browser, engine: Engine, name: str
) -> None:
    await browser.sign_in(name)
    account = account_id(ISSUER, name)
    notices = [
        Notice(account, f"n{number}", StoredNotification("t", message="m")) for number in range(2)
    ]
    await Notifications(engine).notify(notices)
    await engine.refresh("user_items")
    assert '<a href="/account/notifications">2 unread</a>' in (await browser.get("/")).text
    await browser.post("/account/notifications", do="read")
    assert " unread</a>" not in (await browser.get("/")).text


async def test_pages_of_a_user_have_no_smaller_limit_than_those_of_a_visitor(
    made_settings: Settings, name: str
) -> None:
    small = msgspec.structs.replace(made_settings, plans="small=1/-", default_plan="small")
    async with open_pages(small) as app:
        browser = Browser(app)
        await browser.sign_in(name)
        read = [(await browser.get("/search?query=a")).status_code for _ in range(3)]
        await browser.http.aclose()
    assert read == [200, 200, 200]


async def test_own_pages_have_no_smaller_rate_than_those_of_a_visitor(
    made_settings: Settings, name: str
) -> None:
    settings = msgspec.structs.replace(made_settings, pages="open", local_issuer=True)
    settings = msgspec.structs.replace(settings, pages_rate=10_000, auth_rate=1)
    async with LifespanManager(create_app(settings)) as manager:
        browser = Browser(manager.app)
        visitor = [(await browser.get("/companies")).status_code for _ in range(5)]
        await browser.sign_in(name)
        own = [(await browser.get(path)).status_code for path in OWN]
        await browser.http.aclose()
    assert (set(visitor), set(own)) == ({200}, {200})


async def test_key_is_rotated_and_revoked(browser: Browser, engine: Engine, name: str) -> None:
    await browser.sign_in(name)
    await browser.post("/account", do="create", name="laptop")
    made = await browser.get("/account")
    (key_id,) = set(re.findall(r'name="id" value="(\w+)"', made.text))
    await browser.post("/account", do="rotate", id=key_id)
    rotated = await browser.get("/account")
    (key,) = set(re.findall(r"sk_live_\w{28}", rotated.text))
    stored = await ApiKeys(engine).verify(key)
    assert stored is not None
    await browser.post("/account", do="revoke", id=stored.id)
    assert await ApiKeys(engine).verify(key) is None


async def test_script_in_what_a_user_writes_is_text(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    await browser.post("/account", do="create", name=SCRIPT)
    await browser.post(
        "/account/links", do="add", url="https://example.com", title=SCRIPT, note=SCRIPT
    )
    await browser.post("/account/alerts", do="add", name=SCRIPT, query=SCRIPT)
    for path in OWN:
        assert "<script>alert" not in (await browser.get(path)).text
    assert "&lt;script&gt;" in (await browser.get("/account/links")).text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//x", "https://a\\b"])
async def test_link_that_is_no_web_address_is_refused(
    browser: Browser, name: str, url: str
) -> None:
    await browser.sign_in(name)
    page = await browser.post("/account/links", do="add", url=url)
    assert (page.status_code, "url must be an address" in page.text) == (400, True)


async def test_alert_is_previewed_made_switched_off_and_removed(
    browser: Browser, users: Users, name: str
) -> None:
    await browser.sign_in(name)
    fields = {"name": "mine", "query": '"no such words"', "form_type": "8-K"}
    preview = await browser.post("/account/alerts", do="preview", **fields)
    assert "0 documents of the last 30 days would have matched" in preview.text
    assert (await users.named(name).get("alert_triggers/get"))["total_count"] == 0
    await browser.post("/account/alerts", do="add", **fields)
    (trigger,) = (await users.named(name).get("alert_triggers/get"))["alert_triggers"]
    assert (trigger["query"], trigger["filters"]["form_type"]) == ('"no such words"', ["8-K"])
    await browser.post("/account/alerts", do="off", id=trigger["id"])
    (trigger,) = (await users.named(name).get("alert_triggers/get"))["alert_triggers"]
    assert trigger["enabled"] is False
    await browser.post("/account/alerts", do="remove", id=trigger["id"])
    assert (await users.named(name).get("alert_triggers/get"))["total_count"] == 0


async def test_search_is_watched_by_one_choice_and_one_click(
    made_settings: Settings, users: Users, name: str
) -> None:
    mailing = msgspec.structs.replace(made_settings, smtp_host="mail.example")
    async with open_pages(mailing) as app:
        browser = Browser(app)
        await browser.sign_in(name)
        page = await browser.get("/search?query=goodwill&form_type=8-K&sort=newest")
        form = page.text[page.text.index('action="/account/alerts"') :].partition("</form>")[0]
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        assert '<option value="daily">mail daily</option>' in form
        made = await browser.post("/account/alerts", do="add", mail="daily", **fields)
        # Mail to no address yet: so the next page asks for it.
        assert made.headers["location"] == "/account/mail"
    (trigger,) = (await users.named(name).get("alert_triggers/get"))["alert_triggers"]
    assert (trigger["name"], trigger["query"]) == ("goodwill, form 8-K", "goodwill")
    assert (trigger["filters"]["form_type"], trigger["mail"]) == (["8-K"], "daily")


async def test_webhook_is_made_tried_and_replayed_on_its_page(
    made_settings: Settings, name: str
) -> None:
    async with open_pages(msgspec.structs.replace(made_settings, secrets_key="k" * 32)) as app:
        browser = Browser(app)
        await browser.sign_in(name)
        place = "/account/webhooks"
        fields = {"name": "desk", "url": "https://hooks.example.com/x", "format": "slack"}
        made = await browser.post(place, do="add", **fields)
        shown = (await browser.get(made.headers["location"])).text
        (secret,) = re.findall(r"whsec_[\w+/=]+", shown)
        assert "<b>desk</b> is ready" in shown and '<td class="whole">slack</td>' in shown
        assert secret not in (await browser.get(place)).text
        (webhook,) = set(re.findall(r'name="id" value="(\w+)"', shown))
        await browser.post(place, do="test", id=webhook)
        shown = (await browser.get(place)).text
        assert "webhook.test</td><td>waiting</td>" in shown
        (delivery,) = set(re.findall(r'name="id" value="(\w+)"', shown)) - {webhook}
        assert (await browser.post(place, do="replay", id=delivery)).status_code == 303
        await browser.post(place, do="off", id=webhook)
        assert "<td>off</td>" in (await browser.get(place)).text
        wrong = await browser.post(place, do="add", name="x", url="http://127.0.0.1/")
        assert (wrong.status_code, "must begin with https://" in wrong.text) == (400, True)
        fields = {"name": "mine", "query": "goodwill", "webhooks": webhook}
        await browser.post("/account/alerts", do="add", **fields)
        assert "<td>these pages, desk</td>" in (await browser.get("/account/alerts")).text
        await browser.post(place, do="remove", id=webhook)
        assert "Make a webhook" in (await browser.get(place)).text
        await browser.http.aclose()


async def test_link_fills_the_form_of_an_alert(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    page = await browser.get(
        "/account/alerts?name=a%22b&query=goodwill&form_type=10-K,8-K&item=5.02"
    )
    for value in ("a&#34;b", "goodwill", "10-K,8-K", "5.02"):
        assert f'value="{value}"' in page.text
    assert (await browser.get("/account/alerts?nope=1")).status_code == 400


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "AND",
            "AND with nothing before it at character 1; write a word, a phrase or a group there",
        ),
        ("(", "a parenthesis that is never closed at character 1; parentheses come in pairs"),
        ('"', "a quote that is never closed at character 1; quotes come in pairs"),
    ],
)
async def test_wrong_query_of_an_alert_is_said_and_kept_in_its_field(
    browser: Browser, name: str, query: str, said: str
) -> None:
    await browser.sign_in(name)
    page = await browser.post("/account/alerts", do="add", name="mine", query=query)
    assert page.status_code == 400
    assert re.findall('<p class="err" role="alert">(.*)</p>', page.text) == [said]
    assert 'value="mine"' in page.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site", "Origin": BASE},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8001"},
    ],
)
@pytest.mark.parametrize("path", ["/account", "/sign-in/local", "/sign-out/everywhere"])
async def test_changes_of_other_sites_are_refused(
    browser: Browser, name: str, path: str, headers: dict[str, str]
) -> None:
    await browser.sign_in(name)
    before = dict(browser.http.cookies)
    page = await browser.post(path, headers, do="create", name="stolen")
    assert (page.status_code, dict(browser.http.cookies)) == (403, before)
    assert "stolen" not in (await browser.get("/account")).text


async def test_change_with_the_own_origin_is_taken(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    page = await browser.post("/account", {"Origin": BASE}, do="create", name="laptop")
    assert page.status_code == 303


@pytest.mark.parametrize(
    "following",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "x"],
)
async def test_nobody_is_led_to_another_site(browser: Browser, name: str, following: str) -> None:
    reply = await browser.sign_in(name, following)
    assert reply.headers["location"] == "/"


async def test_session_id_is_new_at_each_sign_in(browser: Browser, name: str) -> None:
    planted = "A" * 43
    browser.http.cookies.set("session", planted, domain="127.0.0.1", path="/")
    await browser.sign_in(name)
    first = browser.http.cookies["session"]
    await browser.sign_in(name)
    second = browser.http.cookies["session"]
    assert len({planted, first, second}) == 3
    browser.http.cookies.set("session", first, domain="127.0.0.1", path="/")
    assert (await browser.get("/account")).status_code == 303


async def test_cookie_is_for_no_script_and_no_other_site(browser: Browser, name: str) -> None:
    reply = await browser.sign_in(name)
    (set_cookie,) = [
        each for each in reply.headers.get_list("set-cookie") if "Max-Age=604800" in each
    ]
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(set_cookie.split("; "))
    assert "Domain" not in set_cookie


async def test_cookie_by_https_is_of_this_host_only(app: Any, name: str) -> None:
    browser = Browser(app, "https://127.0.0.1:8000")
    reply = await browser.post("/sign-in/local", name=name)
    (set_cookie,) = [
        each for each in reply.headers.get_list("set-cookie") if "Max-Age=604800" in each
    ]
    assert set_cookie.startswith("__Host-session=")
    assert "Secure" in set_cookie.split("; ")
    await browser.http.aclose()


async def test_one_click_signs_out_everywhere(app: Any, name: str) -> None:
    here, there, other = Browser(app), Browser(app), Browser(app)
    await here.sign_in(name)
    await there.sign_in(name)
    await other.sign_in(name + " another")
    await here.post("/sign-out/everywhere")
    statuses = [(await each.get("/account")).status_code for each in (here, there, other)]
    assert statuses == [303, 303, 200]
    for each in (here, there, other):
        await each.http.aclose()


async def test_sign_out_ends_this_browser_only(app: Any, name: str) -> None:
    here, there = Browser(app), Browser(app)
    await here.sign_in(name)
    await there.sign_in(name)
    kept = here.http.cookies["session"]
    await here.post("/sign-out")
    here.http.cookies.set("session", kept, domain="127.0.0.1", path="/")
    assert [(await each.get("/account")).status_code for each in (here, there)] == [303, 200]
    for each in (here, there):
        await each.http.aclose()


@pytest.mark.parametrize(("idle", "lifetime"), [(60, 10_000), (10_000, 60)])
async def test_session_ends_by_itself(
    engine: Engine, made_settings: Settings, idle: int, lifetime: int
) -> None:
    limits = msgspec.structs.replace(made_settings, session_idle=10_000, session_lifetime=10_000)
    sessions = Sessions(engine, limits)
    session_id = await sessions.begin("account-of-idle", "somebody")
    await engine.refresh("sessions")
    body = {"query": {"term": {"account": "account-of-idle"}}, "seq_no_primary_term": True}
    (stored,) = (await engine.search("sessions", body, Stored[StoredSession])).hits.hits
    assert stored.source is not None
    ago = datetime.now(UTC) - timedelta(seconds=61)
    ends = stored.source.created_at + timedelta(seconds=lifetime)
    old = msgspec.structs.replace(stored.source, used_at=ago, ends_at=ends - timedelta(seconds=61))
    await engine.replace("sessions", stored, old)
    shorter = msgspec.structs.replace(limits, session_idle=idle)
    assert await Sessions(engine, shorter).read(session_id) is None
    await sessions.end_all("account-of-idle")


@pytest.mark.parametrize(("ago", "alive"), [(10_059, True), (10_061, False)])
async def test_session_does_not_end_before_its_last_use_is_long_ago(
    engine: Engine, made_settings: Settings, ago: int, alive: bool
) -> None:
    sessions = Sessions(engine, msgspec.structs.replace(made_settings, session_idle=10_000))
    session_id = await sessions.begin("account-of-step", "somebody")
    await engine.refresh("sessions")
    body = {"query": {"term": {"account": "account-of-step"}}, "seq_no_primary_term": True}
    (stored,) = (await engine.search("sessions", body, Stored[StoredSession])).hits.hits
    assert stored.source is not None
    # A page up to a minute later is not noted.
    used_at = datetime.now(UTC) - timedelta(seconds=ago)
    await engine.replace(
        "sessions", stored, msgspec.structs.replace(stored.source, used_at=used_at)
    )
    assert (await sessions.read(session_id) is not None) is alive
    await sessions.end_all("account-of-step")


async def test_stored_session_does_not_hold_its_id(
    browser: Browser, engine: Engine, name: str
) -> None:
    await browser.sign_in(name)
    session_id = browser.http.cookies["session"]
    await engine.refresh("sessions")
    body = {"query": {"term": {"account": account_id(ISSUER, name)}}}
    reply = await engine.search("sessions", body, Stored[StoredSession])
    (stored,) = reply.hits.hits
    assert session_id not in str(msgspec.to_builtins(stored))


async def test_pages_for_users_only(made_settings: Settings, name: str) -> None:
    settings = msgspec.structs.replace(made_settings, pages="signed-in", local_issuer=True)
    async with LifespanManager(create_app(settings)) as manager:
        browser = Browser(manager.app)
        asked = await browser.get("/search?query=a+b")
        assert asked.headers["location"] == "/sign-in?next=%2Fsearch%3Fquery%3Da%2Bb"
        await browser.sign_in(name)
        page, used = await browser.get("/coverage"), await browser.get("/account/usage")
        assert page.status_code == 200
        assert (await browser.get("/docs")).status_code == 200
        assert "<b>1</b> of 1,000 calls" in used.text
        await browser.http.aclose()


async def test_local_sign_in_is_for_this_machine(app: Any, made_settings: Settings) -> None:
    away = Browser(app, "http://service.test")
    assert (await away.post("/sign-in/local", name="x")).status_code == 403
    await away.http.aclose()


@pytest.mark.parametrize("path", OWN)
async def test_pages_of_a_user_are_kept_by_nobody(browser: Browser, name: str, path: str) -> None:
    await browser.sign_in(name)
    reply = await browser.get(path)
    assert reply.headers["cache-control"] == "private, no-store"
    assert "Cookie" in reply.headers["vary"].split(", ")


async def test_one_user_never_changes_anothers_things(app: Any, users: Users, name: str) -> None:
    mine, theirs = Browser(app), Browser(app)
    await mine.sign_in(name)
    await theirs.sign_in(name + " another")
    await mine.post("/account", do="create", name="laptop")
    (key,) = (await users.named(name).get("api_keys/get"))["api_keys"]
    assert (await theirs.post("/account", do="revoke", id=key["id"])).status_code == 404
    (key,) = (await users.named(name).get("api_keys/get"))["api_keys"]
    assert key["revoked_at"] is None
    for each in (mine, theirs):
        await each.http.aclose()


@pytest.mark.parametrize(
    ("way", "status"), [("/sign-out", 303), ("/sign-out/everywhere", 503)], ids=["here", "all"]
)
async def test_browser_is_signed_out_while_nothing_can_be_written(
    browser: Browser, engine: Engine, made_settings: Settings, name: str, way: str, status: int
) -> None:
    await browser.sign_in(name)
    path = f"/{made_settings.prefix}sessions.all/_settings"
    await engine.administer("PUT", path, {"index.blocks.write": True})
    try:
        left = await browser.post(way)
        assert left.status_code == status
        assert not browser.http.cookies
        assert (await browser.get("/account")).status_code == 303
    finally:
        await engine.administer("PUT", path, {"index.blocks.write": None})


async def test_usage_shows_the_calls_of_today(browser: Browser, name: str) -> None:
    await browser.sign_in(name)
    for _ in range(3):
        await browser.get("/coverage")
    page = await browser.get("/account/usage")
    today = datetime.now(UTC).date()
    shown = f'<td class="num">{day(today)}</td><td class="num right">3</td>'
    assert (shown in page.text, account_id(ISSUER, name) in page.text) == (True, True)


async def test_usage_shows_the_limit_that_counts_for_pages(
    made_settings: Settings, name: str
) -> None:
    settings = msgspec.structs.replace(
        made_settings, pages="open", local_issuer=True, plans="wide=5000/50", pages_plan="wide"
    )
    async with LifespanManager(create_app(settings)) as manager:
        browser = Browser(manager.app)
        await browser.sign_in(name)
        shown = (await browser.get("/account/usage")).text
        await browser.http.aclose()
    assert "<b>0</b> of 5,000 calls this month" in shown
    assert '<th scope="row">Calls this month by API</th><td>1,000, and pages' in shown


async def test_status_is_for_the_accounts_of_operators_from_anywhere(
    made_settings: Settings, name: str
) -> None:
    settings = msgspec.structs.replace(
        made_settings,
        pages="open",
        auth_rate=1_000,
        local_issuer=True,
        operators=f"somebody, {account_id(ISSUER, name)}",
    )
    async with LifespanManager(create_app(settings)) as manager:
        for reader, status in ((name, 200), (f"{name} else", 403)):
            here = Browser(manager.app)
            await here.sign_in(reader)
            forwarded = await here.http.get("/status", headers={"Via": "1.1 proxy"})
            assert forwarded.status_code == status
            assert ("Listed to searchable" in forwarded.text) is (status == 200)
            await here.http.aclose()
