"""/account/alerts: what the user wants to be told of."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.triggers import AlertTriggers, document_criteria
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import Interval, Window
from edgar_search.search.documents import NewDocumentPage, search_new_documents
from edgar_search.search.language import ALL, EXACT
from edgar_search.stored.alert_trigger import StoredAlertTrigger, TriggerFilters
from edgar_search.web.auth.endpoints import ADD_TRIGGER, ID, TRIGGER_FILTERS
from edgar_search.web.credentials import query_parameters
from edgar_search.web.disconnect import while_connected
from edgar_search.web.filing_filters import kind_filters
from edgar_search.web.pages.account.pages import (
    SIZE,
    action_of,
    fields_of,
    list_page,
    offset_of,
)
from edgar_search.web.pages.browser import form_of
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.parameters import Parameters
from edgar_search.web.state import directory_of, service

ALERTS = "/account/alerts"
_PREVIEW_TIME = timedelta(days=30)
_PREVIEW = 5
# What a link may fill the form with.
_FILLED = ("name", "query", "all_forms", "cik", "ticker", "sic", "form_type")
_FILTERS = ("cik", "ticker", "sic", "form_type")

Form = Mapping[str, list[str]]


async def alerts(request: Request, call: PageCall) -> Response:
    """The alerts, a form for another with a preview, and what switches and removes them."""
    if request.method != "POST":
        return await _shown(request, call, query_parameters(request, without=()))
    kept, account = AlertTriggers(service(request).engine), call.reader.account
    form = await form_of(request)
    action = action_of(form, ("preview", "add", "on", "off", "remove"))
    try:
        if action == "preview":
            return await _shown(request, call, form, await _preview(request, account, form))
        if action == "add":
            await kept.add(account, _fields(form))
            return see_other(ALERTS)
    except BadRequest as error:
        return await _shown(request, call, form, wrong=str(error))
    trigger_id = fields_of(form, (ID,)).needed("id")
    if action == "remove":
        await kept.remove(account, trigger_id)
    else:
        await kept.update(account, trigger_id, {"enabled": action == "on"})
    return see_other(ALERTS)


async def _preview(request: Request, account: str, form: Form) -> NewDocumentPage:
    """What the alert would have matched in the last 30 days."""
    now = datetime.now(UTC)
    fields = {name: value for name, value in _fields(form).items() if name != "name"}
    criteria = document_criteria(StoredAlertTrigger("", now, **fields))
    time = Interval(now - _PREVIEW_TIME, now)
    directory = await directory_of(request)
    work = search_new_documents(directory, criteria, time, Window(0, _PREVIEW), account)
    return await while_connected(request, work)


def _fields(form: Form) -> dict[str, Any]:
    fields = fields_of(form, ADD_TRIGGER.parameters)
    raw = {name: form[name] for name in _FILTERS if name in form}
    found = kind_filters(Parameters(raw, TRIGGER_FILTERS))
    return {
        "name": fields.needed("name"),
        "query": fields.exact("query"),
        "word_forms": ALL if "true" in form.get("all_forms", ()) else EXACT,
        "filters": TriggerFilters(found.ciks, found.tickers, found.sics, found.form_types),
    }


async def _shown(
    request: Request,
    call: PageCall,
    form: Form,
    preview: NewDocumentPage | None = None,
    wrong: str | None = None,
) -> Response:
    offset = offset_of(request, _FILLED)
    found = await AlertTriggers(service(request).engine).page(call.reader.account, SIZE, offset)
    return list_page(
        "alerts.html",
        request,
        call,
        offset,
        found.total,
        400 if wrong else 200,
        items=found.items,
        sent=lambda name: ", ".join(form.get(name, ())),
        preview=preview,
        most=max((day.count for day in preview.days), default=0) if preview else 0,
        wrong=wrong,
    )
