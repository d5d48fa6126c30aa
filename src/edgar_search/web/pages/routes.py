"""Every page that is served."""

from starlette.routing import Route

from edgar_search.settings import Settings
from edgar_search.web.pages import (
    as_filed,
    company,
    coverage,
    docs,
    document,
    export,
    filing,
    issuer,
    search,
    sign_in,
    static,
    status,
)
from edgar_search.web.pages.account import (
    alerts,
    favorites,
    history,
    keys,
    links,
    notifications,
    usage,
)
from edgar_search.web.pages.calls import (
    free_page,
    free_search,
    own_call,
    own_page,
    own_search,
    page,
)

PAGES = [
    Route("/", free_page(search.home)),
    Route(search.SEARCH, page("page/search", search.search)),
    Route(document.PATH, page("page/document", document.document)),
    Route(as_filed.PAGE, page("page/as-filed", as_filed.as_filed)),
    Route(filing.PATH, page("page/filing", filing.filing)),
    Route(company.PATH, page("page/company", company.company)),
    Route(company.SUGGESTIONS, free_search(company.suggestions)),
    Route(coverage.COVERAGE, page("page/coverage", coverage.coverage)),
    Route(docs.DOCS, free_page(docs.docs)),
    Route(docs.OPERATION, free_page(docs.operation)),
    Route(status.STATUS, free_search(status.status)),
]
_OWN_PAGES = [
    Route(export.EXPORT, own_call("page/export", export.export), methods=["POST"]),
    Route(keys.KEYS, own_page(keys.keys), methods=["GET", "POST"]),
    Route(usage.USAGE, own_page(usage.usage)),
    Route(alerts.ALERTS, own_search(alerts.alerts), methods=["GET", "POST"]),
    Route(
        notifications.NOTIFICATIONS,
        own_page(notifications.notifications),
        methods=["GET", "POST"],
    ),
    Route(favorites.FAVORITES, own_page(favorites.favorites), methods=["GET", "POST"]),
    Route(links.LINKS, own_page(links.links), methods=["GET", "POST"]),
    Route(history.HISTORY, own_page(history.history), methods=["GET", "POST"]),
]
_SIGN_IN = [
    Route(path, sign_in.around(handler), methods=[method])
    for (path, method), handler in sign_in.PAGES.items()
]
# What a frame loads is no page.
_FRAMED = [Route(as_filed.CONTENT, as_filed.content, methods=["GET"])]
ALL = [*PAGES, *_OWN_PAGES, *_SIGN_IN]
# The first part of each path, "" of the first page's.
_FIRST_PARTS = {route.path.split("/")[1] for route in (*ALL, *_FRAMED, *static.FILES)}


def routes_of(settings: Settings) -> list[Route]:
    """The routes of the pages; none where they are off."""
    if settings.pages in (None, "off"):
        return []
    return [*ALL, *_issuer_routes(settings), *_FRAMED, *static.FILES]


def _issuer_routes(settings: Settings) -> list[Route]:
    """The way to the issuer and back, where the pages are known to one."""
    if not sign_in.issuer_of(settings):
        return []
    return issuer.routes()


def is_page(path: str) -> bool:
    """Whether a path is a page's, or of what pages are made of: no other origin may read it."""
    # The path of `OPTIONS *` has no part.
    return path.startswith("/") and path.split("/")[1] in _FIRST_PARTS
