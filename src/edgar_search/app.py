"""The application, wired from settings."""

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TypedDict

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from edgar_search.access.accounts import MAX_REMEMBERED, Accounts, Plans
from edgar_search.access.admission import Admission
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.call_log import CallLog
from edgar_search.access.open_streams import OpenStreams
from edgar_search.access.quota import Quota
from edgar_search.access.rates import Rates
from edgar_search.access.sessions import Sessions
from edgar_search.access.shares import Shares
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.access.tokens.issuer_client import IssuerClient
from edgar_search.alerts.matcher import Alerts
from edgar_search.alerts.notifications import Notifications
from edgar_search.archive.archive import open_archive
from edgar_search.document.pdf import Printer
from edgar_search.document.reading_room import ReadingRoom
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh, FreshValues, SharedWork
from edgar_search.engine.secret import Secret
from edgar_search.errors import EdgarSearchError
from edgar_search.events.feed import Feed
from edgar_search.http_client import HttpClient
from edgar_search.metrics import spans
from edgar_search.search.context import SearchContext
from edgar_search.search.coverage import count_corpus
from edgar_search.search.event_matching import EventMatcher
from edgar_search.search.pagination import Pagination
from edgar_search.settings import Settings
from edgar_search.settings.extras import is_installed
from edgar_search.settings.values import trusted_networks
from edgar_search.web import endpoints, operations, sets
from edgar_search.web.connections import Connections, Draining, draining
from edgar_search.web.edgar import routes as edgar
from edgar_search.web.figures import Figures
from edgar_search.web.mcp.endpoint import McpEndpoint
from edgar_search.web.middleware import (
    REQUEST_ID,
    Compression,
    Cors,
    Forwarded,
    NoStore,
    RequestLog,
    SizeBounds,
    Tracing,
)
from edgar_search.web.openapi import routes as openapi
from edgar_search.web.pages import routes as pages
from edgar_search.web.pages.templates import compile_all
from edgar_search.web.protocol import Turns
from edgar_search.web.responses import on_error, on_unexpected
from edgar_search.web.service import Service
from edgar_search.web.strangers import rated

# The value of the setting that lets no other origin's pages read answers.
NO_ORIGINS = "none"
# The name this service gives the issuer of tokens.
USER_AGENT = "edgar-search"
# After each wait for Elasticsearch, a request waits this long for a thread that searches for
# matches. With Python's 5 milliseconds, a search took several times as long beside a page of a long
# document.
SWITCH_SECONDS = 0.0005
# Seconds to wait for the issuer.
ISSUER_TIMEOUT = 5.0


class State(TypedDict):
    """State that requests share; everything but the service is for the protocol."""

    service: Service
    connections: Connections
    draining: Draining
    turns: Turns


def create_app(settings: Settings) -> ASGIApp:
    """Make the service over the Elasticsearch of `settings.es_url`."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[State]:
        engine = Engine.from_settings(settings)
        try:
            async with HttpClient(USER_AGENT, ISSUER_TIMEOUT) as http:
                service = service_of(settings, engine, http)
                # Objects made at start-up stay; collecting them would slow the slowest requests
                # further.
                gc.collect()
                gc.freeze()
                connections = Connections.from_settings(settings)
                with draining(settings.drain) as stopping:
                    async with _background_loops(service, connections, settings, mcp):
                        yield State(
                            service=service,
                            connections=connections,
                            draining=stopping,
                            turns=Turns(),
                        )
        finally:
            await engine.close()
            await asyncio.to_thread(spans.send_rest)

    routes = [*endpoints.routes, *operations.routes, *openapi.routes]
    routes += edgar.routes_of(settings)
    routes += sets.routes_of(settings)
    routes += operations.metrics_routes(settings)
    mcp = McpEndpoint() if is_installed("mcp") else None
    if mcp is not None:
        routes.append(mcp.route())
    app = Starlette(
        routes=[*routes, *pages.routes_of(settings)],
        middleware=[Middleware(Compression), Middleware(SizeBounds)],
        exception_handlers={
            EdgarSearchError: on_error,
            HTTPException: rated(pages.refusal_of_paths(settings)),
            Exception: on_unexpected,
        },
        lifespan=lifespan,
    )
    # A redirect would be built from the Host header, and would leak the query.
    app.router.redirect_slashes = False
    # Outermost, so that the answer to an unexpected fault has these headers too.
    logged = RequestLog(NoStore(_users_cors(_cors(app, settings), settings)), routes)
    traced = Tracing(logged) if spans.INSTALLED else logged
    trusted = trusted_networks(settings.trusted_proxies)
    return Forwarded(traced, trusted) if trusted else traced


def from_environ() -> ASGIApp:
    """Make the service of a worker process, with settings from the environment."""
    sys.setswitchinterval(SWITCH_SECONDS)
    spans.export_spans()
    return create_app(resolve(Settings.from_environ(os.environ)))


def service_of(settings: Settings, engine: Engine, http: HttpClient) -> Service:
    """Make one worker's collaborators, over an engine and a client that the caller closes."""
    plans = Plans.from_settings(settings)
    tokens = Tokens(settings, http)
    context = SearchContext.from_settings(engine, settings)
    archive, room = open_archive(settings.archive_place), ReadingRoom()
    return Service(
        settings=settings,
        engine=engine,
        keys=ApiKeys(engine),
        context=context,
        admission=Admission(
            Accounts(engine, plans),
            Quota(engine, settings.workers),
            Rates.from_settings(settings),
            Shares.from_settings(settings),
            CallLog(engine, settings),
            settings,
        ),
        tokens=tokens,
        archive=archive,
        pagination=Pagination.of(engine),
        figures=Figures(engine, settings),
        corpus_statistics=Fresh(partial(count_corpus, engine)),
        sessions=Sessions(engine, settings),
        sign_in=IssuerClient(settings, tokens, http) if settings.oidc_client_id else None,
        frames=Secret(engine, "frames"),
        readiness=SharedWork(engine.ping),
        feed=Feed(engine),
        event_matcher=EventMatcher(context),
        streams=OpenStreams(settings),
        room=room,
        printer=Printer(engine, archive, room),
        unread=FreshValues(Notifications(engine).unread, MAX_REMEMBERED),
    )


@asynccontextmanager
async def _background_loops(
    service: Service, connections: Connections, settings: Settings, mcp: McpEndpoint | None
) -> AsyncIterator[None]:
    """Run the background loops while requests are served; then write what still waits."""
    works = [
        service.admission.quota.run_forever(),
        service.admission.rates.run_forever(),
        service.admission.history.run_forever(),
        service.keys.run_forever(),
        service.feed.run_forever(),
        connections.run_forever(),
        asyncio.to_thread(openapi.make_ready),
    ]
    if mcp is not None:
        works.append(mcp.run_forever())
    if pages.are_on(settings):
        works.append(compile_all())
    if settings.alerts:
        works.append(Alerts(service.engine, settings, service.context.tickers).run_forever())
    tending = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tending:
            task.cancel()
        await asyncio.gather(*tending, return_exceptions=True)
        service.room.close()
        for close in (
            service.figures.close,
            service.admission.quota.close,
            service.admission.history.close,
            service.keys.close,
            service.admission.rates.close,
            service.tokens.close,
        ):
            await close()


def _users_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Allow cross-origin requests below `/auth/`."""
    if settings.auth_cors_origins == NO_ORIGINS:
        return app
    return Cors(
        app,
        users=True,
        allow_origins=_origins(settings.auth_cors_origins),
        allow_methods=["GET", "HEAD", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "X-Request-Id"],
        expose_headers=[REQUEST_ID, "Retry-After", "WWW-Authenticate"],
    )


def _cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Allow cross-origin requests everywhere else."""
    if settings.cors_origins == NO_ORIGINS:
        return app
    return Cors(
        app,
        users=False,
        but=pages.FIRST_PARTS,
        allow_origins=_origins(settings.cors_origins),
        allow_methods=["GET", "HEAD", "POST"],
        allow_headers=["X-API-Key", "Content-Type", "X-Request-Id", "If-None-Match"],
        expose_headers=[REQUEST_ID, "ETag", "Retry-After", "RateLimit", "RateLimit-Policy"],
    )


def _origins(text: str) -> list[str]:
    return [origin.strip() for origin in text.split(",")]
