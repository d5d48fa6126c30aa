"""The endpoints below `/auth/`, their parameters, the fields of their bodies, their answers."""

from typing import Any, get_args

from msgspec import Struct, structs

from edgar_search.access.api_keys import PAGE_CALLS, SCOPES
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, CIK, DOCUMENT_ID
from edgar_search.search.language import EXACT, WORD_FORMS
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.stored.user_items import TargetType
from edgar_search.web.auth.answers import (
    AlertTrigger,
    Call,
    Changed,
    Favorite,
    FullKey,
    Key,
    Notification,
    PlanOffer,
    SavedLink,
    Subscription,
    TriggerTest,
    UsageLimits,
    list_of,
)
from edgar_search.web.parameters.declaration import Endpoint, Parameter
from edgar_search.web.parameters.filters import KIND_FILTERS

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_OFFSET = 10_000
# Longer than any id; what is longer is unknown, and need not be looked up.
MAX_ID = 200
MAX_TARGET = 100
MAX_LABEL = 200
# As long as browsers and proxies surely take.
MAX_URL = 2_000
MAX_TITLE = 300
MAX_NOTE = 5_000
MAX_TAGS, MAX_TAG = 20, 50
MAX_NAME = 100
# Everything that arrives is matched against every trigger.
MAX_FILTER_VALUES = 1_000
MAX_SCOPE = 50
# How long a rotated key works on, in seconds: a day if nothing else is asked for.
DEFAULT_OVERLAP, MAX_OVERLAP = 86_400, 30 * 86_400
MAX_PLAN = 100
MADE = (201,)

TARGET_TYPES: tuple[TargetType, ...] = get_args(TargetType)

PAGE = (
    Parameter(
        "limit",
        "integer",
        "things in the answer at most",
        least=1,
        most=MAX_LIMIT,
        default=DEFAULT_LIMIT,
    ),
    Parameter("offset", "integer", "things to skip", least=0, most=MAX_OFFSET, default=0),
)
ID = Parameter("id", "text", "which one", required=True, longest=MAX_ID)
# An unknown id is a 404, however long it is.
ID_IN_QUERY = structs.replace(ID, longest=None)


def _list(path: str, summary: str, item: type[Struct], *parameters: Parameter) -> Endpoint:
    answer = list_of(path.split("/")[2], item)
    return Endpoint(path, summary, (*parameters, *PAGE), credential="token", answer=answer)


def _read(path: str, summary: str, answer: Any, *parameters: Parameter) -> Endpoint:
    return Endpoint(path, summary, parameters, credential="token", answer=answer)


def _change(
    path: str,
    summary: str,
    *fields: Parameter,
    answer: Any = Changed,
    statuses: tuple[int, ...] = (200,),
) -> Endpoint:
    return Endpoint(
        path, summary, fields, ("POST",), "body", "token", answer=answer, statuses=statuses
    )


def _changed(fields: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The fields of a thing that is there: only those that are sent are changed."""
    return tuple(structs.replace(field, required=False) for field in fields)


def _removal(path: str, summary: str) -> tuple[Endpoint, Endpoint]:
    """The same thing said by POST, with a body, and by DELETE, with a query string."""
    by_query = Endpoint(
        path, summary, (ID_IN_QUERY,), ("DELETE",), "query", "token", answer=Changed
    )
    return _change(path, summary, ID), by_query


FAVORITES = _list("/auth/favorites/get", "lists favorites", Favorite)
ADD_FAVORITE = _change(
    "/auth/favorites/add",
    "marks a filing, entity or document",
    Parameter("type", "choice", "what is marked", required=True, choices=TARGET_TYPES),
    Parameter(
        "target_id",
        "text",
        "which one; it must be here",
        required=True,
        longest=MAX_TARGET,
        of="accession number, CIK of 1 to 10 digits, or document id",
        pattern="|".join((ACCESSION_NUMBER, CIK, DOCUMENT_ID)),
    ),
    Parameter("label", "text", "the user's own words for it, or null", longest=MAX_LABEL),
    answer=Favorite,
    # Marking again answers with the favorite that there is.
    statuses=(*MADE, 200),
)
REMOVE_FAVORITE = _removal("/auth/favorites/remove", "removes one")

HISTORY = _list(
    "/auth/history/get",
    "lists the data calls of the user: of API keys, and pages that were read",
    Call,
    Parameter("from_date", "date", "made on that day (UTC) or later"),
    Parameter("to_date", "date", "made on that day (UTC) or earlier"),
    Parameter("endpoint", "choice", "calls of this endpoint only", choices=(*SCOPES, *PAGE_CALLS)),
)
CLEAR_HISTORY = _change("/auth/history/clear", "shows none of those made until now any more")

_LINK = (
    Parameter(
        "url",
        "text",
        'http or https, with a host; no blanks, no `\\`, `<`, `>` or `"`',
        required=True,
        longest=MAX_URL,
        of="address",
    ),
    Parameter("title", "text", "the user's own, or null", longest=MAX_TITLE),
    Parameter("note", "lines", "the user's own, or null", longest=MAX_NOTE),
    Parameter(
        "tags", "list", "each once; null clears them", most=MAX_TAGS, longest=MAX_TAG, of="texts"
    ),
)
SAVED_LINKS = _list("/auth/saved-links/get", "lists links", SavedLink)
ADD_LINK = _change(
    "/auth/saved-links/add", "keeps an address", *_LINK, answer=SavedLink, statuses=MADE
)
UPDATE_LINK = _change(
    "/auth/saved-links/update", "changes it", ID, *_changed(_LINK), answer=SavedLink
)
REMOVE_LINK = _removal("/auth/saved-links/remove", "removes one")

NOTIFICATIONS = _list(
    "/auth/notifications/get",
    "lists documents that matched alert triggers",
    Notification,
    Parameter("unread", "flag", "true lists the unread ones only", default=False),
)
MARK_READ = _change(
    "/auth/notifications/mark_read",
    "marks some or all as read",
    Parameter(
        "ids",
        "list",
        "which ones; this or `all` is needed",
        most=MAX_LIMIT,
        longest=MAX_ID,
        of="ids",
    ),
    Parameter("all", "flag", "true marks all", default=False),
)
REMOVE_NOTIFICATION = _removal("/auth/notifications/remove", "for good: it is not made again")

TRIGGER_FILTERS = tuple(structs.replace(f, most=MAX_FILTER_VALUES) for f in KIND_FILTERS)
_QUERY = Parameter("query", "text", "in the query language, or null", longest=MAX_QUERY_CHARS)
_WORD_FORMS = Parameter(
    "word_forms",
    "choice",
    "`all`: the query's words also find their inflections, as in `/v1/search`",
    default=EXACT,
    choices=WORD_FORMS,
)
_TRIGGER = (
    Parameter("name", "text", "the user's own", required=True, longest=MAX_NAME),
    _QUERY,
    _WORD_FORMS,
    Parameter(
        "filters",
        "object",
        "lists, or text as in `/v1/search`, under every spelling, of up to"
        f" {MAX_FILTER_VALUES:,} values each; it is replaced as a whole",
        of="`cik`, `ticker`, `sic`, `form_type`",
        fields=TRIGGER_FILTERS,
    ),
    Parameter("enabled", "flag", "whether it makes notifications", default=True),
)
TRIGGERS = _list("/auth/alert_triggers/get", "lists triggers", AlertTrigger)
ADD_TRIGGER = _change(
    "/auth/alert_triggers/add", "makes a trigger", *_TRIGGER, answer=AlertTrigger, statuses=MADE
)
UPDATE_TRIGGER = _change(
    "/auth/alert_triggers/update", "changes it", ID, *_changed(_TRIGGER), answer=AlertTrigger
)
REMOVE_TRIGGER = _removal("/auth/alert_triggers/remove", "its notifications stay")
TEST_TRIGGER = _read(
    "/auth/alert_triggers/test",
    "shows what a trigger would have matched in the last 30 days",
    TriggerTest,
    structs.replace(
        ID_IN_QUERY, description="a trigger that is kept; else query and filters", required=False
    ),
    structs.replace(_QUERY, description="in the query language"),
    _WORD_FORMS,
    *TRIGGER_FILTERS,
    *PAGE,
)

KEYS = _list("/auth/api_keys/get", "lists the user's API keys", Key)
CREATE_KEY = _change(
    "/auth/api_keys/create",
    "makes one",
    Parameter("name", "text", "the user's own", required=True, longest=MAX_NAME),
    Parameter(
        "scopes",
        "list",
        "what the key may be used for; null is all",
        most=len(SCOPES),
        longest=MAX_SCOPE,
        of="endpoints such as `v1/search`",
    ),
    Parameter("expires_at", "moment", "when it ends; null is never"),
    answer=FullKey,
    statuses=MADE,
)
ROTATE_KEY = _change(
    "/auth/api_keys/rotate",
    "makes one in the place of another",
    ID,
    Parameter(
        "overlap_seconds",
        "integer",
        "for how long the old key works on",
        least=0,
        most=MAX_OVERLAP,
        default=DEFAULT_OVERLAP,
    ),
    answer=FullKey,
    statuses=MADE,
)
REVOKE_KEY = _removal("/auth/api_keys/revoke", "revokes one; both do the same")
REMOVE_KEY = _removal("/auth/api_keys/remove", "revokes one; both do the same")

USAGE_LIMITS = _read("/auth/usage_limits", "what the account may use, and has used", UsageLimits)
SUBSCRIPTION = _read("/auth/subscription/get", "the account's plan", Subscription)
PLANS = _read("/auth/subscription/plans", "lists the plans there are", list_of("plans", PlanOffer))
CHANGE_PLAN = _change(
    "/auth/subscription/change",
    "puts the account on another plan, where the operator allows it",
    Parameter("plan", "text", "one of `/auth/subscription/plans`", required=True, longest=MAX_PLAN),
    answer=Subscription,
)
ENDPOINTS = (
    FAVORITES,
    ADD_FAVORITE,
    *REMOVE_FAVORITE,
    HISTORY,
    CLEAR_HISTORY,
    SAVED_LINKS,
    ADD_LINK,
    UPDATE_LINK,
    *REMOVE_LINK,
    NOTIFICATIONS,
    MARK_READ,
    *REMOVE_NOTIFICATION,
    TRIGGERS,
    ADD_TRIGGER,
    UPDATE_TRIGGER,
    *REMOVE_TRIGGER,
    TEST_TRIGGER,
    KEYS,
    CREATE_KEY,
    ROTATE_KEY,
    *REVOKE_KEY,
    *REMOVE_KEY,
    USAGE_LIMITS,
    SUBSCRIPTION,
    PLANS,
    CHANGE_PLAN,
)
