"""The command `edgar-search`."""

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from edgar_search.access.accounts import Accounts
from edgar_search.access.api_keys import MAX_OVERLAP_HOURS, ApiKeys, ends_at, is_valid
from edgar_search.access.key_format import without_keys
from edgar_search.access.limits.plans import Plans
from edgar_search.access.limits.rates import Rates
from edgar_search.access.tokens.local_issuer import (
    DEFAULT_LIFETIME,
    LocalIssuer,
    refuse_unless_loopback,
)
from edgar_search.alerts.matcher import Alerts
from edgar_search.alerts.status import status
from edgar_search.commands.run import run
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.api_key import StoredApiKey
from edgar_search.web.server import serve

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8000
MAX_PORT = 65_535


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(Settings.from_environ(os.environ), options))
    except EdgarSearchError as error:
        # A key may be given where its id belongs, and what is printed here may be kept.
        print(f"edgar-search: {without_keys(str(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _serve(settings: Settings, options: argparse.Namespace) -> int:
    # Workers read the environment themselves; here what is wrong is told before they start.
    refuse_unless_loopback(settings, options.host)
    embedded.resolve(settings)
    Plans.from_settings(settings)
    Rates.from_settings(settings)
    serve(options.host, options.port, options.workers)
    return 0


def _run(settings: Settings, options: argparse.Namespace) -> int:
    return run(settings, options.input, options.host, options.port)


def _token(settings: Settings, options: argparse.Namespace) -> int:
    token = LocalIssuer(settings.absolute_home).token(options.sub, options.lifetime)
    print(f"for {options.sub}, {options.lifetime} seconds; taken by a service with the same home")
    print("and EDGAR_SEARCH_LOCAL_ISSUER=true:")
    print(token)
    return 0


def _alerts(settings: Settings, options: argparse.Namespace) -> int:
    async def show(engine: Engine) -> None:
        print(msgspec.json.encode(await status(engine)).decode())

    async def once(engine: Engine) -> None:
        counts = await Alerts(engine, settings, Tickers(engine)).once()
        print(json.dumps(counts._asdict()))

    async def tend(engine: Engine) -> None:
        work = asyncio.create_task(Alerts(engine, settings, Tickers(engine)).tend())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, work.cancel)
        with suppress(asyncio.CancelledError):
            await work

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    # Its lines would hold what users watch for.
    logging.getLogger("elastic_transport").setLevel(logging.WARNING)
    return _with_engine(settings, show if options.status else once if options.once else tend)


def _engine_up(settings: Settings, options: argparse.Namespace) -> int:
    running = embedded.up(settings, lambda line: print(line, file=sys.stderr))
    print(running.url)
    return 0


def _engine_down(settings: Settings, options: argparse.Namespace) -> int:
    print("stopped" if embedded.down(settings) else "no embedded engine was running")
    return 0


def _engine_status(settings: Settings, options: argparse.Namespace) -> int:
    running = embedded.status(settings)
    if running is None:
        print("the embedded engine is not running", file=sys.stderr)
        return 1
    print(running.url)
    return 0


def _keys_create(settings: Settings, options: argparse.Namespace) -> int:
    account = options.account or options.name

    async def create(engine: Engine) -> None:
        accounts = Accounts(engine, Plans.from_settings(settings))
        if options.plan is not None:
            accounts.plans.check(options.plan)
        made = await ApiKeys(engine).create(options.name, account, options.scopes, options.expires)
        # Last, so that a key that is refused leaves the account on the plan it had.
        if options.plan is not None:
            await accounts.set_plan(account, options.plan)
        plan = (await accounts.read(account)).plan
        print(f"id {made.stored.id}, account {account}, plan {plan}; the key is shown this once:")
        print(made.key)

    return _with_engine(settings, create)


def _keys_list(settings: Settings, options: argparse.Namespace) -> int:
    async def show(engine: Engine) -> None:
        plans = Plans.from_settings(settings)
        keys = await ApiKeys(engine).list(options.account)
        for key in keys:
            scopes = ",".join(key.scopes) if key.scopes else "all"
            created = f"{key.created_at:%Y-%m-%d %H:%M}"
            shown = [key.id, f"{key.prefix}...", key.name, key.account, created]
            print("\t".join([*shown, _state(key), scopes, _used(key)]))
        unknown = await Accounts(engine, plans).on_unknown_plans(key.account for key in keys)
        for account, plan in unknown.items():
            instead = f"it has the limits of {plans.default.name}"
            print(f"account {account}: no plan is called {plan} here; {instead}", file=sys.stderr)

    return _with_engine(settings, show)


def _used(key: StoredApiKey) -> str:
    return f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"


def _state(key: StoredApiKey) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at:%Y-%m-%d %H:%M}"
    ends = ends_at(key)
    if ends:
        verb = "expires" if is_valid(key, datetime.now(UTC)) else "expired"
        return f"{verb} {ends:%Y-%m-%d %H:%M}"
    return "active"


def _keys_rotate(settings: Settings, options: argparse.Namespace) -> int:
    async def rotate(engine: Engine) -> None:
        made = await ApiKeys(engine).rotate(options.id, None, timedelta(hours=options.overlap))
        print(f"id {made.stored.id}; the old key works for {options.overlap} h; the new one is:")
        print(made.key)

    return _with_engine(settings, rotate)


def _keys_revoke(settings: Settings, options: argparse.Namespace) -> int:
    async def revoke(engine: Engine) -> None:
        stored = await ApiKeys(engine).revoke(options.id)
        print(f"revoked {stored.id} ({stored.name})")

    return _with_engine(settings, revoke)


def _with_engine(settings: Settings, action: Callable[[Engine], Awaitable[None]]) -> int:
    async def act() -> None:
        engine = Engine.from_settings(embedded.resolve(settings))
        try:
            await action(engine)
        finally:
            await engine.close()

    asyncio.run(act())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="edgar-search", description="Look-ups and full-text search over SEC EDGAR filings."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serving = commands.add_parser("serve", help="serve the API")
    serving.set_defaults(run=_serve)
    _add_address(serving)
    serving.add_argument("--workers", type=_positive, default=1, help="processes (default 1)")
    running = commands.add_parser("run", help="engine, samples, a development key and the service")
    running.set_defaults(run=_run)
    running.add_argument("input", nargs="?", type=Path, help="load this instead of the samples")
    _add_address(running)
    _add_engine(commands.add_parser("engine", help="the embedded Elasticsearch"))
    _add_keys(commands.add_parser("keys", help="API keys"))
    alerts = commands.add_parser("alerts", help="match what arrives against alert triggers")
    alerts.set_defaults(run=_alerts)
    how = alerts.add_mutually_exclusive_group()
    how.add_argument("--once", action="store_true", help="match what waits now, and end")
    how.add_argument("--status", action="store_true", help="print how alerts stand, as JSON")
    token = commands.add_parser("token", help="print a bearer token for development")
    token.set_defaults(run=_token)
    token.add_argument("--sub", required=True, help="the user that the token names")
    token.add_argument(
        "--lifetime",
        type=_positive,
        default=DEFAULT_LIFETIME,
        help=f"seconds that it is valid (default {DEFAULT_LIFETIME})",
    )
    return parser


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=DEFAULT_HOST)
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT)


def _add_engine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, action, text in (
        ("up", _engine_up, "get and start it; it runs on; prints its URL"),
        ("down", _engine_down, "stop it"),
        ("status", _engine_status, "print its URL, or exit 1"),
    ):
        actions.add_parser(name, help=text).set_defaults(run=action)


def _add_keys(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a key and print it alone on the last line")
    create.set_defaults(run=_keys_create)
    create.add_argument("--name", required=True)
    create.add_argument("--account", help="whose key it is (default: the key's name)")
    create.add_argument("--plan", help="put the account on this plan (default: as it is)")
    create.add_argument("--scopes", type=_items, help="endpoints, comma-separated (default: all)")
    create.add_argument("--expires", type=_moment, help="a date, YYYY-MM-DD (UTC), or a time")
    shown = actions.add_parser("list", help="all keys, newest first")
    shown.set_defaults(run=_keys_list)
    shown.add_argument("--account", help="only this account's")
    rotate = actions.add_parser("rotate", help="make a key in the place of another; print it last")
    rotate.set_defaults(run=_keys_rotate)
    rotate.add_argument("id", help="the old key's id, as `list` shows it")
    rotate.add_argument(
        "--overlap", type=_hours, default=24, help="hours that the old key works on (default 24)"
    )
    revoke = actions.add_parser("revoke", help="refuse a key from now on")
    revoke.set_defaults(run=_keys_revoke)
    revoke.add_argument("id", help="the key's id, as `list` shows it")


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _moment(text: str) -> datetime:
    """The first moment of a day in UTC, or a time with its zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no date; use YYYY-MM-DD") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _hours(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(f"{text} is no number of hours to {MAX_OVERLAP_HOURS}")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text} is no port from 0 to {MAX_PORT}")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
