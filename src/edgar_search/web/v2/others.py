"""Health, and what this service does not have."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import NotFound
from edgar_search.web.health import ready
from edgar_search.web.v2.endpoints import HEALTH

_ABSENT = (
    "/v2/pdf",
    "/v2/financials",
    "/v2/financials/balance-sheet",
    "/v2/financials/cash-flow",
    "/v2/financials/export/excel",
    "/v2/financials/filings",
    "/v2/financials/history",
    "/v2/financials/income-statement",
    "/v2/financials/raw",
)


async def absent(request: Request) -> Response:
    """Other services have PDF and financial statements below these paths."""
    raise NotFound("this service makes no PDF and no financial statements: this path is not served")


routes = [
    Route(HEALTH.path, ready, methods=list(HEALTH.methods)),
    *(Route(path, absent, methods=list(HEALTH.methods)) for path in _ABSENT),
]
