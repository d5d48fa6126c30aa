"""/auth/alert_triggers: the conditions under which a user is notified."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from msgspec import UNSET, Struct, UnsetType, convert, defstruct, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.matcher import document_match
from edgar_search.alerts.row_triggers import row_snippet
from edgar_search.alerts.triggers import (
    AREA,
    AlertTriggers,
    check_trigger,
    document_criteria,
    named_companies,
)
from edgar_search.alerts.webhooks import MAX_WEBHOOKS, Webhooks
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.filters import (
    UNDATED_FILTERS,
    read_document_filters,
)
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.parameters.row_filters import ALL_ROW_FILTERS, read_row_filters
from edgar_search.errors import BadRequest
from edgar_search.ownership.row_filters import ROWS, row_clauses
from edgar_search.ownership.row_matching import documents_with_rows, standing_documents
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import OPERANDS, DocumentCriteria, Interval, Operands, Window
from edgar_search.search.language import EXACT, WORD_FORMS, WordForms
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.reading.question import READINGS, Readings
from edgar_search.search.results import DayCount, DocumentHit
from edgar_search.search.search import search_new_documents, shown_slots
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.ownership import RowFilters, RowsName
from edgar_search.stored.user_items import (
    DocumentMatch,
    MailRate,
    StoredAlertTrigger,
    StoredUserItem,
)
from edgar_search.web.auth.lists import (
    CREATED,
    ID,
    ID_IN_QUERY,
    MAX_ID,
    NAME,
    PAGE,
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    changes,
    list_endpoint,
    list_response,
    optional,
    page_of,
    read_change,
    read_endpoint,
    read_id,
    read_listing,
    read_query,
    removal_endpoints,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

# Everything that arrives is matched against every trigger.
MAX_FILTER_VALUES = 1_000
TEST_TIME = timedelta(days=30)
MAIL_RATES: tuple[MailRate, ...] = get_args(MailRate)


if TYPE_CHECKING:
    Filters: TypeAlias = DocumentFilters
else:
    # An answer includes all fields, even empty ones.
    Filters = defstruct(
        "Filters", [(field.name, field.type) for field in structs.fields(DocumentFilters)]
    )


class WatchedRows(RowFilters, frozen=True, omit_defaults=True):
    """The given filters of rows, by their names at the endpoint of these rows."""


class AlertTrigger(Struct):
    """A trigger; with `rows` it watches such rows by `row_filters`, otherwise documents.

    `reading` and `operands` are set unless the query is read as written, `webhooks` if it has any,
    `mail` if its notifications are mailed.
    """

    id: str
    name: str
    query: str | None
    word_forms: str
    filters: Filters
    rows: str | None
    row_filters: WatchedRows
    enabled: bool
    created_at: datetime
    last_matched_at: datetime | None
    reading: str | UnsetType = UNSET
    operands: str | UnsetType = UNSET
    webhooks: list[str] | UnsetType = UNSET
    mail: MailRate | UnsetType = UNSET


class TriggerTest(Struct):
    """Items that would have matched, newest first; `days` lists every day of the interval.

    With `rows` they are documents with such rows, by filing date.
    """

    items: list[DocumentMatch]
    total_count: int
    days: list[DayCount]


TRIGGER_FILTERS = tuple(
    structs.replace(each, most=each.most or MAX_FILTER_VALUES) if each.kind == "list" else each
    for each in UNDATED_FILTERS
)
FILTER_NAMES = tuple(each.name for each in TRIGGER_FILTERS)
_FLAGS = {
    spelling for each in TRIGGER_FILTERS if each.kind == "flag" for spelling in each.all_spellings
}
_FILTERS = by_spelling(TRIGGER_FILTERS)
TRIGGER_ROW_FILTERS = tuple(
    structs.replace(each, most=MAX_FILTER_VALUES) if each.kind == "list" else each
    for each in ALL_ROW_FILTERS.values()
)
ROW_FILTER_NAMES = tuple(each.name for each in TRIGGER_ROW_FILTERS)
_ROW_FILTERS = by_spelling(TRIGGER_ROW_FILTERS)
_QUERY = Parameter("query", "text", "in the query language, or null", longest=MAX_QUERY_CHARS)
_WORD_FORMS = Parameter(
    "word_forms",
    "choice",
    "`all`: the query's words also find their inflections, `related`: also related words, as in"
    " `/v1/search`",
    default=EXACT,
    choices=WORD_FORMS,
)
_READING = Parameter(
    "reading",
    "choice",
    "`person`: the query is read as a question, as in `/v1/search`, with the companies that it"
    " names when the trigger is made or changed",
    default="exact",
    choices=READINGS,
)
_OPERANDS = Parameter(
    "operands",
    "choice",
    "`most`: a document may lack one of three or more words, phrases and groups of the query",
    default="all",
    choices=OPERANDS,
)
_ROWS = Parameter(
    "rows",
    "choice",
    "the rows to watch instead of documents, by `row_filters`; then without query and `filters`",
    choices=tuple(ROWS),
)
_TRIGGER = (
    NAME,
    _QUERY,
    _WORD_FORMS,
    _READING,
    _OPERANDS,
    Parameter(
        "filters",
        "object",
        "lists, or text as in `/v1/search`, with every spelling, of up to"
        f" {MAX_FILTER_VALUES:,} values each; an update replaces all of them",
        of=", ".join(f"`{name}`" for name in FILTER_NAMES),
        fields=TRIGGER_FILTERS,
    ),
    _ROWS,
    Parameter(
        "row_filters",
        "object",
        "lists, texts, numbers, true or false, as in the endpoint of that name, up to"
        f" {MAX_FILTER_VALUES:,} values each; an update replaces all of them",
        of=", ".join(f"`{each.name}`" for each in TRIGGER_ROW_FILTERS),
        fields=TRIGGER_ROW_FILTERS,
    ),
    Parameter("enabled", "flag", "true: it makes notifications", default=True),
    Parameter(
        "webhooks",
        "list",
        "the webhooks that its notifications are also sent to; null means none",
        most=MAX_WEBHOOKS,
        longest=MAX_ID,
        of="ids",
    ),
    Parameter(
        "mail",
        "choice",
        "how often its notifications are also mailed to the account's address; null means never",
        choices=MAIL_RATES,
    ),
)
TRIGGERS = list_endpoint("/auth/alert_triggers/get", "lists triggers", AlertTrigger)
ADD_TRIGGER = change_endpoint(
    "/auth/alert_triggers/add", "makes a trigger", *_TRIGGER, answer=AlertTrigger, statuses=CREATED
)
UPDATE_TRIGGER = change_endpoint(
    "/auth/alert_triggers/update", "changes a trigger", ID, *optional(_TRIGGER), answer=AlertTrigger
)
REMOVE_TRIGGER = removal_endpoints(
    "/auth/alert_triggers/remove", "removes a trigger; its notifications stay"
)
TEST_TRIGGER = read_endpoint(
    "/auth/alert_triggers/test",
    "shows what a trigger would have matched in the last 30 days",
    TriggerTest,
    structs.replace(
        ID_IN_QUERY,
        description="a saved trigger; without it, the query and the filters",
        required=False,
    ),
    structs.replace(_QUERY, description="in the query language"),
    _WORD_FORMS,
    _READING,
    _OPERANDS,
    *TRIGGER_FILTERS,
    structs.replace(_ROWS, description="the rows to watch, by their own filters"),
    *(each for each in TRIGGER_ROW_FILTERS if each.name not in FILTER_NAMES),
    *PAGE,
)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/alert_triggers/get"""
    account, _, page = read_listing(call, TRIGGERS.declared)
    page_found = await _triggers(request).page(account, *page)
    return list_response(AREA, [alert_trigger(item) for item in page_found.items], page_found.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/alert_triggers/add"""
    account, fields = read_change(call, ADD_TRIGGER.declared)
    trigger = {name: read() for name, read in _readers(fields).items()}
    trigger["webhooks"] = await _webhooks(request).require(account, trigger["webhooks"])
    context = service(request).context
    trigger["names"] = await named_companies(context, trigger["query"], trigger["reading"])
    return json_response(alert_trigger(await _triggers(request).add(account, trigger)), 201)


async def update(request: Request, call: UserCall) -> Response:
    """POST /auth/alert_triggers/update"""
    account, fields = read_change(call, UPDATE_TRIGGER.declared)
    trigger_id = fields.required_own_text("id")
    changed = changes(fields, _readers(fields))
    if "webhooks" in changed:
        changed["webhooks"] = await _webhooks(request).require(account, changed["webhooks"])
    if not {"query", "reading"}.isdisjoint(changed):
        new = structs.replace(await _triggers(request).read(account, trigger_id), **changed)
        context = service(request).context
        changed["names"] = await named_companies(context, new.query, new.reading)
    trigger = await _triggers(request).update(account, trigger_id, changed)
    return json_response(alert_trigger(trigger))


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/alert_triggers/remove"""
    account, trigger_id = read_id(request, call)
    await _triggers(request).remove(account, trigger_id)
    return changed_response(1)


async def test(request: Request, call: UserCall) -> Response:
    """GET /auth/alert_triggers/test: what a trigger would have matched in the last 30 days"""
    account, parameters = read_query(call, TEST_TRIGGER.declared)
    now = datetime.now(UTC)
    limit, offset = page_of(parameters)
    tested = await _trigger_to_test(request, account, parameters, now)
    if tested.rows is None:
        await call.share.weigh(shown_slots(document_criteria(tested).query, limit))
    window = Window(offset, offset + limit)
    return json_response(await past_matches(service(request).context, tested, now, window))


async def past_matches(
    context: SearchContext, tested: StoredAlertTrigger, now: datetime, window: Window
) -> TriggerTest:
    """Return the matches that a trigger would have had in the last 30 days."""
    if tested.rows is not None:
        return await _past_rows(context, tested, now, window)
    criteria, time = document_criteria(tested), Interval(now - TEST_TIME, now)
    documents = await search_new_documents(context, criteria, time, window)
    page = documents.page
    items = [document_match(criteria, document.hit, document.snippet) for document in page.found]
    return TriggerTest(items, page.total, documents.days)


async def _past_rows(
    context: SearchContext, tested: StoredAlertTrigger, now: datetime, window: Window
) -> TriggerTest:
    """Return the documents filed in the last 30 days with rows that a trigger matches."""
    assert tested.rows is not None
    rows, table = ROWS[tested.rows], await context.tickers.table()
    clauses = row_clauses(tested.rows, tested.row_filters, table)
    first, last = (now - TEST_TIME).date(), now.date()
    documents = await documents_with_rows(context.engine, rows, clauses, first, last, window)
    standing = await standing_documents(
        context.engine, [document.document_id for document in documents.found]
    )
    items = [
        document_match(
            DocumentCriteria(None),
            DocumentHit(standing[document.document_id].fields, 1.0),
            row_snippet(document),
        )
        for document in documents.found
        if document.document_id in standing
    ]
    return TriggerTest(items, documents.total, documents.days)


async def _trigger_to_test(
    request: Request, account: str, parameters: Parameters, now: datetime
) -> StoredAlertTrigger:
    """Return the trigger with this id, or an unsaved one."""
    trigger_id = parameters.text("id")
    rows = _rows(parameters)
    query, reading = parameters.text("query"), exact_reading(parameters)
    content = StoredAlertTrigger(
        "",
        now,
        query,
        # `ticker` is a filter of both.
        DocumentFilters()
        if rows and not _of_documents(parameters)
        else read_document_filters(parameters),
        word_forms=parameters.choice_of("word_forms", WORD_FORMS),
        rows=rows,
        row_filters=read_row_filters(parameters, _asked_row_filters(parameters, rows)),
        reading=reading,
        operands=exact_operands(parameters),
        names=await named_companies(service(request).context, query, reading),
    )
    if trigger_id is None:
        check_trigger(content)
        return content
    if content != StoredAlertTrigger("", now):
        raise BadRequest("`id` may not be given with a query, its word_forms or filters")
    return await _triggers(request).read(account, trigger_id)


def _readers(fields: Parameters) -> dict[str, Callable[[], Any]]:
    return {
        "name": lambda: fields.required_own_text("name"),
        "query": lambda: fields.text("query"),
        "word_forms": lambda: _word_forms(fields),
        "reading": lambda: exact_reading(fields),
        "operands": lambda: exact_operands(fields),
        "filters": lambda: _body_filters(fields),
        "rows": lambda: _rows(fields),
        "row_filters": lambda: _body_row_filters(fields),
        "enabled": lambda: fields.flag("enabled"),
        "webhooks": lambda: fields.own_texts("webhooks") or [],
        "mail": lambda: mail_rate(fields),
    }


def mail_rate(fields: Parameters) -> MailRate | None:
    """Return how often a trigger's notifications are mailed; None for never."""
    return fields.exact_choice("mail", MAIL_RATES) if fields.text("mail") else None


def _word_forms(fields: Parameters) -> WordForms:
    return fields.exact_choice("word_forms", WORD_FORMS) if "word_forms" in fields else EXACT


def exact_reading(fields: Parameters) -> Readings:
    """Return the reading of a trigger's query."""
    return fields.exact_choice("reading", READINGS) if "reading" in fields else "exact"


def exact_operands(fields: Parameters) -> Operands:
    """Return which operands a document must have."""
    return fields.exact_choice("operands", OPERANDS) if "operands" in fields else "all"


def _body_filters(fields: Parameters) -> DocumentFilters:
    """Read the filters from a body, in which a list may also be a comma-separated string.

    A flag may be true or false.
    """
    filters = fields.object("filters") or {}
    return trigger_filters({name: _strings(name, value) for name, value in filters.items()})


def _strings(name: str, value: Any) -> list[str]:
    if name in _FLAGS and isinstance(value, bool):
        value = str(value).lower()
    values = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise BadRequest(f"`{name}` must be a list of strings")
    return values


def _rows(parameters: Parameters) -> RowsName | None:
    return parameters.exact_choice("rows", tuple(ROWS)) if parameters.text("rows") else None


def _of_documents(parameters: Parameters) -> list[str]:
    """Return the names of the document-only filters that were sent."""
    return parameters.sent(name for name in FILTER_NAMES if name not in ROW_FILTER_NAMES)


def _asked_row_filters(parameters: Parameters, rows: RowsName | None) -> list[str]:
    """Return the row filters to read: without `rows`, `ticker` filters documents."""
    names = ROW_FILTER_NAMES if rows else [n for n in ROW_FILTER_NAMES if n not in FILTER_NAMES]
    return parameters.sent(names)


def _body_row_filters(fields: Parameters) -> RowFilters:
    """Read the row filters from a body, in which amounts may be numbers and flags booleans."""
    filters = fields.object("row_filters") or {}
    return row_filters({name: _plain(name, value) for name, value in filters.items()})


def _plain(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [str(value).lower()]
    return [str(value)] if isinstance(value, (int, float)) else _strings(name, value)


def row_filters(raw: Raw) -> RowFilters:
    """Read the filters for rows of any kind; raises BadRequest, which names the error."""
    return read_row_filters(Parameters(raw, _ROW_FILTERS), ROW_FILTER_NAMES)


def trigger_filters(raw: Raw) -> DocumentFilters:
    """Read the filters of a trigger; raises BadRequest, which names the error."""
    return read_document_filters(Parameters(raw, _FILTERS))


def alert_trigger(item: StoredUserItem[StoredAlertTrigger]) -> AlertTrigger:
    """Convert a stored trigger to the API's."""
    content = item.content
    return AlertTrigger(
        id=item.id,
        name=content.name,
        query=content.query,
        word_forms=content.word_forms,
        filters=convert(content.filters, Filters, from_attributes=True),
        rows=content.rows,
        row_filters=convert(content.row_filters, WatchedRows, from_attributes=True),
        enabled=content.enabled,
        created_at=item.created_at,
        last_matched_at=content.last_matched_at,
        reading=UNSET if content.reading == "exact" else content.reading,
        operands=UNSET if content.operands == "all" else content.operands,
        webhooks=list(content.webhooks) or UNSET,
        mail=content.mail or UNSET,
    )


def _webhooks(request: Request) -> Webhooks:
    return Webhooks(service(request).engine, service(request).settings)


def _triggers(request: Request) -> AlertTriggers:
    return AlertTriggers(service(request).engine)


ENDPOINTS = (
    UserEndpoint(get, (TRIGGERS,)),
    UserEndpoint(add, (ADD_TRIGGER,)),
    UserEndpoint(update, (UPDATE_TRIGGER,)),
    UserEndpoint(remove, REMOVE_TRIGGER),
    UserEndpoint(test, (TEST_TRIGGER,), searches=True),
)
