"""The list of every page."""

from starlette.routing import Route

from edgar_search.settings import Settings
from edgar_search.web.pages import (
    account,
    account_items,
    account_mail,
    account_webhooks,
    as_filed,
    cite,
    company,
    compare,
    coverage,
    docs,
    document,
    downloads,
    drafts,
    exports,
    feed,
    filing,
    frames,
    match_table,
    screens,
    search,
    search_results,
    sign_in,
    similar,
    table,
    templates,
)
from edgar_search.web.pages.browser import (
    free_page,
    free_search,
    own_page,
    own_search,
    page,
    refuse_path,
)
from edgar_search.web.responses import on_http_exception
from edgar_search.web.strangers import RefusalHandler

PAGES = [
    Route("/", free_search(search.home)),
    Route(search_results.PATH, page("page/search", search.search)),
    Route(screens.PATH, page("page/screen", screens.screen)),
    Route(match_table.PATH, page("page/search", match_table.matches)),
    Route(document.PATH, page("page/document", document.document)),
    Route(as_filed.PAGE, page("page/as-filed", as_filed.as_filed)),
    Route(cite.PATH, page("page/cite", cite.cite)),
    Route(similar.PATH, page("page/similar", similar.similar), methods=["GET", "POST"]),
    Route(drafts.PATH, page("page/drafts", drafts.drafts), methods=["GET", "POST"]),
    Route(table.PATH, page("page/table", table.table)),
    Route(compare.PATH, page("page/compare", compare.compare)),
    Route(filing.PATH, page("page/filing", filing.filing)),
    Route(downloads.STATEMENTS_FILE, page("page/statements", downloads.statements)),
    Route(downloads.FILING_PDF, page("page/pdf", downloads.filing_pdf)),
    Route(downloads.DOCUMENT_PDF, page("page/pdf", downloads.document_pdf)),
    Route(company.PATH, page("page/company", company.company)),
    Route(company.PART, page("page/company", company.company_part)),
    Route(company.COMPANIES, free_search(company.companies)),
    Route(company.FOUND, free_search(company.found)),
    Route(coverage.COVERAGE, page("page/coverage", coverage.coverage)),
    Route(docs.DOCS, free_page(docs.docs)),
    Route(docs.OPERATION, free_page(docs.operation)),
    Route(coverage.STATUS, free_search(coverage.status)),
]
_FEEDS = [Route(feed.PATH, feed.endpoint, methods=["GET"])]
_EXPORTS = [Route(exports.EXPORT, page("page/export", exports.export), methods=["POST"])]
_OWN_PAGES = [
    Route(account.KEYS, own_page(account.keys), methods=["GET", "POST"]),
    Route(account.USAGE, own_page(account.usage)),
    Route(account_items.ALERTS, own_search(account_items.alerts), methods=["GET", "POST"]),
    Route(
        account_items.NOTIFICATIONS,
        own_page(account_items.notifications),
        methods=["GET", "POST"],
    ),
    Route(account_mail.MAIL, own_page(account_mail.mail), methods=["GET", "POST"]),
    Route(account_webhooks.WEBHOOKS, own_page(account_webhooks.webhooks), methods=["GET", "POST"]),
    Route(account_items.FAVORITES, own_page(account_items.favorites), methods=["GET", "POST"]),
    Route(account_items.LINKS, own_page(account_items.links), methods=["GET", "POST"]),
    Route(account.HISTORY, own_page(account.history), methods=["GET", "POST"]),
]
_SIGN_IN = [
    Route(path, sign_in.sign_in_endpoint(handler), methods=[method])
    for (path, method), handler in sign_in.PAGES.items()
]
# The content of a frame is not a page.
_FRAMED = [Route(frames.CONTENT, frames.content, methods=["GET"])]
ALL = [*PAGES, *_FEEDS, *_EXPORTS, *_OWN_PAGES, *_SIGN_IN, *account_mail.ROUTES]
# The first path segment of each page and file of pages, which no other origin may read; "" is the
# first page's.
FIRST_PARTS = {route.path.split("/")[1] for route in (*ALL, *_FRAMED, *templates.FILES)}


def are_on(settings: Settings) -> bool:
    """Return True if pages are served."""
    return settings.pages not in (None, "off")


def routes_of(settings: Settings) -> list[Route]:
    """Return the routes of the pages; none if they are off."""
    if not are_on(settings):
        return []
    return [*ALL, *_issuer_routes(settings), *_FRAMED, *templates.FILES]


def refusal_of_paths(settings: Settings) -> RefusalHandler:
    """Return the handler of unknown paths: a page for browsers, if the pages are on."""
    return refuse_path if are_on(settings) else on_http_exception


def _issuer_routes(settings: Settings) -> list[Route]:
    """Return the routes to the issuer and back, if one is configured for the pages."""
    if not sign_in.issuer_of(settings):
        return []
    return sign_in.routes()
