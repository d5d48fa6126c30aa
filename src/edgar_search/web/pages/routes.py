"""Every page that is served."""

from starlette.routing import Route

from edgar_search.settings import Settings
from edgar_search.web.pages import company, coverage, docs, filing, search, static, status
from edgar_search.web.pages.calls import page

PAGES = [
    Route("/", page(search.home)),
    Route(search.SEARCH, page(search.search)),
    Route(filing.PATH, page(filing.filing)),
    Route(company.PATH, page(company.company)),
    Route(company.SUGGESTIONS, page(company.suggestions)),
    Route(coverage.COVERAGE, page(coverage.coverage)),
    Route(docs.DOCS, page(docs.docs)),
    Route(docs.OPERATION, page(docs.operation)),
    Route(status.STATUS, page(status.status)),
]
# The first part of each path, "" of the first page's.
_FIRST_PARTS = {route.path.split("/")[1] for route in (*PAGES, *static.FILES)}


def routes_of(settings: Settings) -> list[Route]:
    """The routes of the pages; none where they are off."""
    return [*PAGES, *static.FILES] if settings.pages == "open" else []


def is_page(path: str) -> bool:
    """Whether a path is a page's, or of what pages are made of: no other origin may read it."""
    return path.split("/")[1] in _FIRST_PARTS
