"""The command `edgar-search`: its parser and its exit."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from edgar_search.commands.options import (
    add_facts_options,
    add_listen_options,
    add_screen_options,
    add_search_options,
    add_similar_options,
    add_statements_options,
    items,
    moment,
)
from edgar_search.commands.prerequisites import DEFAULT_HOST, DEFAULT_PORT, port_number
from edgar_search.errors import EdgarSearchError, error_message
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.settings.command_lines import program_parser, show_examples
from edgar_search.settings.values import positive, workers

DEFAULT_URL = "http://127.0.0.1:8000"
Add = Callable[[argparse.ArgumentParser], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = make_parser(words[0] if words else "")
    if not words:
        parser.print_help()
        return 0
    options = parser.parse_args(words)
    try:
        module, _, name = options.run.partition(":")
        run = getattr(import_module(f"edgar_search.commands.{module}"), name)
        return int(run(Settings.from_environ(os.environ), options))
    except EdgarSearchError as error:
        from edgar_search.metrics.masking import without_keys  # imported only for errors

        # A key may be given instead of its id, and this output may be kept.
        print(f"edgar-search: {without_keys(error_message(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has closed the output; Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def make_parser(command: str) -> argparse.ArgumentParser:
    """Make the parser of a command line that begins with `command`."""
    return program_parser(
        "edgar-search", "Lookups and full-text search over SEC EDGAR filings.", COMMANDS, command
    )


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="serve:run")
    _add_address(parser)
    parser.add_argument("--workers", type=workers, default=1, help="processes (default 1)")
    show_examples(parser, "", "--port 8001", "--host 0.0.0.0 --workers 4")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="run:run")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "input", nargs="?", type=Path, help="a file or folder to load instead of the samples"
    )
    what.add_argument(
        "--company",
        help="fetch the last year's reports of this company from EDGAR instead: a ticker, a CIK"
        f" or a name; needs {VARIABLE_PREFIX}CONTACT",
    )
    _add_address(parser)
    show_examples(parser, "", "--company AAPL", "filings/ --port 8001")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="search:run")
    add_search_options(parser)
    show_examples(
        parser,
        "'\"material weakness\" NOT restatement' --form-type 10-K",
        "'chief executive retire' --word-forms all --from-date 2024-01-01",
        "'impair*' --all --format csv",
    )


def _add_statements(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="financials:run_statements")
    add_statements_options(parser)
    show_examples(
        parser,
        "AAPL",
        "AAPL --statement balance_sheet --format csv",
        "320193 --as-of 2020-12-31",
    )


def _add_facts(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="financials:run_facts")
    add_facts_options(parser)
    show_examples(
        parser,
        "--ticker AAPL --item revenue",
        "--item net_income --fiscal-year 2024 --sort largest --limit 20",
        "--cik 320193 --concept us-gaap:Assets --all --format csv",
    )


def _add_screen(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="screens:run")
    add_screen_options(parser)
    show_examples(
        parser,
        "--figures 'revenue<previous*0.9,net_income<0' --query '\"going concern\"'",
        "--figures 'goodwill>equity' --columns company,goodwill,equity --group company",
        "--form-type 10-K --with '8-K:4.01,365d' --all --format csv",
    )


def _add_listen(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="listen:run")
    add_listen_options(parser)
    show_examples(
        parser, "", "--form-type 8-K --exec 'tee -a new.jsonl'", f"--url {DEFAULT_URL} --after 0"
    )


def _add_mcp(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="mcp:run")
    parser.add_argument(
        "--url", default=DEFAULT_URL, help=f"the address of the service (default {DEFAULT_URL})"
    )
    parser.add_argument("--key", help=f"its API key; better in {VARIABLE_PREFIX}KEY")
    show_examples(parser, "", "--url https://filings.example", "--key sk_live_...")


def _add_alerts(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="alerts:run")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--once", action="store_true", help="match waiting documents, then end")
    how.add_argument("--status", action="store_true", help="print the state of alerts, as JSON")
    show_examples(parser, "", "--once", "--status")


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="doctor:run")
    parser.add_argument(
        "--loading", action="store_true", help="also check the rights to load filings"
    )
    parser.add_argument("--mail", metavar="ADDRESS", help="also send a test mail to this address")
    show_examples(parser, "", "--loading", "--mail me@example.com", "> findings.txt")


def _add_mail(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="mail:run")
    parser.add_argument(
        "action", choices=("block", "allow"), help="send an address no mail any more, or allow it"
    )
    parser.add_argument("address", help="the mail address")
    show_examples(parser, "block me@example.com", "allow me@example.com", "block info@example.org")


def _add_token(parser: argparse.ArgumentParser) -> None:
    from edgar_search.access.tokens.local_issuer import DEFAULT_LIFETIME  # imported late: slow

    parser.set_defaults(run="keys:run")
    parser.add_argument("--sub", required=True, help="the user that the token names")
    parser.add_argument(
        "--lifetime",
        type=positive,
        default=DEFAULT_LIFETIME,
        help=f"seconds for which it is valid (default {DEFAULT_LIFETIME})",
    )
    show_examples(parser, "--sub ann", "--sub ann --lifetime 60", "--sub ann > token")


def _add_samples(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    load = actions.add_parser("load", help="load made-up filings, unless there are others")
    load.set_defaults(run="samples:load")
    remove = actions.add_parser("remove", help="delete the made-up filings of `edgar-search run`")
    remove.set_defaults(run="samples:remove")
    listing = actions.add_parser("list", help="print the numbers of those that are loaded")
    listing.set_defaults(run="samples:show")
    show_examples(parser, "load", "list", "remove")


def _add_clients(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    env = actions.add_parser(
        "env", help="print what to export, so that programs for EDGAR ask an installation instead"
    )
    env.set_defaults(run="clients:env")
    env.add_argument(
        "--url", default=DEFAULT_URL, help=f"the installation's address (default {DEFAULT_URL})"
    )
    env.add_argument("--key", help="an API key, if it needs one; default EDGAR_SEARCH_KEY")
    show_examples(env, "", "--url https://filings.example", "--key sk_live_...")
    show_examples(parser, "env", "env --url https://filings.example", "env --key sk_live_...")


def _add_check_draft(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="drafts:run")
    parser.add_argument(
        "file",
        type=Path,
        help="a text or Markdown in UTF-8, a Word document (.docx), or - for the input",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="lines for people, or of JSON"
    )
    show_examples(parser, "memo.md", "memo.txt --format json", "-")


def _add_similar(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="similar:run")
    add_similar_options(parser)
    show_examples(
        parser,
        "clause.txt --form-type 8-K",
        "--document-id 0000320193-24-000123-1 --start 4000 --length 900",
        "- --sort newest --format json",
    )


def _add_sets(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    write = actions.add_parser(
        "write",
        help="write all that is loaded as Parquet files, by set and year, as far as changed",
    )
    write.set_defaults(run="sets:write")
    write.add_argument("folder", type=Path, help="the folder of the files and their manifest")
    write.add_argument(
        "--only",
        type=items,
        help="only these sets, comma-separated: filings, documents, facts, insider_trades,"
        " insider_holdings, stakes, planned_sales, holdings, statement_lines, sections, and those"
        " in the SEC's layout, such as sec_financial_num and sec_insider_submission",
    )
    show_examples(write, "sets/", "sets/ --only facts,filings", "/srv/sets")
    show_examples(parser, "write sets/", "write sets/ --only facts,filings", "write /srv/sets")


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default=DEFAULT_HOST, help=f"the address to listen at (default {DEFAULT_HOST})"
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        help=f"the port to listen at (default {DEFAULT_PORT})",
    )


def _add_engine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, action, text in (
        ("up", "engine:up", "install it, start it in the background, and print its URL"),
        ("down", "engine:down", "stop it"),
        ("status", "engine:status", "print its URL, or exit 1"),
        ("java", "engine:java", "print the Java that it runs on, or exit 1"),
    ):
        one = actions.add_parser(name, help=text)
        one.set_defaults(run=action)
    show_examples(parser, "up", "status", "down")


def _add_keys(parser: argparse.ArgumentParser) -> None:
    from edgar_search.commands.given import hours  # imported late: its bound is the API module's

    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a key and print it alone on the last line")
    create.set_defaults(run="keys:create")
    create.add_argument("--name", required=True, help="what the key is for, or whose it is")
    create.add_argument("--account", help="the account of the key (default: the key's name)")
    create.add_argument("--plan", help="put the account on this plan (default: no change)")
    create.add_argument("--scopes", type=items, help="endpoints, comma-separated (default: all)")
    create.add_argument("--expires", type=moment, help="a date, YYYY-MM-DD (UTC), or a time")
    show_examples(
        create,
        "--name ann",
        "--name nightly --account ann --scopes v1/search,v1/lookup --expires 2027-01-31",
        "--name team --plan unlimited",
    )
    list_keys = actions.add_parser("list", help="all keys, newest first")
    list_keys.set_defaults(run="keys:show")
    list_keys.add_argument("--account", help="only this account's")
    show_examples(list_keys, "", "--account ann")
    rotate = actions.add_parser("rotate", help="replace a key by a new one; print it last")
    rotate.set_defaults(run="keys:rotate")
    rotate.add_argument("id", help="the old key's id, as `list` shows it")
    rotate.add_argument(
        "--overlap",
        type=hours,
        default=24,
        help="hours that the old key still works (default 24)",
    )
    show_examples(rotate, "ID", "ID --overlap 0", "ID --overlap 168")
    revoke = actions.add_parser("revoke", help="refuse a key from now on")
    revoke.set_defaults(run="keys:revoke")
    revoke.add_argument("id", help="the key's id, as `list` shows it")
    show_examples(revoke, "ID")
    show_examples(parser, "create --name ann", "list --account ann", "rotate ID --overlap 48")


def _add_accounts(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list accounts: id, plan, e-mail address, state")
    listing.set_defaults(run="accounts:list_all")
    listing.add_argument("--email", help="only accounts with this e-mail address")
    listing.add_argument("--suspended", action="store_true", help="only suspended accounts")
    show_examples(listing, "", "--suspended", "--email ann@example.com")
    for name, handler, text in (
        ("show", "accounts:show", "show an account, and how many items it has"),
        ("export", "accounts:export", "print all that is stored of an account, as JSON lines"),
        ("suspend", "accounts:suspend", "refuse all use of an account until it is resumed"),
        ("resume", "accounts:resume", "let a suspended account be used again"),
        ("delete", "accounts:delete", "delete an account with all its data, for good"),
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
        show_examples(
            action,
            "ann",
            "ann@example.com",
            "--issuer https://login.example --subject 248289761001",
        )
    action.add_argument("--yes", action="store_true", help="do not ask on the terminal")
    show_examples(parser, "list --suspended", "show ann@example.com", "delete ann --yes")


COMMANDS: dict[str, tuple[str, Add]] = {
    "run": ("engine, filings, a development key and the service: for a first look", _add_run),
    "serve": ("serve the API and the pages", _add_serve),
    "search": ("print the results of a search", _add_search),
    "statements": ("print the financial statements of a filing", _add_statements),
    "facts": ("print the figures that filings report", _add_facts),
    "screen": ("print reports as a table of figures and words", _add_screen),
    "listen": ("print filings as they are loaded or changed", _add_listen),
    "mcp": ("tools of MCP over standard input and output", _add_mcp),
    "keys": ("make, list, replace and revoke API keys", _add_keys),
    "token": ("print a bearer token for development", _add_token),
    "accounts": ("list, export, suspend and delete accounts of users", _add_accounts),
    "alerts": ("match arriving documents against alert triggers", _add_alerts),
    "check-draft": ("check the quotes, citations and numbers of a text", _add_check_draft),
    "similar": ("print passages like a text, with the words that differ", _add_similar),
    "sets": ("write all that is loaded as Parquet files", _add_sets),
    "clients": ("send programs for EDGAR to an installation", _add_clients),
    "samples": ("load and remove the made-up filings", _add_samples),
    "engine": ("start and stop the embedded Elasticsearch", _add_engine),
    "doctor": ("check the installation", _add_doctor),
    "mail": ("take a mail address out, or let it be used again", _add_mail),
}


if __name__ == "__main__":
    sys.exit(main())
