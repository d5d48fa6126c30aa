"""The command `edgar-search`: its parser, and the end of every command."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from edgar_search.access.tokens.local_issuer import DEFAULT_LIFETIME
from edgar_search.commands import (
    accounts,
    alerts,
    doctor,
    engine,
    financials,
    keys,
    listen,
    mcp,
    run,
    search,
    serve,
)
from edgar_search.commands.options import add_options, hours, items, moment
from edgar_search.commands.prerequisites import DEFAULT_HOST, DEFAULT_PORT, port_number
from edgar_search.errors import EdgarSearchError, error_message
from edgar_search.metrics.masking import without_keys
from edgar_search.settings import Settings
from edgar_search.settings.extras import PACKAGE
from edgar_search.settings.values import positive, workers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(Settings.from_environ(os.environ), options))
    except EdgarSearchError as error:
        # A key may be given in the place of its id, and this output may be kept.
        print(f"edgar-search: {without_keys(error_message(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has closed it; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="edgar-search", description="Lookups and full-text search over SEC EDGAR filings."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version(PACKAGE)}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serving = commands.add_parser("serve", help="serve the API")
    serving.set_defaults(run=serve.run)
    _add_address(serving)
    serving.add_argument("--workers", type=workers, default=1, help="processes (default 1)")
    running = commands.add_parser("run", help="engine, samples, a development key and the service")
    running.set_defaults(run=run.run)
    running.add_argument("input", nargs="?", type=Path, help="load this instead of the samples")
    _add_address(running)
    searching = commands.add_parser("search", help="print the results of a search")
    searching.set_defaults(run=search.run)
    add_options(searching)
    financials.add_statements_options(
        commands.add_parser("statements", help="print the financial statements of a filing")
    )
    financials.add_facts_options(
        commands.add_parser("facts", help="print the figures that filings report")
    )
    listening = commands.add_parser("listen", help="print filings as they are loaded or changed")
    listening.set_defaults(run=listen.run)
    listen.add_options(listening)
    reasoning = commands.add_parser("mcp", help="tools of MCP over standard input and output")
    reasoning.set_defaults(run=mcp.run)
    reasoning.add_argument(
        "--url", default=mcp.DEFAULT_URL, help=f"the service (default {mcp.DEFAULT_URL})"
    )
    reasoning.add_argument("--key", help="its API key; better in EDGAR_SEARCH_KEY")
    _add_engine(commands.add_parser("engine", help="the embedded Elasticsearch"))
    _add_keys(commands.add_parser("keys", help="API keys"))
    _add_accounts(commands.add_parser("accounts", help="accounts of users"))
    alerting = commands.add_parser("alerts", help="match arriving documents against alert triggers")
    alerting.set_defaults(run=alerts.run)
    how = alerting.add_mutually_exclusive_group()
    how.add_argument("--once", action="store_true", help="match waiting documents, then end")
    how.add_argument("--status", action="store_true", help="print the state of alerts, as JSON")
    examining = commands.add_parser("doctor", help="check the installation")
    examining.set_defaults(run=doctor.run)
    examining.add_argument(
        "--loading", action="store_true", help="also check the rights to load filings"
    )
    issuing = commands.add_parser("token", help="print a bearer token for development")
    issuing.set_defaults(run=keys.run)
    issuing.add_argument("--sub", required=True, help="the user that the token names")
    issuing.add_argument(
        "--lifetime",
        type=positive,
        default=DEFAULT_LIFETIME,
        help=f"seconds for which it is valid (default {DEFAULT_LIFETIME})",
    )
    return parser


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=DEFAULT_HOST)
    parser.add_argument("--port", type=port_number, default=DEFAULT_PORT)


def _add_engine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, action, text in (
        ("up", engine.up, "install it, start it in the background, and print its URL"),
        ("down", engine.down, "stop it"),
        ("status", engine.status, "print its URL, or exit 1"),
        ("java", engine.java, "print the Java that it runs on, or exit 1"),
    ):
        actions.add_parser(name, help=text).set_defaults(run=action)


def _add_keys(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a key and print it alone on the last line")
    create.set_defaults(run=keys.create)
    create.add_argument("--name", required=True)
    create.add_argument("--account", help="the account of the key (default: the key's name)")
    create.add_argument("--plan", help="put the account on this plan (default: no change)")
    create.add_argument("--scopes", type=items, help="endpoints, comma-separated (default: all)")
    create.add_argument("--expires", type=moment, help="a date, YYYY-MM-DD (UTC), or a time")
    shown = actions.add_parser("list", help="all keys, newest first")
    shown.set_defaults(run=keys.show)
    shown.add_argument("--account", help="only this account's")
    rotate = actions.add_parser("rotate", help="replace a key by a new one; print it last")
    rotate.set_defaults(run=keys.rotate)
    rotate.add_argument("id", help="the old key's id, as `list` shows it")
    rotate.add_argument(
        "--overlap",
        type=hours,
        default=24,
        help="hours that the old key still works (default 24)",
    )
    revoke = actions.add_parser("revoke", help="refuse a key from now on")
    revoke.set_defaults(run=keys.revoke)
    revoke.add_argument("id", help="the key's id, as `list` shows it")


def _add_accounts(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list accounts: id, plan, e-mail address, state")
    listing.set_defaults(run=accounts.list_all)
    listing.add_argument("--email", help="only accounts with this e-mail address")
    listing.add_argument("--suspended", action="store_true", help="only suspended accounts")
    for name, handler, text in (
        ("show", accounts.show, "show an account, and how many items it has"),
        ("suspend", accounts.suspend, "refuse all use of an account until it is resumed"),
        ("resume", accounts.resume, "let a suspended account be used again"),
        ("delete", accounts.delete, "delete an account with all its data, for good"),
    ):
        action = actions.add_parser(name, help=text)
        action.set_defaults(run=handler)
        action.add_argument(
            "name",
            nargs="?",
            metavar="NAME",
            help="the id of the account, or the e-mail address of its user",
        )
        action.add_argument("--id", help="the id of the account, even if it is also an address")
        action.add_argument("--issuer", help="the issuer (iss) of a user of OpenID Connect")
        action.add_argument("--subject", help="the subject (sub) of that user")
    action.add_argument("--yes", action="store_true", help="do not ask on the terminal")


if __name__ == "__main__":
    sys.exit(main())
