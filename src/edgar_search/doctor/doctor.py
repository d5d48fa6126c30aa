"""The doctor's report: checks in the order in which they depend on each other."""

import asyncio
import errno
import os
import shutil
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.rates import Rates
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.access.tokens.issuer_client import IssuerClient, authentication
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.alerts.mail_messages import Addresses, trial
from edgar_search.alerts.mail_server import MailServer
from edgar_search.archive.archive import open_archive
from edgar_search.doctor.addresses import look_at_addresses
from edgar_search.doctor.alerts import look_at_alerts
from edgar_search.doctor.findings import Curl, Finding, ok, warning, worst, wrong
from edgar_search.doctor.indices import (
    index_bytes,
    look_at_backups,
    look_at_indices,
    look_at_templates,
)
from edgar_search.doctor.nodes import look_at_nodes
from edgar_search.doctor.rights import (
    look_at_loading_rights,
    look_at_rights,
    look_at_template_right,
)
from edgar_search.document.pdf import FONTS_REMEDY, has_fonts, missing_parts
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.errors import (
    EdgarSearchError,
    EngineFault,
    EngineRefuses,
    EngineUnavailable,
    Unavailable,
)
from edgar_search.http_client import HttpClient
from edgar_search.search.tickers import IndexMembers
from edgar_search.settings import Settings
from edgar_search.settings.values import shards_of

_GB = 1_000_000_000


def look_at_settings(settings: Settings) -> Finding:
    """Check the settings, and the files that they name."""
    try:
        plans = Plans.from_settings(settings)
        Rates.from_settings(settings)
        IndexMembers.from_file(settings.index_members)
        UserRules.from_settings(settings)
        authentication(settings)
    except EdgarSearchError as error:
        return wrong("settings", str(error), "correct it")
    if idle := _ineffective_settings(settings):
        return warning("settings", f"{idle} without effect", "set EDGAR_SEARCH_PARTITION=year")
    return ok("settings", f"can be used; plans {', '.join(plan.name for plan in plans.all())}")


def _ineffective_settings(settings: Settings) -> str:
    """Name the settings about years that have no effect without an index for each year."""
    if settings.partition == "year":
        return ""
    of_years = [
        f"EDGAR_SEARCH_SHARDS={index}" for index in shards_of(settings.shards) if "." in index
    ]
    if settings.partition_from:
        of_years.append(f"EDGAR_SEARCH_PARTITION_FROM={settings.partition_from}")
    return f"{', '.join(of_years)} {'are' if len(of_years) > 1 else 'is'}" if of_years else ""


def look_at_places(settings: Settings) -> list[Finding]:
    """Check the home, the archive and their disks; writing a temporary file tests the archive."""
    home, archive = settings.absolute_home, settings.archive_place.folder
    if home_wrong := _unusable(home):
        # An archive inside the home fails for the same reason.
        findings = [home_wrong]
        apart = not settings.archive or archive is None or not archive.is_relative_to(home)
        return [*findings, _archive(settings)] if apart else findings
    disks = {_nearest_folder(home): ["home"]}
    if settings.archive and archive is not None:
        same = next(
            (disk for disk in disks if _disk(disk) == _disk(_nearest_folder(archive))), None
        )
        disks.setdefault(same or _nearest_folder(archive), []).append("archive")
    findings = [_room(settings, folder, names) for folder, names in disks.items()]
    full = any(finding.level == "wrong" and "archive" in finding.what for finding in findings)
    return findings if full else [*findings, _archive(settings)]


def _unusable(home: Path) -> Finding | None:
    existing = _nearest_folder(home)
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return None
    text = f"{existing} is not a folder that this user may write to"
    return wrong("home", text, "set EDGAR_SEARCH_HOME, or give this user access to it")


def _nearest_folder(folder: Path) -> Path:
    """Return the folder, or the nearest existing folder above it."""
    return next(candidate for candidate in (folder, *folder.parents) if candidate.exists())


def _disk(folder: Path) -> int:
    return folder.stat().st_dev


def _room(settings: Settings, folder: Path, names: list[str]) -> Finding:
    disk, what = shutil.disk_usage(folder), f"disk of the {' and the '.join(names)}"
    text = f"{disk.free / _GB:.1f} GB are free at {folder}"
    # A file system without capacity, such as /proc, is no disk; the check of the archive explains
    # more.
    if disk.free >= settings.free_bytes or not disk.total:
        return ok(what, text)
    larger = "set EDGAR_SEARCH_HOME to a folder on a larger disk"
    if "archive" in names:
        larger = "copy the archive to a larger disk and set EDGAR_SEARCH_ARCHIVE_URL to it"
    needed = f"{settings.free_bytes / _GB:.1f} GB"
    remedy = f"make room: loads stop below {needed} (EDGAR_SEARCH_FREE_BYTES); or {larger}"
    return wrong(what, text, remedy)


def _archive(settings: Settings) -> Finding:
    if not settings.archive:
        return warning("archive", "is off", "without it nothing can be loaded again from here")
    url = settings.archive_place.url
    path, content = f"doctor-{uuid.uuid4().hex}", b"edgar-search doctor"
    try:
        store = open_archive(settings.archive_place)
        store.put(path, [content], replace=False)
        read = b"".join(store.pieces(path, 0, len(content)))
        store.delete_all(path)
    except OSError as error:
        remedy = "give access to it"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "make room on its disk: there are no bytes, files or quota left"
        return wrong("archive", f"{url}: {error}", remedy)
    except EdgarSearchError as error:
        return wrong("archive", f"{url}: {error}", "give access to it")
    if read != content:
        return wrong("archive", "the file read differs from the file written", "look at its store")
    return ok("archive", f"{url} can be written and read")


async def look_at_issuer(settings: Settings) -> Finding:
    """Check that the issuer publishes keys, and accepts this service as its client.

    Raises SettingsError for settings that `look_at_settings` reports.
    """
    if settings.oidc_issuer is None and settings.local_issuer:
        return ok("issuer", "none but the local one, which is for development")
    if settings.oidc_issuer is None:
        return ok("issuer", "none is set; tokens are refused")
    async with HttpClient("edgar-search", 5.0) as http:
        tokens = Tokens(settings, http)
        try:
            await tokens.remote.find_keys("")
        except EdgarSearchError as error:
            return wrong("issuer", f"{settings.oidc_issuer}: {error}", "look at its address")
        finally:
            await tokens.close()
        if settings.oidc_client_id is None:
            return ok("issuer", f"{settings.oidc_issuer} publishes keys")
        try:
            refusal = await IssuerClient(settings, tokens, http).refusal()
        except Unavailable as error:
            text = f"{settings.oidc_issuer} publishes keys, but the client cannot be tried: {error}"
            return wrong("issuer", text, "check its token endpoint; nobody can sign in")
    if refusal is not None:
        return wrong(
            "issuer",
            f"{settings.oidc_issuer} does not accept the client {settings.oidc_client_id}:"
            f" {refusal}",
            "compare EDGAR_SEARCH_OIDC_CLIENT_ID, _SECRET, _AUTH and _KEY with the client there",
        )
    return ok("issuer", f"{settings.oidc_issuer} publishes keys, and knows the client")


async def look_at_mail(settings: Settings, address: str | None) -> list[Finding]:
    """Check that the mail server accepts this service, and any test mail to `address`."""
    if settings.smtp_host is None or settings.mail_from is None or settings.service_url is None:
        remedy = "set EDGAR_SEARCH_SMTP_HOST, or leave out --mail"
        return [wrong("mail", "no mail server is set", remedy)] if address else []
    server = MailServer(settings)
    try:
        await server.check()
        if address is None:
            return [ok("mail", f"{settings.smtp_host} lets this service in")]
        addresses = Addresses(settings.mail_from, address, settings.service_url)
        await server.send(trial(addresses, uuid.uuid4().hex), address)
    except EdgarSearchError as error:
        return [wrong("mail", str(error), "look at EDGAR_SEARCH_SMTP_* and at the server's log")]
    finally:
        await server.close()
    return [ok("mail", f"{settings.smtp_host} has taken a mail to {address}")]


Look = Callable[[], Awaitable[list[Finding]]]
# Clocks that a time server sets differ by less.
_LATE, _TOO_LATE = 2.0, 60.0
# If one of these is wrong, checks that query indices are left out.
_NEEDED = ("indices", "aliases", "closed", "red")
# Seconds that each check may take, and each of its requests.
_LOOK_SECONDS, _REQUEST_SECONDS = 20.0, 10.0


async def examine(
    settings: Settings, *, loading: bool = False, mail_to: str | None = None
) -> AsyncIterator[Finding]:
    """Run all checks, one after the other, each for a limited time.

    `loading` also checks the privileges for loading filings; `mail_to` gets a test mail. Checks
    that depend on a failed one are left out, since they would only repeat its finding.
    """
    usable = look_at_settings(settings)
    yield usable
    for finding in await _look_at_places(settings):
        yield finding
    if not missing_parts() and not await has_fonts():
        yield warning("PDF", "there are no fonts", FONTS_REMEDY)
    if usable.level != "wrong":
        yield await look_at_issuer(settings)
        for finding in await look_at_mail(settings, mail_to):
            yield finding
    try:
        settings = embedded.resolve(settings)
    except EngineUnavailable:
        text = "no address is set, and no embedded engine runs"
        yield wrong(
            "Elasticsearch", text, "set EDGAR_SEARCH_ES_URL, or run `edgar-search engine up`"
        )
        return
    reached = await look_at_addresses(settings)
    for finding in reached.findings:
        yield finding
    if not reached.answering:
        return
    settings = msgspec.structs.replace(
        settings,
        es_url=",".join(reached.answering),
        es_timeout=min(settings.es_timeout, _REQUEST_SECONDS),
    )
    engine = Engine.from_settings(settings)
    try:
        async for finding in _look_at_engine(engine, settings, usable, loading=loading):
            yield finding
    finally:
        await engine.close()


async def _look_at_places(settings: Settings) -> list[Finding]:
    """Check folders in a thread, since a network disk can hang for ever."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[list[Finding]] = loop.create_future()

    def give(findings: list[Finding]) -> None:
        if not result.done():
            result.set_result(findings)

    def look() -> None:
        try:
            findings = look_at_places(settings)
        except OSError as error:  # A folder above may be unreadable.
            findings = [
                wrong("home", str(error), "give this user access to it, or set EDGAR_SEARCH_HOME")
            ]
        with suppress(RuntimeError):  # The loop is closed: nobody waits for the findings.
            loop.call_soon_threadsafe(give, findings)

    threading.Thread(target=look, daemon=True).start()
    try:
        return await asyncio.wait_for(result, _LOOK_SECONDS)
    except TimeoutError:
        text = f"home and archive did not answer within {_LOOK_SECONDS:g} s"
        return [wrong("disk", text, "check the disk or the store that has them")]


async def _look_at_engine(
    engine: Engine, settings: Settings, usable: Finding, *, loading: bool
) -> AsyncIterator[Finding]:
    """Check Elasticsearch; stop at the first check that gets no answer."""
    prefix, curl = settings.prefix, Curl(settings)
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            nodes = await look_at_nodes(engine, await index_bytes(engine, prefix))
        disk_full = any(node.level == "wrong" and node.what.startswith("disk of") for node in nodes)
        for finding in nodes:
            yield finding
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                indices = await look_at_indices(engine, prefix, curl, disk_full=disk_full)
        except (EngineRefuses, EngineFault) as error:
            remedy = "check the account and its role: see the roles in docs/operations.md"
            yield wrong("indices", f"cannot be listed: {error}", remedy)
            return
        for finding in indices:
            yield finding
        there = [index for index in indices if index.what in _NEEDED]
        refused = False
        for look in _looks(engine, settings, there, usable, loading=loading):
            for finding in await _run_look(look):
                if refused and finding == _refusal(finding.text):
                    continue  # The missing privilege was already reported.
                refused = refused or finding.level == "wrong"
                yield finding
    except (EngineUnavailable, TimeoutError) as error:
        text = f"stopped answering: {error or f'nothing within {_LOOK_SECONDS:g} s'}"
        yield wrong("Elasticsearch", text, "check its log and its load, then run this again")


def _looks(
    engine: Engine, settings: Settings, there: list[Finding], usable: Finding, *, loading: bool
) -> list[Look]:
    """List the checks that need the indices; few if `there` says that they cannot be used.

    `usable` is the finding about the settings.
    """
    prefix = settings.prefix
    backups = partial(look_at_backups, engine, settings)
    if worst(there) == "wrong":
        missing = any(finding.what == "indices" and finding.level == "wrong" for finding in there)
        looks: list[Look] = [] if missing else [partial(look_at_templates, engine, prefix), backups]
        return [partial(look_at_template_right, engine, prefix), *looks] if loading else looks
    looks = [
        partial(look_at_templates, engine, prefix),
        partial(look_at_rights, engine, prefix),
    ]
    if loading:
        looks.append(partial(look_at_loading_rights, engine, prefix))
    looks += [partial(_clock, engine), partial(look_at_alerts, engine)]
    if usable.level != "wrong":
        looks.append(partial(_accounts, engine, settings))
    return [*looks, backups]


async def _run_look(look: Look) -> list[Finding]:
    """Run a check; a refusal is a finding. Raises if Elasticsearch is unavailable or too slow."""
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            return await look()
    except EdgarSearchError as error:
        if isinstance(error, EngineUnavailable) and not isinstance(error, EngineRefuses):
            raise
        return [_refusal(str(error))]


def _refusal(text: str) -> Finding:
    return wrong("Elasticsearch", text, "correct the faults above first")


async def _clock(engine: Engine) -> list[Finding]:
    engine_time = await engine.now("ledger", "seen_at")
    seconds = abs((datetime.now(UTC) - engine_time).total_seconds())
    text = f"{seconds:.1f} s from Elasticsearch's"
    if seconds > _TOO_LATE:
        return [wrong("clock", text, "set the clocks of both machines by a time server")]
    if seconds > _LATE:
        return [warning("clock", text, "set the clocks of both machines by a time server")]
    return [ok("clock", text)]


async def _accounts(engine: Engine, settings: Settings) -> list[Finding]:
    plans = Plans.from_settings(settings)
    keys = await ApiKeys(engine).list(None)
    unknown = await Accounts(engine, plans).on_unknown_plans(key.account for key in keys)
    if unknown:
        names = ", ".join(sorted(set(unknown.values())))
        text = f"{len(unknown)} accounts are on plans that are not set here: {names}"
        default = plans.default.name
        remedy = f"add them to EDGAR_SEARCH_PLANS; until then they have the limits of {default}"
        return [warning("accounts", text, remedy)]
    return [ok("accounts", f"{len(keys)} keys, all on plans that are set")]
