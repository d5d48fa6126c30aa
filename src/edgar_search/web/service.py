"""The objects that handlers share, made once when the service starts."""

from typing import NamedTuple

from starlette.requests import Request

from edgar_search.access.admission import Admission
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.open_streams import OpenStreams
from edgar_search.access.sessions import Sessions
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.access.tokens.issuer_client import IssuerClient
from edgar_search.archive.store import ArchiveStore
from edgar_search.document.pdf import Printer
from edgar_search.document.reading_room import ReadingRoom
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh, FreshValues, SharedWork
from edgar_search.engine.secret import Secret
from edgar_search.events.feed import Feed
from edgar_search.search.context import SearchContext
from edgar_search.search.coverage import CorpusStatistics
from edgar_search.search.event_matching import EventMatcher
from edgar_search.search.pagination import Pagination
from edgar_search.settings import Settings
from edgar_search.web.figures import Figures


class Service(NamedTuple):
    """The collaborators of one worker; `unread` counts notifications by account."""

    settings: Settings
    engine: Engine
    keys: ApiKeys
    context: SearchContext
    admission: Admission
    tokens: Tokens
    archive: ArchiveStore
    pagination: Pagination
    figures: Figures
    corpus_statistics: Fresh[CorpusStatistics]
    sessions: Sessions
    sign_in: IssuerClient | None
    frames: Secret
    readiness: SharedWork
    feed: Feed
    event_matcher: EventMatcher
    streams: OpenStreams
    room: ReadingRoom
    printer: Printer
    unread: FreshValues[int]

    def for_account(self, account: str) -> "Service":
        """Return the same collaborators, but searches are the account's."""
        context = self.context.for_account(account)
        return self._replace(engine=context.engine, context=context)


def service(request: Request) -> Service:
    """Return the worker's collaborators, as the request's account sees them."""
    state: Service = request.state.service
    return state
