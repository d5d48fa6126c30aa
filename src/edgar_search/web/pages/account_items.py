"""/account: favorites, saved links, alerts and notifications."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.mailboxes import Mailboxes
from edgar_search.alerts.notifications import Notifications, withdrawn_documents
from edgar_search.alerts.triggers import (
    AlertTriggers,
    check_trigger,
    company_watch,
    named_companies,
)
from edgar_search.alerts.webhooks import MAX_WEBHOOKS, Webhooks
from edgar_search.api.parameters.filters import KIND_FILTERS, UNDATED_FILTERS
from edgar_search.api.parameters.row_filters import ALL_ROW_FILTERS, ROW_FILTERS
from edgar_search.api.search import SEARCH
from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest, NotFound
from edgar_search.ownership.row_filters import ROWS, given_filters
from edgar_search.search.criteria import Window
from edgar_search.search.language import WORD_FORMS
from edgar_search.stored.ownership import RowsName
from edgar_search.stored.user_items import StoredAlertTrigger, StoredFavorite, StoredSavedLink
from edgar_search.user_data.favorites import Favorites
from edgar_search.user_data.saved_links import SavedLinks
from edgar_search.web.auth.alert_triggers import (
    ADD_TRIGGER,
    FILTER_NAMES,
    ROW_FILTER_NAMES,
    TriggerTest,
    exact_operands,
    exact_reading,
    mail_rate,
    past_matches,
    row_filters,
    trigger_filters,
)
from edgar_search.web.auth.favorites import ADD_FAVORITE, TARGET_TYPES
from edgar_search.web.auth.lists import ONLY_ID
from edgar_search.web.auth.saved_links import ADD_LINK, checked_url
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.account import SIZE, action_of, fields_of, list_page, offset_of
from edgar_search.web.pages.account_mail import MAIL
from edgar_search.web.pages.browser import PageCall, form_of, own_path, page_parameters, see_other
from edgar_search.web.pages.links import address
from edgar_search.web.pages.search_results import filter_words
from edgar_search.web.service import service

FAVORITES = "/account/favorites"


async def favorites(request: Request, call: PageCall) -> Response:
    """List the favorites, newest first, with forms that add and remove them."""
    kept, account = Favorites(service(request).engine), call.account
    if request.method == "POST":
        return await _change_favorites(kept, call)
    offset = offset_of(request)
    stored = await kept.page(account, SIZE, offset)
    return list_page(
        "favorites.html",
        request,
        call,
        offset,
        stored.total,
        items=[(item, place_of(item.content)) for item in stored.items],
    )


def place_of(favorite: StoredFavorite) -> str:
    """Return the address of a favorite's target."""
    if favorite.type == "entity":
        return f"/company/{favorite.target_id}"
    if favorite.type == "filing":
        return f"/filing/{favorite.target_id}"
    return f"/filing/{favorite.target_id.rpartition('-')[0]}"


async def _change_favorites(kept: Favorites, call: PageCall) -> Response:
    form, account = form_of(call.raw.body), call.account
    if action_of(form, ("add", "remove")) == "remove":
        await kept.remove(account, fields_of(form, ONLY_ID).required_own_text("id"))
        return see_other(FAVORITES)
    fields = fields_of(form, ADD_FAVORITE.declared)
    kind = fields.exact_choice("type", TARGET_TYPES)
    label = fields.own_text("label") if "label" in fields else UNSET
    await kept.add(account, kind, fields.required_own_text("target_id"), label)
    return see_other(own_path("".join(form.get("next", (FAVORITES,)))))


LINKS = "/account/links"


async def links(request: Request, call: PageCall) -> Response:
    """List the saved links, newest first, with forms that add and remove them."""
    if request.method != "POST":
        return await _links_page(request, call)
    kept, account = SavedLinks(service(request).engine), call.account
    form = form_of(call.raw.body)
    if action_of(form, ("add", "remove")) == "remove":
        await kept.remove(account, fields_of(form, ONLY_ID).required_own_text("id"))
        return see_other(LINKS)
    try:
        fields = fields_of(form, ADD_LINK.declared)
        content = StoredSavedLink(
            checked_url(fields.required_own_text("url")),
            fields.own_text("title"),
            fields.own_text("note"),
            fields.own_texts("tags") or [],
        )
        await kept.add(account, content)
    except BadRequest as error:
        return await _links_page(request, call, wrong=str(error))
    return see_other(LINKS)


async def _links_page(request: Request, call: PageCall, wrong: str | None = None) -> Response:
    offset = offset_of(request)
    stored = await SavedLinks(service(request).engine).page(call.account, SIZE, offset)
    return list_page(
        "links.html",
        request,
        call,
        offset,
        stored.total,
        400 if wrong else 200,
        items=stored.items,
        wrong=wrong,
    )


NOTIFICATIONS = "/account/notifications"


async def notifications(request: Request, call: PageCall) -> Response:
    """List the notifications, with forms that mark them as read and remove them."""
    kept, account = Notifications(service(request).engine), call.account
    if request.method == "POST":
        form = form_of(call.raw.body)
        if action_of(form, ("read", "remove")) == "read":
            await kept.mark_all_read(account)
        else:
            await kept.remove(account, fields_of(form, ONLY_ID).required_own_text("id"))
        service(request).unread.forget(account)
        return see_other(NOTIFICATIONS)
    offset = offset_of(request)
    stored = await kept.page(account, SIZE, offset)
    return list_page(
        "notifications.html",
        request,
        call,
        offset,
        stored.total,
        items=stored.items,
        withdrawn=await withdrawn_documents(service(request).engine, stored.items),
        alerts=await AlertTriggers(service(request).engine).names(
            account, [item.content.alert_trigger_id for item in stored.items]
        ),
    )


ALERTS = "/account/alerts"
_PREVIEW = 5
# The document filters that the form folds away.
_MORE_FILTERS = UNDATED_FILTERS[len(KIND_FILTERS) :]
# Fields of the form that a link may fill.
_FILLED = (
    "name",
    "query",
    "word_forms",
    "reading",
    "operands",
    "rows",
    "mail",
    "webhooks",
    *{*FILTER_NAMES, *ROW_FILTER_NAMES},
)

Form = Mapping[str, list[str]]


async def alerts(request: Request, call: PageCall) -> Response:
    """List the alerts, with a form and a preview for a new one, and forms that change them."""
    if request.method != "POST":
        return await _alerts_page(request, call, page_parameters(request))
    kept, account = AlertTriggers(service(request).engine), call.account
    form = form_of(call.raw.body)
    action = action_of(form, ("preview", "add", "watch", "unwatch", "on", "off", "remove"))
    try:
        if action == "preview":
            return await _alerts_page(request, call, form, await _preview(request, form))
        if action == "add":
            name = fields_of(form, ADD_TRIGGER.declared).required_own_text("name")
            fields = await _trigger_fields(request, form)
            await kept.add(account, {"name": name, **fields, **await _ways(request, account, form)})
            return see_other(await _after_adding(request, account, form))
        if action in ("watch", "unwatch"):
            return await _change_watch(kept, account, action, form)
    except BadRequest as error:
        return await _alerts_page(request, call, form, wrong=str(error))
    trigger_id = fields_of(form, ONLY_ID).required_own_text("id")
    if action == "remove":
        await kept.remove(account, trigger_id)
    else:
        await kept.update(account, trigger_id, {"enabled": action == "on"})
    return see_other(ALERTS)


async def _ways(request: Request, account: str, form: Form) -> dict[str, Any]:
    """Return the trigger's fields that say where its notifications are sent."""
    fields = fields_of(form, ADD_TRIGGER.declared)
    webhooks = Webhooks(service(request).engine, service(request).settings)
    webhook_names = await webhooks.require(account, fields.own_texts("webhooks") or [])
    return {"mail": mail_rate(fields), "webhooks": webhook_names}


async def _after_adding(request: Request, account: str, form: Form) -> str:
    """Return the page to show after an alert is made: the mail page if no address is set up."""
    if not "".join(form.get("mail", ())):
        return ALERTS
    mailbox = await Mailboxes(service(request).engine, service(request).settings).read(account)
    return ALERTS if mailbox is not None and mailbox.confirmed_at else MAIL


async def _change_watch(kept: AlertTriggers, account: str, action: str, form: Form) -> Response:
    """Start or stop watching a company's new filings, and redirect to its page."""
    cik = parse_cik("".join(form.get("cik", ())))
    if cik is None:
        raise BadRequest("a CIK has 1 to 10 digits")
    if action == "watch":
        name = fields_of(form, ADD_TRIGGER.declared).required_own_text("name")
        await kept.watch_company(account, cik, name)
    else:
        with suppress(NotFound):  # stopped already
            await kept.remove(account, company_watch(cik))
    return see_other(f"/company/{cik}")


async def _preview(request: Request, form: Form) -> TriggerTest:
    """Return the first matches of the last 30 days."""
    now = datetime.now(UTC)
    content = StoredAlertTrigger("", now, **await _trigger_fields(request, form))
    check_trigger(content)
    context = service(request).context
    work = past_matches(context, content, now, Window(0, _PREVIEW))
    return await while_connected(request, work)


async def _trigger_fields(request: Request, form: Form) -> dict[str, Any]:
    """Return the fields of a trigger without its name."""
    fields = fields_of(form, ADD_TRIGGER.declared)
    if rows := rows_of(form):
        raw = {name: form[name] for name in ROWS[rows].filters if name in form}
        return {"rows": rows, "row_filters": row_filters(raw)}
    raw = {name: form[name] for name in FILTER_NAMES if name in form}
    query, reading = fields.text("query"), exact_reading(fields)
    return {
        "query": query,
        "word_forms": fields.choice_of("word_forms", WORD_FORMS),
        "reading": reading,
        "operands": exact_operands(fields),
        "names": await named_companies(service(request).context, query, reading),
        "filters": trigger_filters(raw),
    }


def rows_of(form: Form) -> RowsName | None:
    """Return the kind of rows that a form names; raises BadRequest for an unknown one."""
    fields = fields_of(form, ADD_TRIGGER.declared)
    return fields.exact_choice("rows", tuple(ROWS)) if fields.text("rows") else None


def shown_filters(trigger: StoredAlertTrigger) -> list[str]:
    """Describe the filters of a trigger in words."""
    filters = structs.asdict(trigger.filters).items()
    of_rows = structs.asdict(trigger.row_filters)
    rows = [ROWS[trigger.rows].words] if trigger.rows else []
    read = [words for words, is_so in _read_as(trigger) if is_so]
    return [
        *rows,
        *read,
        *(filter_words(SEARCH.declared[name], _display(value)) for name, value in filters if value),
        *(
            filter_words(ALL_ROW_FILTERS[name], _display(of_rows[name]))
            for name in given_filters(trigger.row_filters)
        ),
    ]


def _ways_of(trigger: StoredAlertTrigger, names: Mapping[str, str]) -> list[str]:
    """Return where a trigger's notifications are sent, by webhook name."""
    mail = [f"mail {trigger.mail.replace('_', ' ')}"] if trigger.mail else []
    return [
        "these pages",
        *mail,
        *(names.get(webhook, "a removed webhook") for webhook in trigger.webhooks),
    ]


def _read_as(trigger: StoredAlertTrigger) -> list[tuple[str, bool]]:
    """Describe how a trigger's query is read."""
    return [
        ("read as a question", trigger.reading == "person"),
        ("one word may be absent", trigger.operands == "most"),
    ]


def _display(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else value


async def _alerts_page(
    request: Request,
    call: PageCall,
    form: Form,
    preview: TriggerTest | None = None,
    wrong: str | None = None,
) -> Response:
    offset = offset_of(request, _FILLED)
    try:
        rows = rows_of(form)
    except BadRequest as error:
        rows, wrong = None, wrong or str(error)
    state = service(request)
    stored = await AlertTriggers(state.engine).page(call.account, SIZE, offset)
    webhooks = (
        await Webhooks(state.engine, state.settings).page(call.account, MAX_WEBHOOKS, 0)
    ).items
    names = {webhook.id: webhook.content.name for webhook in webhooks}
    return list_page(
        "alerts.html",
        request,
        call,
        offset,
        stored.total,
        400 if wrong else 200,
        items=stored.items,
        filters_of=shown_filters,
        ways_of=lambda trigger: _ways_of(trigger, names),
        webhooks=webhooks,
        mails=state.settings.sends_mail,
        sent=lambda name: ", ".join(form.get(name, ())),
        rows=rows,
        kinds=[(name, rows.words, address(ALERTS, {}, rows=name)) for name, rows in ROWS.items()],
        row_fields=ROW_FILTERS[rows] if rows else (),
        kind_fields=KIND_FILTERS,
        more_fields=_MORE_FILTERS,
        more_given=any("".join(form.get(filter_.name, ())) for filter_ in _MORE_FILTERS),
        preview=preview,
        most=max((day.count for day in preview.days), default=0) if preview else 0,
        wrong=wrong,
    )
