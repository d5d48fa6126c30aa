"""Every page that is served."""

from starlette.routing import Route

from edgar_search.settings import Settings
from edgar_search.web.pages import search, static
from edgar_search.web.pages.calls import page

PAGES = [
    Route("/", page(search.home)),
    Route(search.SEARCH, page(search.search)),
]

# The first part of each path, "" of the first page's.
_FIRST_PARTS = {route.path.split("/")[1] for route in (*PAGES, *static.FILES)}


def routes_of(settings: Settings) -> list[Route]:
    """The routes of the pages; none where they are off."""
    return [*PAGES, *static.FILES] if settings.pages == "open" else []


def is_page(path: str) -> bool:
    """Whether a path is a page's, or of what pages are made of: no other origin may read it."""
    return path.split("/")[1] in _FIRST_PARTS
