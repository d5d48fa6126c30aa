"""What an installation has beside Elasticsearch: settings, home, archive, issuer."""

import errno
import os
import shutil
import uuid
from pathlib import Path

from edgar_search.access.limits.plans import Plans
from edgar_search.access.limits.rates import Rates
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.access.tokens.issuer_client import IssuerClient, authentication
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.archive.opening import open_archive
from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.errors import EdgarSearchError, Unavailable
from edgar_search.http_client import HttpClient
from edgar_search.search.index_members import IndexMembers
from edgar_search.settings import Settings
from edgar_search.settings.shards import shards_of

_GB = 1_000_000_000


def look_at_settings(settings: Settings) -> Finding:
    """Whether the settings can be used, with the files that they name."""
    try:
        plans = Plans.from_settings(settings)
        Rates.from_settings(settings)
        IndexMembers.from_file(settings.index_members)
        UserRules.from_settings(settings)
        authentication(settings)
    except EdgarSearchError as error:
        return wrong("settings", str(error), "correct it")
    if idle := _without_effect(settings):
        return warning("settings", f"{idle} without effect", "set EDGAR_SEARCH_PARTITION=year")
    return ok("settings", f"can be used; plans {', '.join(plan.name for plan in plans.all())}")


def _without_effect(settings: Settings) -> str:
    """What says something of years that are not apart; nothing where they are."""
    if settings.partition == "year":
        return ""
    of_years = [
        f"EDGAR_SEARCH_SHARDS={index}" for index in shards_of(settings.shards) if "." in index
    ]
    if settings.partition_from:
        of_years.append(f"EDGAR_SEARCH_PARTITION_FROM={settings.partition_from}")
    return f"{', '.join(of_years)} {'are' if len(of_years) > 1 else 'is'}" if of_years else ""


def look_at_places(settings: Settings) -> list[Finding]:
    """The home, the archive and their disks; the archive is tried by a file that goes again."""
    home, archive = settings.absolute_home, settings.archive_place.folder
    if home_wrong := _unusable(home):
        # An archive in it has no other cause.
        findings = [home_wrong]
        apart = not settings.archive or archive is None or not archive.is_relative_to(home)
        return [*findings, _archive(settings)] if apart else findings
    disks = {_existing(home): ["home"]}
    if settings.archive and archive is not None:
        same = next((each for each in disks if _disk(each) == _disk(_existing(archive))), None)
        disks.setdefault(same or _existing(archive), []).append("archive")
    findings = [_room(settings, folder, of) for folder, of in disks.items()]
    full = any(each.level == "wrong" and "archive" in each.what for each in findings)
    return findings if full else [*findings, _archive(settings)]


def _unusable(home: Path) -> Finding | None:
    there = _existing(home)
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    text = f"{there} is no folder that may be written to"
    return wrong("home", text, "set EDGAR_SEARCH_HOME, or give access to it")


def _existing(folder: Path) -> Path:
    """The folder, or the one above it that is there, in which it would be made."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _disk(folder: Path) -> int:
    return folder.stat().st_dev


def _room(settings: Settings, folder: Path, of: list[str]) -> Finding:
    disk, what = shutil.disk_usage(folder), f"disk of the {' and the '.join(of)}"
    text = f"{disk.free / _GB:.1f} GB are free at {folder}"
    # What has no bytes at all, as /proc, is no disk; trying the archive says what it is.
    if disk.free >= settings.free_bytes or not disk.total:
        return ok(what, text)
    larger = "set EDGAR_SEARCH_HOME to a folder on a larger disk"
    if "archive" in of:
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
        return wrong("archive", "what was written was not read", "look at its store")
    return ok("archive", f"{url} can be written and read")


async def look_at_issuer(settings: Settings) -> Finding:
    """Look whether the issuer publishes keys, and accepts the pages as its client.

    Raises SettingsError for settings that `look_at_settings` finds wrong.
    """
    if settings.oidc_issuer is None and settings.local_issuer:
        return ok("issuer", "none but the local one, which is for development")
    if settings.oidc_issuer is None:
        return ok("issuer", "none is set; tokens are refused")
    async with HttpClient("edgar-search", 5.0) as http:
        tokens = Tokens(settings, http)
        try:
            await tokens.remote.published("")
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
            return wrong("issuer", text, "look at its token endpoint; nobody can sign in")
    if refusal is not None:
        return wrong(
            "issuer",
            f"{settings.oidc_issuer} does not accept the client {settings.oidc_client_id}:"
            f" {refusal}",
            "compare EDGAR_SEARCH_OIDC_CLIENT_ID, _SECRET, _AUTH and _KEY with the client there",
        )
    return ok("issuer", f"{settings.oidc_issuer} publishes keys, and knows the client")
