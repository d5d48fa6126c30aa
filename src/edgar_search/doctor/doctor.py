"""The whole report, in the order in which things depend on each other."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import msgspec

from edgar_search.access.accounts import Accounts
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.limits.plans import Plans
from edgar_search.doctor.findings import Finding, ok, warning, worst, wrong
from edgar_search.doctor.indices import look_at_indices
from edgar_search.doctor.nodes import look_at_nodes
from edgar_search.doctor.rights import (
    look_at_loading_rights,
    look_at_rights,
    look_at_template_right,
)
from edgar_search.doctor.surroundings import (
    look_at_archive,
    look_at_home,
    look_at_issuer,
    look_at_settings,
)
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError, EngineRefuses, EngineUnavailable, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.addresses import es_addresses

Look = Callable[[], Awaitable[list[Finding]]]
# Clocks of machines that are kept by a time server differ by less.
_LATE, _TOO_LATE = 2.0, 60.0


async def examine(settings: Settings, *, loading: bool = False) -> AsyncIterator[Finding]:
    """Everything that is looked at, one after the other; `settings` have an `es_url`.

    With `loading` also what their account needs to load filings.
    """
    usable = look_at_settings(settings)
    for finding in (usable, look_at_home(settings), look_at_archive(settings)):
        yield finding
    yield await look_at_issuer(settings)
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
        for finding in await _reported(look_at_nodes(engine, size)):
            yield finding
        there = [each for each in findings if each.what in ("indices", "aliases")]
        for look in _looks(engine, settings, there, usable, loading=loading):
            for finding in await _reported(look()):
                yield finding
    finally:
        await engine.close()


def _looks(
    engine: Engine, settings: Settings, there: list[Finding], usable: Finding, *, loading: bool
) -> list[Look]:
    """What is looked at through Elasticsearch after its nodes; little where indices are missing.

    `there` says whether they are, `usable` whether the settings are.
    """
    if worst(there) == "wrong":
        # The rest would only say the same once more.
        return [partial(look_at_template_right, engine, settings.prefix)] if loading else []
    looks: list[Look] = [partial(look_at_rights, engine, settings.prefix)]
    if loading:
        looks.append(partial(look_at_loading_rights, engine, settings.prefix))
    looks.append(partial(_clock, engine))
    if usable.level != "wrong":
        looks.append(partial(_accounts, engine, settings))
    return looks


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
        try:
            engine = Engine.from_settings(msgspec.structs.replace(settings, es_url=address))
        except SettingsError as error:
            yield wrong(what, f"is not asked: {error}", "correct it")
            return
        try:
            await engine.ping()
        except EngineRefuses as error:
            yield warning(what, f"answers: {error}", "see below")
        except EngineUnavailable as error:
            remedy = "start it, or take it out of EDGAR_SEARCH_ES_URL"
            if address.startswith("https:"):
                remedy += "; where it runs, look at EDGAR_SEARCH_ES_CA"
            yield wrong(what, f"does not answer: {error}", remedy)
        except EdgarSearchError as error:
            remedy = "look whether EDGAR_SEARCH_ES_URL has its address, without any path"
            yield wrong(what, f"does not answer as Elasticsearch does: {error}", remedy)
        else:
            yield ok(what, "answers, and documents can be searched")
        finally:
            await engine.close()


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
        remedy = (
            f"add them to EDGAR_SEARCH_PLANS; till then the limits of {plans.default.name} count"
        )
        return [warning("accounts", text, remedy)]
    return [ok("accounts", f"{len(keys)} keys, all on plans that are set")]
