"""Options and arguments of `edgar-search`, without importing endpoints.

That import takes seconds, but help must appear at once: the parameters of endpoints are in
`parameters.json`, which `make tables` writes.
"""

import argparse
import json
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from edgar_search.settings import VARIABLE_PREFIX

PARAMETERS = files(__package__).joinpath("parameters.json")
# Formats of results; the first is for people.
FORMATS = ("text", "jsonl", "csv")


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the query and all options of `edgar-search search`."""
    parser.add_argument("query", help="in the query language")
    _add_format(parser)
    parser.add_argument("--all", action="store_true", help="print all results, not one page")
    parser.add_argument(
        "--url",
        help="ask the service at this address, such as https://filings.example; else"
        " Elasticsearch itself is searched, as the settings say",
    )
    parser.add_argument(
        "--key",
        help=f"with --url: the API key; better in {VARIABLE_PREFIX}KEY, since other users"
        " of the machine can see arguments of commands",
    )
    _add_parameters(parser, "search")


def add_statements_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `edgar-search statements`."""
    parser.add_argument("company", nargs="?", help="its ticker, in any case, or its CIK")
    _add_format(parser)
    _add_parameters(parser, "statements")


def add_facts_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `edgar-search facts`."""
    _add_format(parser)
    parser.add_argument("--all", action="store_true", help="print all facts, not one page")
    _add_parameters(parser, "facts")


def add_screen_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `edgar-search screen`."""
    _add_format(parser)
    parser.add_argument("--all", action="store_true", help="print all rows, not one page")
    _add_parameters(parser, "screen")


def add_similar_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `edgar-search similar`."""
    parser.add_argument(
        "file", nargs="?", type=Path, help="a text in UTF-8, or - for the input; else --document-id"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="lines for people, or JSON"
    )
    _add_parameters(parser, "similar")


def add_listen_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `edgar-search listen`, and the filters of the stream."""
    parser.add_argument("--url", help="listen to the service at this address, else to the log")
    parser.add_argument("--key", help=f"with --url: the API key; better in {VARIABLE_PREFIX}KEY")
    parser.add_argument(
        "--exec", metavar="COMMAND", help="run this for each event, with its JSON as the input"
    )
    _add_parameters(parser, "listen")


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], help="default text, for people"
    )


def _add_parameters(parser: argparse.ArgumentParser, command: str) -> None:
    """Add an option for each parameter of the endpoint that a command calls."""
    group = parser.add_argument_group("filters and fields")
    for name, about in json.loads(PARAMETERS.read_text())[command].items():
        group.add_argument(name, **about)


def items(text: str) -> list[str]:
    """Parse a comma-separated list, dropping empty items."""
    return [item.strip() for item in text.split(",") if item.strip()]


def moment(text: str) -> datetime:
    """Parse a day, as its first moment in UTC, or a time with its zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a date; use YYYY-MM-DD") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
