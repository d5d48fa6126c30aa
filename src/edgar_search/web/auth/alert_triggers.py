"""/auth/alert_triggers: what a user wants to be told of."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.matcher import document_match
from edgar_search.alerts.triggers import AREA, AlertTriggers, document_criteria
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import Interval, Window
from edgar_search.search.language import ALL, EXACT, WORD_FORMS, WordForms
from edgar_search.search.search import search_new_documents, shown_places
from edgar_search.stored.user_items import StoredAlertTrigger, TriggerFilters
from edgar_search.web.auth.answers import Day, TriggerTest, alert_trigger, matching_item
from edgar_search.web.auth.endpoints import (
    ADD_TRIGGER,
    REMOVE_TRIGGER,
    TEST_TRIGGER,
    TRIGGER_FILTERS,
    TRIGGERS,
    UPDATE_TRIGGER,
)
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changes,
    changing,
    list_response,
    listing,
    naming,
    page_of,
    reading,
    route,
)
from edgar_search.web.calls import while_connected
from edgar_search.web.parameters.filters import kind_filters
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

TEST_TIME = timedelta(days=30)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/alert_triggers/get"""
    account, _, page = listing(call, TRIGGERS.parameters)
    found = await _triggers(request).page(account, *page)
    return list_response(AREA, [alert_trigger(item) for item in found.items], found.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/alert_triggers/add"""
    account, fields = changing(call, ADD_TRIGGER.parameters)
    trigger = {name: read() for name, read in _readers(fields).items()}
    return json_response(alert_trigger(await _triggers(request).add(account, trigger)), 201)


async def update(request: Request, call: UserCall) -> Response:
    """POST /auth/alert_triggers/update"""
    account, fields = changing(call, UPDATE_TRIGGER.parameters)
    trigger_id = fields.required_own_text("id")
    changed = changes(fields, _readers(fields))
    trigger = await _triggers(request).update(account, trigger_id, changed)
    return json_response(alert_trigger(trigger))


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/alert_triggers/remove"""
    account, trigger_id = naming(request, call)
    await _triggers(request).remove(account, trigger_id)
    return changed_response(1)


async def test(request: Request, call: UserCall) -> Response:
    """GET /auth/alert_triggers/test: what a trigger would have matched in the last 30 days"""
    account, parameters = reading(call, TEST_TRIGGER.parameters)
    now = datetime.now(UTC)
    limit, offset = page_of(parameters)
    criteria = document_criteria(await _tested(request, account, parameters, now))
    await call.share.weigh(shown_places(criteria.query, limit))
    work = search_new_documents(
        service(request).context,
        criteria,
        Interval(now - TEST_TIME, now),
        Window(offset, offset + limit),
        account,
    )
    found = await while_connected(request, work)
    page = found.page
    items = [
        matching_item(document_match(criteria, hit, snippet))
        for hit, snippet in zip(page.hits, page.snippets, strict=True)
    ]
    days = [Day(each.date, each.count) for each in found.days]
    return json_response(TriggerTest(items, page.total, days))


async def _tested(
    request: Request, account: str, parameters: Parameters, now: datetime
) -> StoredAlertTrigger:
    """The trigger of this id, or one that is not kept."""
    trigger_id = parameters.text("id")
    word_forms = ALL if parameters.choice("word_forms") == ALL else EXACT
    content = StoredAlertTrigger(
        "", now, parameters.text("query"), _filters(parameters), word_forms=word_forms
    )
    if trigger_id is None:
        return content
    if content != StoredAlertTrigger("", now):
        raise BadRequest("`id` may not be given with a query, its word_forms or filters")
    return await _triggers(request).read(account, trigger_id)


def _readers(fields: Parameters) -> dict[str, Callable[[], Any]]:
    return {
        "name": lambda: fields.required_own_text("name"),
        "query": lambda: fields.text("query"),
        "word_forms": lambda: _word_forms(fields),
        "filters": lambda: _filters(_filter_parameters(fields)),
        "enabled": lambda: fields.flag("enabled"),
    }


def _word_forms(fields: Parameters) -> WordForms:
    return fields.exact_choice("word_forms", WORD_FORMS) if "word_forms" in fields else EXACT


def _filter_parameters(fields: Parameters) -> Parameters:
    """The filters of a body, in which a list may be a list, or a string as in a query."""
    raw = {name: _strings(name, value) for name, value in (fields.object("filters") or {}).items()}
    return Parameters(raw, TRIGGER_FILTERS)


def _strings(name: str, value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise BadRequest(f"`{name}` must be a list of strings")
    return values


def _filters(parameters: Parameters) -> TriggerFilters:
    for declared in TRIGGER_FILTERS:
        if not declared.admits(len(parameters.items(declared.name))):
            raise BadRequest(f"`{declared.name}` may have at most {declared.most} values")
    filters = kind_filters(parameters)
    return TriggerFilters(filters.ciks, filters.tickers, filters.sics, filters.form_types)


def _triggers(request: Request) -> AlertTriggers:
    return AlertTriggers(service(request).engine)


routes = [
    route(get, TRIGGERS),
    route(add, ADD_TRIGGER),
    route(update, UPDATE_TRIGGER),
    route(remove, *REMOVE_TRIGGER),
    route(test, TEST_TRIGGER, searches=True),
]
