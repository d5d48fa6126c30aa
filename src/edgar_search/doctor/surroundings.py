"""What an installation has beside Elasticsearch: settings, home, archive, issuer."""

import os
import shutil
import uuid

from edgar_search.access.limits.plans import Plans
from edgar_search.access.limits.rates import Rates
from edgar_search.access.tokens.issuer_keys import IssuerKeys
from edgar_search.archive.opening import open_archive
from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.errors import EdgarSearchError
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


def look_at_home(settings: Settings) -> Finding:
    """Whether the home can be written to, and what is free on its disk."""
    home = settings.absolute_home
    there = next(each for each in (home, *home.parents) if each.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        text = f"{there} is no folder that may be written to"
        return wrong("home", text, "set EDGAR_SEARCH_HOME, or give access to it")
    free, what = shutil.disk_usage(there).free, "disk of the home"
    text = f"{free / _GB:.1f} GB are free at {there}"
    if free < settings.free_bytes:
        return wrong(what, text, "make room: loads stop (EDGAR_SEARCH_FREE_BYTES)")
    return ok(what, text)


def look_at_archive(settings: Settings) -> Finding:
    """Whether the archive can be written and read: by a file that goes again."""
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


async def look_at_issuer(settings: Settings) -> Finding:
    """Whether the issuer of tokens publishes keys."""
    if settings.oidc_issuer is None and settings.local_issuer:
        return ok("issuer", "none but the local one, which is for development")
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
