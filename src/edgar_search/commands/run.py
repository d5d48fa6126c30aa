"""`edgar-search run`: a whole service on one machine, for a first look and for development."""

import argparse
import asyncio
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from edgar_search.access.accounts import UNLIMITED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.rates import Rates
from edgar_search.access.tokens.issuer_client import authentication
from edgar_search.access.tokens.local_issuer import is_loopback, refuse_unless_loopback
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.archive.archive import require_store
from edgar_search.commands.prerequisites import (
    address_of,
    only_run,
    refuse_taken,
    refuse_unloadable,
)
from edgar_search.commands.serve import offer_pages
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.settings import VARIABLE_PREFIX, Settings, issuer
from edgar_search.web.server import serve_announced

# In a checkout the folder is beside the source, in a wheel inside the package.
_SAMPLES = (Path(__file__).parents[1] / "samples", Path(__file__).parents[3] / "samples")
# A word that the samples have, and that real filings have too.
EXAMPLE_QUERY = "revenue"
_DEVELOPMENT = "development"  # name of the key and of its account
_KEY_FILE = "development-key"
_LOCAL_ISSUER = VARIABLE_PREFIX + "LOCAL_ISSUER"
_PAGES = VARIABLE_PREFIX + "PAGES"
# Settings without which another shell would ask another installation.
_PLACE = ("ES_URL", "PREFIX")
# Exit statuses of `edgar-ingest`: all was loaded, or some was refused.
_LOADED = (0, 3)


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Start engine, templates, filings, key and service; existing ones are used again.

    It ends with the service, and stops the engine if it started it. Raises EdgarSearchError if a
    step fails.
    """
    source, host, port = options.input, options.host, options.port
    if source is not None:
        refuse_unloadable(source)
    with only_run(settings.absolute_home, address_of(host, port)):
        refuse_unless_loopback(settings, host)
        refuse_taken(host, port)
        Rates.from_settings(settings)
        require_store(settings.archive_place)
        return _run(settings, source, host, port)


def _run(settings: Settings, source: Path | None, host: str, port: int) -> int:
    tokens = offer_local_issuer(settings, host)
    offer_pages(settings, host)
    issuer.check_pages(settings.pages, settings.oidc_client_id, tokens)
    UserRules.from_settings(settings)
    authentication(settings)
    started = False
    if settings.es_url is None:
        running = embedded.up(settings, _say)
        started = running.started
        _say(f"Elasticsearch {running.version} answers at {running.url}")
    try:
        ready = embedded.resolve(settings)
        samples = next(folder for folder in _SAMPLES if folder.is_dir())
        _ingest("load", source or samples)
        if source is None:
            _ingest("tickers", samples / "company_tickers.json")
        key = asyncio.run(_development_key(ready))
        serve_announced(
            host, port, lambda bound: _greet(settings, key, tokens, address_of(host, bound))
        )
    except KeyboardInterrupt:
        pass  # The user ends the service.
    finally:
        if started:
            _say("stopping Elasticsearch")
            embedded.down(settings)
    return 0


def offer_local_issuer(settings: Settings, host: str) -> bool:
    """Say whether the service will accept tokens of the local issuer.

    On loopback it will, unless another issuer is configured or the environment says otherwise.
    """
    if settings.oidc_issuer is None and not os.environ.get(_LOCAL_ISSUER) and is_loopback(host):
        # The worker reads the environment itself.
        os.environ[_LOCAL_ISSUER] = "true"
        return True
    return settings.local_issuer


def _ingest(action: str, source: Path) -> None:
    """Load by the command of the write side, as an operator would."""
    _say(f"loading {source}")
    command = [sys.executable, "-m", "ingest.cli", action, str(source)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    _say(done.stdout.rstrip())
    if done.returncode not in _LOADED:
        raise EdgarSearchError(f"loading {source} failed")
    if action == "load" and not json.loads(done.stdout.splitlines()[-1])["seen"]:
        raise EdgarSearchError(f"INPUT: {source}: has no submissions; see docs/ingest.md")


async def _development_key(settings: Settings) -> str:
    """Return the key in the home folder, or a new one if that is not valid here."""
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
    """Write a file that others can never read, not even for a moment."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def _greet(settings: Settings, key: str, tokens: bool, address: str) -> None:
    _say(f"\nAPI key for development: {key}")
    _say("Try:\n")
    _say(f"  curl -H 'X-API-Key: {key}' '{address}v1/search?query={EXAMPLE_QUERY}'\n")
    if os.environ.get(_PAGES) == "open":
        _say(f"Or open {address} in a browser.\n")
    _say("Another key, from any folder:\n")
    _say(f"  {command(settings, os.environ)} keys create --name somebody\n")
    if tokens:
        _say("A bearer token for a user, from any folder:\n")
        _say(f"  {command(settings, os.environ)} token --sub somebody\n")
    _say("Ctrl-C stops the service.")


def command(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return `edgar-search` of this installation as any shell in any folder takes it."""
    given = {"HOME": str(settings.absolute_home)}
    given |= {name: environ.get(VARIABLE_PREFIX + name, "") for name in _PLACE}
    words = [f"{VARIABLE_PREFIX}{name}={value}" for name, value in given.items() if value]
    program = Path(sys.executable).with_name("edgar-search")
    return " ".join(shlex.quote(word) for word in ["env", *words, str(program)])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
