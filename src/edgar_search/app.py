"""The application, wired from settings."""

import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypedDict

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from edgar_search.access.keys import ApiKeys
from edgar_search.embedded import resolve
from edgar_search.engine import Engine
from edgar_search.entities import Tickers
from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from edgar_search.web import health, v1
from edgar_search.web.middleware import REQUEST_ID, Cors, NoStore, RequestLog, SizeBounds
from edgar_search.web.responses import on_error, on_http_exception, on_unexpected
from edgar_search.web.state import Service

# The setting's value that lets no other origin's pages read answers.
NO_ORIGINS = "none"


class State(TypedDict):
    service: Service


def create_app(settings: Settings) -> ASGIApp:
    """The service over the Elasticsearch of `settings.es_url`."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[State]:
        engine = Engine.from_settings(settings)
        # What is made at start-up stays; full collections of it would be the slowest requests.
        gc.collect()
        gc.freeze()
        try:
            yield {"service": Service(settings, engine, ApiKeys(engine), Tickers(engine))}
        finally:
            await engine.close()

    app = Starlette(
        routes=[*v1.routes, *health.routes],
        middleware=[Middleware(SizeBounds)],
        exception_handlers={
            EdgarSearchError: on_error,
            HTTPException: on_http_exception,
            Exception: on_unexpected,
        },
        lifespan=lifespan,
    )
    # A redirect would be built from the Host header, and would leak the query.
    app.router.redirect_slashes = False
    # Outside of everything, so that the answer to an unexpected fault has their headers too.
    return RequestLog(NoStore(_users_cors(_cors(app, settings), settings)))


def from_environ() -> ASGIApp:
    """The service for a worker process, which has its settings in the environment."""
    return create_app(resolve(Settings.from_environ(os.environ)))


def _users_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """What pages of other origins may do below `/auth/`."""
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
    """What pages of other origins may do everywhere else."""
    if settings.cors_origins == NO_ORIGINS:
        return app
    return Cors(
        app,
        users=False,
        allow_origins=_origins(settings.cors_origins),
        allow_methods=["GET", "HEAD"],
        allow_headers=["X-API-Key", "Content-Type", "X-Request-Id"],
        expose_headers=[REQUEST_ID, "Retry-After"],
    )


def _origins(text: str) -> list[str]:
    return [origin.strip() for origin in text.split(",")]
