"""The whole report, in the order in which things depend on each other."""

import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import msgspec

from edgar_search.access.accounts import Accounts
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.limits.plans import Plans
from edgar_search.access.tokens.issuer_keys import IssuerKeys
from edgar_search.archive.opening import open_archive
from edgar_search.doctor.findings import Finding, ok, warning, worst, wrong
from edgar_search.doctor.indices import look_at_indices
from edgar_search.doctor.nodes import look_at_nodes
from edgar_search.doctor.rights import look_at_loading_rights, look_at_rights
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError, EngineRefuses, EngineUnavailable
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings
from edgar_search.settings.addresses import es_addresses

Look = Callable[[], Awaitable[list[Finding]]]
# Clocks of machines that are kept by a time server differ by less.
_LATE, _TOO_LATE = 2.0, 60.0
_GB = 1_000_000_000


async def examine(settings: Settings, *, loading: bool = False) -> AsyncIterator[Finding]:
    """Everything that is looked at, one after the other; `settings` have an `es_url`.

    With `loading` also what their account needs to load filings.
    """
    for finding in (_plans(settings), _home(settings), _archive(settings)):
        yield finding
    yield await _issuer(settings)
    answering = 0
    async for finding in _addresses(settings):
        answering += finding.level != "wrong"
        yield finding
    if not answering:
        return
    engine = Engine.from_settings(settings)
    try:
        try:
            findings, size = await look_at_indices(engine, settings.prefix)
        except EdgarSearchError as error:
            remedy = "look at the account and its role: see the roles in docs/operations.md"
            yield wrong("indices", f"cannot be listed: {error}", remedy)
            return
        for finding in findings:
            yield finding
        looks: list[Look] = [partial(look_at_nodes, engine, size)]
        if worst(findings) != "wrong":
            # Else each of these would only say the same once more.
            looks.append(partial(look_at_rights, engine, settings.prefix))
            if loading:
                looks.append(partial(look_at_loading_rights, engine, settings.prefix))
            looks += [partial(_clock, engine), partial(_accounts, engine, settings)]
        for look in looks:
            for finding in await _reported(look()):
                yield finding
    finally:
        await engine.close()


async def _reported(look: Awaitable[list[Finding]]) -> list[Finding]:
    """What was found; that nothing could be, where Elasticsearch refuses or is away."""
    try:
        return await look
    except EdgarSearchError as error:
        return [wrong("Elasticsearch", str(error), "mend what is wrong above first")]


async def _addresses(settings: Settings) -> AsyncIterator[Finding]:
    assert settings.es_url is not None
    for number, address in enumerate(es_addresses(settings.es_url), 1):
        what = f"address {number}"
        engine = Engine.from_settings(msgspec.structs.replace(settings, es_url=address))
        try:
            await engine.ping()
        except EngineRefuses as error:
            yield warning(what, f"answers: {error}", "see below")
        except EngineUnavailable as error:
            remedy = "start it, or take it out of EDGAR_SEARCH_ES_URL"
            yield wrong(what, f"does not answer: {error}", remedy)
        else:
            yield ok(what, "answers, and documents can be searched")
        finally:
            await engine.close()


def _plans(settings: Settings) -> Finding:
    try:
        plans = Plans.from_settings(settings)
    except EdgarSearchError as error:
        return wrong("settings", str(error), "correct it")
    return ok("settings", f"can be used; plans {', '.join(plan.name for plan in plans.all())}")


def _home(settings: Settings) -> Finding:
    home = settings.absolute_home
    there = next(each for each in (home, *home.parents) if each.exists())
    free, what = shutil.disk_usage(there).free, "disk of the home"
    text = f"{free / _GB:.1f} GB are free at {there}"
    if free < settings.free_bytes:
        return wrong(what, text, "make room: loads stop (EDGAR_SEARCH_FREE_BYTES)")
    return ok(what, text)


def _archive(settings: Settings) -> Finding:
    if not settings.archive:
        return warning("archive", "is off", "without it nothing can be loaded again from here")
    path, content = f"doctor-{uuid.uuid4().hex}", b"edgar-search doctor"
    try:
        store = open_archive(settings.archive_place)
        store.put(path, [content], replace=False)
        read = b"".join(store.pieces(path, 0, len(content)))
        store.delete_all(path)
    except (EdgarSearchError, OSError) as error:
        return wrong("archive", f"{settings.archive_place.url}: {error}", "give access to it")
    if read != content:
        return wrong("archive", "what was written was not read", "look at its store")
    return ok("archive", f"{settings.archive_place.url} can be written and read")


async def _issuer(settings: Settings) -> Finding:
    if settings.oidc_issuer is None:
        return ok("issuer", "none is set; tokens are refused")
    async with HttpClient("edgar-search", 5.0) as http:
        keys = IssuerKeys(settings, http)
        try:
            await keys.published("")
        except EdgarSearchError as error:
            return wrong("issuer", f"{settings.oidc_issuer}: {error}", "look at its address")
        finally:
            await keys.close()
    return ok("issuer", f"{settings.oidc_issuer} publishes keys")


async def _clock(engine: Engine) -> list[Finding]:
    there = await engine.now("ledger", "seen_at")
    seconds = abs((datetime.now(UTC) - there).total_seconds())
    text = f"{seconds:.1f} s from Elasticsearch's"
    if seconds > _TOO_LATE:
        return [wrong("clock", text, "keep both machines by a time server")]
    if seconds > _LATE:
        return [warning("clock", text, "keep both machines by a time server")]
    return [ok("clock", text)]


async def _accounts(engine: Engine, settings: Settings) -> list[Finding]:
    plans = Plans.from_settings(settings)
    keys = await ApiKeys(engine).list(None)
    unknown = await Accounts(engine, plans).on_unknown_plans(key.account for key in keys)
    if unknown:
        names = ", ".join(sorted(set(unknown.values())))
        text = f"{len(unknown)} accounts are on plans that are not set here: {names}"
        return [warning("accounts", text, f"they have the limits of {plans.default.name}")]
    return [ok("accounts", f"{len(keys)} keys, all on plans that are set")]
