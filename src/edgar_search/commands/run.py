"""`edgar-search run`: a complete service on one machine, for a first look and for development."""

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import structs

from edgar_search.access.accounts import UNLIMITED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.rates import Rates
from edgar_search.access.tokens.issuer_client import authentication
from edgar_search.access.tokens.local_issuer import is_loopback, refuse_unless_loopback
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.archive.archive import require_store
from edgar_search.commands import samples
from edgar_search.commands.prerequisites import (
    address_of,
    only_run,
    refuse_taken,
    refuse_unloadable,
    refuse_without_contact,
)
from edgar_search.commands.serve import offer_mirror, offer_pages
from edgar_search.commands.write_side import ingest, say
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import VARIABLE_PREFIX, Settings, issuer
from edgar_search.web.server import serve_announced

# A word that occurs in the samples, and in real filings too.
EXAMPLE_QUERY = "revenue"
# Forms to fetch for a company: its reports, and its insiders' trades.
COMPANY_FORMS = "10-K,10-Q,8-K,20-F,40-F,6-K,DEF 14A,4"
_DEVELOPMENT = "development"  # the name of the key and of its account
_KEY_FILE = "development-key"
_LOCAL_ISSUER = VARIABLE_PREFIX + "LOCAL_ISSUER"
_PAGES = VARIABLE_PREFIX + "PAGES"
# Settings without which a command in another shell would use another installation.
_PLACE = ("ES_URL", "PREFIX")
# Settings of Elasticsearch for a first look. Java's second compiler would use half of the CPU
# during a start, and slow the first searches too. Elasticsearch would touch each page of its heap,
# in two processes, before it does anything. The classes come from a distribution whose hash was
# checked.
_FIRST_LOOK = (
    "-XX:TieredStopAtLevel=1 -XX:-AlwaysPreTouch"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Start engine, templates, filings, key and service, reusing those that exist.

    Ends with the service, and stops the engine if it has started it. Raises EdgarSearchError if a
    step fails.
    """
    source, company, host, port = options.input, options.company, options.host, options.port
    if source is not None:
        refuse_unloadable(source)
    if company is not None:
        refuse_without_contact(settings.contact)
    with only_run(settings.absolute_home, address_of(host, port)):
        refuse_unless_loopback(settings, host)
        refuse_taken(host, port)
        Rates.from_settings(settings)
        require_store(settings.archive_place)
        return _run(settings, source, company, host, port)


def _run(settings: Settings, source: Path | None, company: str | None, host: str, port: int) -> int:
    tokens = offer_local_issuer(settings, host)
    offer_pages(settings, host)
    offer_mirror(settings, host)
    issuer.check_pages(settings.pages, settings.oidc_client_id, tokens)
    UserRules.from_settings(settings)
    authentication(settings)
    started = False
    if settings.es_url is None:
        say("2 of 3: Elasticsearch")
        is_short = source is None and company is None and not settings.engine_java_options
        options = _FIRST_LOOK if is_short else settings.engine_java_options
        running = embedded.up(structs.replace(settings, engine_java_options=options), say)
        started = running.started
        say(f"Elasticsearch {running.version} answers at {running.url}")
    try:
        ready = embedded.resolve(settings)
        say("3 of 3: filings")
        _load(ready, source, company)
        key = asyncio.run(_development_key(ready))
        serve_announced(
            host, port, lambda bound: _greet(settings, key, tokens, address_of(host, bound))
        )
    except KeyboardInterrupt:
        pass  # The user has ended the service.
    finally:
        if started:
            say("stopping Elasticsearch")
            embedded.down(settings)
    return 0


def offer_local_issuer(settings: Settings, host: str) -> bool:
    """Return True if the service will accept tokens of the local issuer.

    It will on loopback, unless another issuer is configured or the environment says otherwise.
    """
    if settings.oidc_issuer is None and not os.environ.get(_LOCAL_ISSUER) and is_loopback(host):
        # The worker reads the environment itself.
        os.environ[_LOCAL_ISSUER] = "true"
        return True
    return settings.local_issuer


def _load(settings: Settings, source: Path | None, company: str | None) -> None:
    """Load the requested filings, or else the samples, which are never kept beside real filings."""
    has_source = source is not None or company is not None
    samples_found = asyncio.run(_find_samples(settings, remove=has_source))
    if company is not None:
        options = ("--company", company, "--forms", COMPANY_FORMS)
        ingest(f"fetching the reports of {company} from EDGAR", "fetch", *options)
    elif source is not None:
        ingest(f"loading {source}", "load", str(source))
    else:
        samples.load_samples(settings, samples_found, "--undelete")


async def _find_samples(settings: Settings, *, remove: bool) -> samples.Loaded:
    engine = Engine.from_settings(settings)
    try:
        loaded = await samples.find_before_load(engine)
        if remove and loaded.samples:
            say("removing the samples, which are made up")
            await samples.remove_samples(engine, loaded.samples)
        return loaded
    finally:
        await engine.close()


async def _development_key(settings: Settings) -> str:
    """Return the key in the home folder, or create one if that is missing or not valid here."""
    path = settings.absolute_home / _KEY_FILE
    engine = Engine.from_settings(settings)
    try:
        keys = ApiKeys(engine)
        if path.exists() and await keys.verify(path.read_text().strip()):
            return path.read_text().strip()
        plans = Plans.from_settings(settings)
        await Accounts(engine, plans).set_plan(_DEVELOPMENT, UNLIMITED.name)
        key, _ = await keys.create(_DEVELOPMENT, _DEVELOPMENT)
    finally:
        await engine.close()
    _write_private(path, key + "\n")
    return key


def _write_private(path: Path, text: str) -> None:
    """Write a file that no other user can read at any moment."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def _greet(settings: Settings, key: str, tokens: bool, address: str) -> None:
    program = command(settings, os.environ)
    pages = os.environ.get(_PAGES) == "open"
    say(f"\nReady: open {address} in a browser" if pages else f"\nReady at {address}")
    if pages and tokens:
        say("Sign in there with any name to keep alerts, links and API keys.")
    say("\nOr ask from a program:\n")
    say(f"  curl -H 'X-API-Key: {key}' '{address}v1/search?query={EXAMPLE_QUERY}'\n")
    say("Your own filings: make run COMPANY=AAPL, or make run INPUT=folder (README.md).")
    say(f"Another key, from any folder: {program} keys create --name ann")
    if tokens:
        say(f"A bearer token for a user: {program} token --sub ann")
    say("Ctrl-C stops the service.")


def command(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return how to call this installation's `edgar-search`, in any shell and folder."""
    variables = {"HOME": str(settings.absolute_home)}
    variables |= {name: environ.get(VARIABLE_PREFIX + name, "") for name in _PLACE}
    words = [f"{VARIABLE_PREFIX}{name}={value}" for name, value in variables.items() if value]
    program = Path(sys.executable).with_name("edgar-search")
    return " ".join(shlex.quote(word) for word in ["env", *words, str(program)])
