"""Options and arguments of `edgar-search`."""

import argparse
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from edgar_search.access.api_keys import MAX_OVERLAP_HOURS
from edgar_search.api.cursor import CURSOR
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.commands.output import OUTPUTS, TEXT
from edgar_search.edgar.form_types import forms_named
from edgar_search.settings import VARIABLE_PREFIX
from edgar_search.web.v1.search import SEARCH

_QUERY = "query"
_OWN = (API_KEY.name, _QUERY, CURSOR.name)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the query and all options."""
    parser.add_argument(_QUERY, help="in the query language")
    parser.add_argument(
        "--format", choices=tuple(OUTPUTS), default=TEXT, help=f"default {TEXT}, for people"
    )
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
    add_parameters(parser, SEARCH, _OWN)


def add_parameters(
    parser: argparse.ArgumentParser, endpoint: Endpoint, without: Sequence[str]
) -> None:
    """Add an option for each parameter of an endpoint."""
    group = parser.add_argument_group("filters and fields")
    for parameter in _parameters(endpoint, without):
        group.add_argument(f"--{parameter.name.replace('_', '-')}", **argparse_options(parameter))


def raw_parameters(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the given parameters of `/v1/search` in the form of a query string."""
    return {_QUERY: [options.query], **given_parameters(options, SEARCH, _OWN)}


def given_parameters(
    options: argparse.Namespace, endpoint: Endpoint, without: Sequence[str]
) -> dict[str, list[str]]:
    """Return the given parameters of an endpoint in the form of a query string."""
    given = {}
    for parameter in _parameters(endpoint, without):
        value = getattr(options, parameter.name)
        if value:
            given[parameter.name] = value if isinstance(value, list) else [str(value).lower()]
    for name in ("form_type", "form_family"):
        if name in given:
            texts = [item for value in given[name] for item in items(value)]
            given[name] = [",".join(forms_named(texts))]
    return given


def _parameters(endpoint: Endpoint, without: Sequence[str]) -> Iterator[Parameter]:
    return (parameter for parameter in endpoint.parameters if parameter.name not in without)


def argparse_options(parameter: Parameter) -> dict[str, Any]:
    """Return the options of argparse for a parameter; the reader checks its values."""
    shown = _LINK.sub(r"\1", parameter.description).replace("`", "").replace("%", "%%")
    if parameter.kind == "flag":
        return {"action": "store_true", "help": shown}
    if parameter.default is not None:
        shown = f"{shown} (default {parameter.default})"
    if parameter.kind == "choice":
        return {"choices": parameter.choices, "help": shown}
    if parameter.kind == "list":
        return {"action": "append", "metavar": "ITEMS", "help": f"{shown}; comma-separated"}
    return {"metavar": parameter.kind.upper(), "help": shown}


def items(text: str) -> list[str]:
    """Read a comma-separated list without empty items."""
    return [item.strip() for item in text.split(",") if item.strip()]


def moment(text: str) -> datetime:
    """Read a day, as its first moment in UTC, or a time with its zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a date; use YYYY-MM-DD") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def hours(text: str) -> int:
    """Read the hours for which a rotated key still works."""
    if not text.isdecimal() or int(text) > MAX_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(
            f"{text} is not a number of hours from 0 to {MAX_OVERLAP_HOURS}"
        )
    return int(text)
