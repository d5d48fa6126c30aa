"""The routes of EDGAR's own interfaces."""

from starlette.routing import Route

from edgar_search.settings import Settings
from edgar_search.web.edgar import archives, browse, bulk, lists, search_index, submissions, xbrl


def routes_of(settings: Settings) -> list[Route]:
    """Return the routes of EDGAR's search, and of its files if they are open or need keys.

    None if the mirror is off.
    """
    if settings.mirror == "off":
        return []
    if settings.mirror is None:
        return search_index.routes
    files = (
        *submissions.routes,
        *archives.routes,
        *lists.routes,
        *browse.routes,
        *xbrl.routes,
        *bulk.routes,
    )
    return [*search_index.routes, *files]
