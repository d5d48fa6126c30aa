"""Every route takes a share before it asks Elasticsearch for more than entries by their ids.

The routes are those of the application; one that this test does not ask is a failure. It looks at
each request on its way to Elasticsearch.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager
from starlette.applications import Starlette

from edgar_search import app as app_module
from edgar_search.access.accounts import Plan
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.shares import Share, Shares
from edgar_search.access.tokens.bearer import account_id
from edgar_search.alerts.notifications import Notifications, document_notice
from edgar_search.document import pdf
from edgar_search.document.pdf import Printer
from edgar_search.engine.engine import Engine
from edgar_search.engine.requests import Requests
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredTickers, TickerRow
from edgar_search.stored.sets import MANIFEST, Manifest
from edgar_search.stored.user_items import DocumentMatch
from edgar_search.web.pages import templates
from edgar_search.web.pages.templates import static_address, static_files
from tests.support.api_examples import CREATED_KEY, DATA, USER, Json, examples
from tests.support.issuer import AUDIENCE, Issuer
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report_of_examples
from tests.support.pages import BASE, OWN
from tests.support.samples import load_samples

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
SUBJECT = "walker"
DOCUMENT = "0009990101-25-000004-1"
FILING = "0009990101-25-000004"
REPORT = "0009990080-24-000001"
# What costs as much as one entry, however much is stored: reading, writing or letting go by id, and
# what an index is, which is remembered.
BY_ID = {"_doc", "_create", "_mget", "_bulk", "_pit", "_settings", "_mapping", "_stats"}
# Routes that may ask more without a share, each with what it asks and why.
EXCEPTIONS = {
    # One look a second, whoever asks: a balancer must be answered while accounts take everything.
    "/health/ready": {"documents/_search"},
    "/v2/health": {"documents/_search"},
    # One look in 15 seconds, for an operator, who sees an attack by them.
    "/metrics": {
        "_nodes",
        "ledger/_search",
        "events/_search",
        "deliveries/_search",
        "deliveries/_refresh",
        "events/_refresh",
        "snapshots/_search",
    },
    # What is held, read once in 2 seconds, whoever asks.
    "/": {"documents/_search", "filings/_search"},
}
# The requests to each page, in this order: by method, its route and what is sent to it.
PAGES: list[tuple[str, str, dict[str, str]]] = [
    ("GET", "/", {}),
    ("GET", "/search", {"query": "goodwill impairment", "group_by": "filing"}),
    ("GET", "/screen", {"figures": "total_assets>1m"}),
    ("GET", "/search.atom", {"query": "goodwill impairment"}),
    ("GET", "/search/matches", {"query": "goodwill impairment"}),
    ("GET", "/document/{document_id}", {"document_id": DOCUMENT, "query": "tariffs"}),
    ("GET", "/document/{document_id}/as-filed", {"document_id": DOCUMENT}),
    ("GET", "/document/{document_id}/table", {"document_id": DOCUMENT, "start": "1145"}),
    ("GET", "/compare", {"to": DOCUMENT}),
    ("GET", "/cite", {"citation": f"“the company impaired its goodwill”, {DOCUMENT}"}),
    ("POST", "/drafts", {"text": "“the company impaired its goodwill” (0009990101-25-000004)"}),
    ("GET", "/drafts", {}),
    ("POST", "/similar", {"text": "the company impaired its goodwill"}),
    ("GET", "/similar", {"document_id": DOCUMENT, "start": "1145", "length": "300"}),
    ("GET", "/filing/{accession_number}", {"accession_number": FILING}),
    (
        "GET",
        "/filing/{accession_number}/statements.{format}",
        {"accession_number": REPORT, "format": "csv"},
    ),
    ("GET", "/filing/{accession_number}/pdf", {"accession_number": FILING}),
    ("GET", "/document/{document_id}/pdf", {"document_id": DOCUMENT}),
    ("GET", "/company/{cik}", {"cik": "9990101"}),
    ("GET", "/company/{cik}/{part}", {"cik": "9990103", "part": "insiders"}),
    ("GET", "/companies", {"name": "quill"}),
    ("GET", "/found", {"query": "quillfeather 10-K"}),
    ("GET", "/coverage", {}),
    ("GET", "/docs", {}),
    ("GET", "/docs/{operation}", {"operation": "get_v1_search"}),
    ("GET", "/status", {}),
    ("POST", "/sign-in/local", {"name": SUBJECT}),
    ("GET", "/sign-in", {}),
    ("POST", "/search/export", {"query": "goodwill", "format": "jsonl", "what": "documents"}),
    ("POST", "/account", {"do": "create", "name": "laptop"}),
    ("GET", "/account", {}),
    ("GET", "/account/usage", {}),
    ("POST", "/account/alerts", {"do": "preview", "name": "a", "query": "goodwill"}),
    ("POST", "/account/alerts", {"do": "add", "name": "a", "query": "goodwill"}),
    ("GET", "/account/alerts", {}),
    ("GET", "/account/notifications", {}),
    ("POST", "/account/notifications", {"do": "read"}),
    ("GET", "/mail/unsubscribe", {}),
    ("POST", "/account/mail", {"do": "remove"}),
    ("GET", "/account/mail", {}),
    ("POST", "/account/webhooks", {"do": "add", "name": "a", "url": "https://example.com/"}),
    ("GET", "/account/webhooks", {}),
    ("POST", "/account/favorites", {"do": "add", "type": "entity", "target_id": "9990101"}),
    ("GET", "/account/favorites", {}),
    ("POST", "/account/links", {"do": "add", "url": "https://example.com/"}),
    ("GET", "/account/links", {}),
    ("POST", "/account/history", {}),
    ("GET", "/account/history", {}),
    ("POST", "/sign-out/everywhere", {}),
    ("POST", "/sign-out", {}),
    ("GET", "/metrics", {}),
    ("GET", "/health/live", {}),
    ("GET", "/openapi.json", {}),
    ("GET", "/llms.txt", {}),
]


_FOLDER = {"cik": "9990101", "name": FILING.replace("-", "")}
_FACTS = {"name": "CIK0009990080", "taxonomy": "us-gaap", "tag": "Assets"}
_QUARTER = {"year": "2025", "quarter": "QTR1"}
# The paths of EDGAR and of sets, which may have the key in front, each with its parts and what is
# sent to it.
OF_EDGAR: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("/LATEST/search-index", {}, {"q": "goodwill"}),
    ("/submissions/{name}", {"name": "CIK0009990101.json"}, {}),
    ("/Archives/edgar/data/{cik}/{name}", _FOLDER | {"name": f"{FILING}.txt"}, {}),
    ("/Archives/edgar/data/{cik}/{name}/{file:path}", _FOLDER | {"file": "index.json"}, {}),
    (
        "/Archives/edgar/full-index/{year}/{quarter}/{file:path}",
        _QUARTER | {"file": "form.idx"},
        {},
    ),
    (
        "/Archives/edgar/daily-index/{year}/{quarter}/{file:path}",
        _QUARTER | {"file": "form.20250306.idx"},
        {},
    ),
    ("/Archives/edgar/daily-index/bulkdata/submissions.zip", {}, {}),
    ("/Archives/edgar/daily-index/xbrl/companyfacts.zip", {}, {}),
    ("/Archives/edgar/cik-lookup-data.txt", {}, {}),
    (
        "/Archives/edgar/Feed/{year}/{quarter}/{file:path}",
        _QUARTER | {"file": "20250306.nc.tar.gz"},
        {},
    ),
    ("/cgi-bin/browse-edgar", {}, {"action": "getcompany", "CIK": "9990101"}),
    ("/files/company_tickers.json", {}, {}),
    ("/files/company_tickers_exchange.json", {}, {}),
    ("/files/company_tickers_mf.json", {}, {}),
    ("/include/ticker.txt", {}, {}),
    ("/api/xbrl/companyfacts/{name}", _FACTS, {}),
    ("/api/xbrl/companyconcept/{name}/{taxonomy}/{tag}.json", _FACTS, {}),
    (
        "/api/xbrl/frames/{taxonomy}/{tag}/{unit}/{frame}.json",
        _FACTS | {"unit": "USD", "frame": "CY2023Q4I"},
        {},
    ),
    ("/v1/sets/{name:path}", {"name": MANIFEST}, {}),
]


# The head of a page counts a user's unread notifications, once in some seconds.
HEAD = {"user_items/_search"}


class Asked(NamedTuple):
    """A request to Elasticsearch, on behalf of a request to the service."""

    operation: str
    shared: bool


class Walk:
    """A client that asks the service route by route, and knows what each made it ask."""

    def __init__(self, http: httpx.AsyncClient, routes: dict[tuple[str, str], Any]) -> None:
        self.http = http
        self.routes = routes
        self.asked: dict[str, list[Asked]] = defaultdict(list)
        self.left = {*routes}

    async def send(
        self, method: str, path: str, route: str | None = None, **sent: Any
    ) -> httpx.Response:
        """Return the good answer of a route."""
        self.left.discard((method, route or path))
        walking = ROUTE.set(self.asked[route or path])
        try:
            reply = await self.http.request(method, path, **sent)
        finally:
            ROUTE.reset(walking)
        assert reply.status_code < 400, (method, path, reply.text)
        return reply


# What is asked for the request under way, and whether that holds a share.
ROUTE: ContextVar[list[Asked] | None] = ContextVar("route", default=None)
SHARED: ContextVar[bool] = ContextVar("shared", default=False)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Starlette]]:
    """Notes every request to Elasticsearch; the application, once it was made."""
    made: list[Starlette] = []
    share, send = Shares.share, Requests.send

    class Noted(Starlette):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            made.append(self)

    @asynccontextmanager
    async def noted_share(
        self: Shares, account: str, plan: Plan, **options: bool
    ) -> AsyncIterator[Share]:
        async with share(self, account, plan, **options) as held:
            holding = SHARED.set(True)
            try:
                yield held
            finally:
                SHARED.reset(holding)

    async def noted_send(self: Requests, method: str, path: str, **options: Any) -> bytes:
        asked = ROUTE.get()
        if asked is not None:
            asked.append(Asked(_operation(path), SHARED.get()))
        return await send(self, method, path, **options)

    monkeypatch.setattr(app_module, "Starlette", Noted)
    monkeypatch.setattr(Shares, "share", noted_share)
    monkeypatch.setattr(Requests, "send", noted_send)
    monkeypatch.setattr(Printer, "require", lambda _: asyncio.sleep(0))
    monkeypatch.setattr(pdf, "run_job", lambda _: asyncio.sleep(0, b"%PDF"))
    yield made


def _operation(path: str) -> str:
    """Return a path without the prefix and the id, as `documents/_search`."""
    parts = path.strip("/").split("/")
    place = next(number for number, part in enumerate(parts) if part.startswith("_"))
    kinds = {re.sub(r"^.*-([a-z0-9_]+).*$", r"\1", name) for name in parts[0].split(",")}
    return parts[place] if place == 0 else f"{'+'.join(sorted(kinds))}/{parts[place]}"


@pytest.fixture
async def walk(
    watched: list[Starlette],
    engine: Engine,
    made_settings: Settings,
    issuer: Issuer,
    loads: Loads,
    tmp_path: Path,
) -> AsyncIterator[Walk]:
    """The service over the samples, with everything that can be served."""
    await load_samples(engine, made_settings)
    await loads(report_of_examples())
    for name in ("company_tickers", "company_tickers_exchange", "company_tickers_mf"):
        rows = [TickerRow("QLFP", "0009990101", "NYSE")]
        await engine.put("tickers", name, StoredTickers(name, datetime.now(UTC), rows))
    (tmp_path / MANIFEST).write_bytes(msgspec.json.encode(Manifest(0, [])))
    settings = msgspec.structs.replace(
        made_settings,
        default_plan="unlimited",
        pages="open",
        pages_rate=10_000,
        auth_rate=10_000,
        searches=1_000,
        es_timeout=60.0,
        local_issuer=True,
        oidc_issuer=issuer.name,
        oidc_audience=AUDIENCE,
        oidc_client_id=AUDIENCE,
        oidc_client_secret="secret",
        plans="other=-/-",
        plan_changes="other",
        metrics="loopback",
        mirror="keys",
        sets_folder=tmp_path,
        secrets_key="a-key-of-thirty-two-characters-or-more",
    )
    key, _ = await ApiKeys(engine).create("walker", "walker")
    async with AsyncExitStack() as stack:
        manager = await stack.enter_async_context(LifespanManager(app_module.create_app(settings)))
        transport = httpx.ASGITransport(manager.app)
        headers = {"X-API-Key": key, "Authorization": f"Bearer {issuer.token(SUBJECT)}"}
        http = await stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)
        )
        (served,) = watched
        routes = {
            (method, route.path): route.endpoint  # type: ignore[attr-defined]
            for route in served.routes
            for method in route.methods or ("GET",)  # type: ignore[attr-defined]
            if method != "HEAD"
        }
        yield Walk(http, routes)


async def walk_through(walk: Walk, issuer: Issuer, engine: Engine) -> None:
    """Ask every route that there is."""
    account = account_id(issuer.name, SUBJECT)
    match = DocumentMatch([], [], FILING, "a.htm", "2025-03-06", "10-K", "", 0.5, DOCUMENT)
    matches = [msgspec.structs.replace(match, document_id=f"{FILING}-{n}") for n in (1, 2)]
    await Notifications(engine).notify([document_notice(account, "t", each) for each in matches])
    await engine.refresh("user_items")

    async def called(method: str, path: str, parameters: Json) -> Any:
        sent: dict[str, Any] = {"json" if method == "POST" else "params": parameters}
        reply = await walk.send(method, path, **sent)
        if f"{method} {path}" == CREATED_KEY:
            await walk.http.get("/v1/search?query=a", headers={"X-API-Key": reply.json()["key"]})
        return reply.json() if path.startswith("/auth/") else None

    change = ("POST /auth/subscription/change", {"plan": "other"})
    await examples(called, [*DATA.items(), *USER, change])
    # A walk over a snapshot to its end, and all that is exported.
    asked = {"query": "goodwill", "cursor": "*", "snapshot": "true", "limit": "1"}
    while asked["cursor"]:
        reply = (await walk.send("GET", "/v1/search", params=asked)).json()
        asked = {"cursor": reply["next_cursor"] or ""}
    for rows in ("insider_trades", "insider_holdings", "stakes", "planned_sales"):
        await walk.send("GET", f"/v1/{rows}", params={"issuer_cik": "9990101"})
    of_manager = {"manager_cik": "9990101", "quarter": "2024Q4"}
    for rows, asked in (
        ("holdings", of_manager),
        ("portfolio", of_manager),
        ("holders", {"cusip": "999000101", "quarter": "2024Q4"}),
    ):
        await walk.send("GET", f"/v1/{rows}", params=asked)
    await walk.send("GET", "/v1/quote", params={"quote": "material weakness in our controls"})
    await walk.send("GET", "/v1/tables", params={"document_id": "0009990101-25-000004-1"})
    company = {"cik": "9990080"}
    await walk.send("POST", "/v2/financials/export/excel", json=company)
    await walk.send("GET", "/v2/financials/export/excel", params=company)
    await walk.send("POST", "/v2/pdf", json={"document_id": DOCUMENT})
    await walk.send("GET", "/v2/pdf", params={"accession_number": FILING})
    for what in ("filings", "matches"):
        await walk.send("GET", "/v1/export", params={"query": "goodwill", "what": what})
    for method, route, fields in PAGES:
        if method == "POST":
            await walk.send(method, route, data=fields, headers=OWN)
            continue
        asked = {name: text for name, text in fields.items() if f"{{{name}}}" not in route}
        reply = await walk.send(method, route.format(**fields), route, params=asked)
        if route.endswith("/as-filed"):
            (frame,) = re.findall(r'src="(/as-filed/[^"]+)"', reply.text)
            content = "/as-filed/{until}/{signature}/{accession_number}/{name}"
            await walk.send("GET", frame, content)
    away = await walk.send("GET", "/sign-in/issuer")
    back = issuer.agree(away.headers["location"], SUBJECT)
    await walk.send("GET", back.removeprefix(BASE), "/sign-in/callback")
    logout = {"logout_token": issuer.logout_token(sub=SUBJECT)}
    await walk.send("POST", "/sign-out/backchannel", data=logout)
    name = min(static_files())
    await walk.send("GET", static_address(name), templates.FILES[0].path)
    key = walk.http.headers["x-api-key"]
    for route, parts, asked in OF_EDGAR:
        path = route.replace(":path}", "}").format(**parts)
        await walk.send("GET", path, route, params=asked)
        await walk.send("GET", f"/efts/{key}{path}", f"/efts/{{key}}{route}", params=asked)
    search = OF_EDGAR[0][0]
    await walk.send("POST", search, json={"q": "goodwill"})
    await walk.send(
        "POST", f"/efts/{key}{search}", f"/efts/{{key}}{search}", json={"q": "goodwill"}
    )
    # A stream does not end; events are matched for all streams of a worker in one turn.
    walk.left -= {("GET", "/v1/stream"), ("GET", "/auth/notifications/stream")}
    # Its token is in mails only; it reads and writes entries by id.
    walk.left -= {("POST", "/mail/unsubscribe")}
    # Its tools are calls of the endpoints above.
    walk.left -= {(method, "/mcp") for method in ("DELETE", "GET", "POST")}


async def test_every_route_takes_a_share_before_it_asks_for_more_than_entries(
    walk: Walk, issuer: Issuer, engine: Engine
) -> None:
    await walk_through(walk, issuer, engine)
    assert walk.left == set()
    pages = {path for _, path, _ in PAGES}
    without_a_share = {
        path: found
        for path, asked in walk.asked.items()
        if (found := {each.operation for each in asked if not each.shared and not _by_id(each)})
        and not found <= EXCEPTIONS.get(path, set()) | (HEAD if path in pages else set())
    }
    assert without_a_share == {}
    # That a search is seen with its share, by this test.
    assert Asked("documents/_search", True) in walk.asked["/v1/search"]
    assert Asked("documents/_search", True) in walk.asked["/auth/alert_triggers/test"]


def _by_id(asked: Asked) -> bool:
    return asked.operation.rpartition("/")[2] in BY_ID
