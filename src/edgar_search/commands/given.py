"""Parameters of endpoints: declared as options of commands, and read from them."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from edgar_search.access.api_keys import MAX_OVERLAP_HOURS
from edgar_search.api.cursor import CURSOR
from edgar_search.api.facts import FACTS
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.screen import SCREEN
from edgar_search.api.search import SEARCH
from edgar_search.api.similar import SIMILAR
from edgar_search.api.statements import STATEMENTS
from edgar_search.commands.options import items
from edgar_search.edgar.form_types import forms_named
from edgar_search.web.filing_stream import STREAM

_QUERY = "query"
# Parameters that a command reads in its own way, or not at all.
_OWN = (API_KEY.name, _QUERY, CURSOR.name)
OF_FIGURES = (API_KEY.name, CURSOR.name, "snapshot", "format")
OF_EVENTS = (API_KEY.name,)
OF_SIMILAR = (API_KEY.name, "text")
OF_SCREEN = OF_FIGURES
_ASKED: Mapping[str, tuple[Endpoint, Sequence[str]]] = {
    "search": (SEARCH, _OWN),
    "statements": (STATEMENTS, OF_FIGURES),
    "facts": (FACTS, OF_FIGURES),
    "listen": (STREAM, OF_EVENTS),
    "similar": (SIMILAR, OF_SIMILAR),
    "screen": (SCREEN, OF_SCREEN),
}
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def declared_options() -> dict[str, dict[str, dict[str, Any]]]:
    """Return argparse's options for each command that calls an endpoint, by name."""
    return {
        command: {
            f"--{parameter.name.replace('_', '-')}": _argparse_options(parameter)
            for parameter in _parameters(endpoint, without)
        }
        for command, (endpoint, without) in _ASKED.items()
    }


def raw_parameters(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the given parameters of `/v1/search`, as from a query string."""
    return {_QUERY: [options.query], **given_parameters(options, SEARCH, _OWN)}


def given_parameters(
    options: argparse.Namespace, endpoint: Endpoint, without: Sequence[str]
) -> dict[str, list[str]]:
    """Return the given parameters of an endpoint, as from a query string."""
    values = {}
    for parameter in _parameters(endpoint, without):
        value = getattr(options, parameter.name)
        if value:
            values[parameter.name] = value if isinstance(value, list) else _texts(value)
    for name in ("form_type", "form_family"):
        if name in values:
            texts = [item for value in values[name] for item in items(value)]
            values[name] = [",".join(forms_named(texts))]
    return values


def _texts(value: str | bool) -> list[str]:
    return ["true" if value is True else str(value)]


def _parameters(endpoint: Endpoint, without: Sequence[str]) -> Iterator[Parameter]:
    return (parameter for parameter in endpoint.parameters if parameter.name not in without)


def _argparse_options(parameter: Parameter) -> dict[str, Any]:
    """Return argparse's arguments for a parameter, whose values the reader checks."""
    description = _LINK.sub(r"\1", parameter.description).replace("`", "").replace("%", "%%")
    if parameter.kind == "flag":
        return {"action": "store_true", "help": description}
    if parameter.default is not None:
        description = f"{description} (default {parameter.default})"
    if parameter.kind == "choice":
        return {"choices": parameter.choices, "help": description}
    if parameter.kind == "list":
        return {"action": "append", "metavar": "ITEMS", "help": f"{description}; comma-separated"}
    return {"metavar": parameter.kind.upper(), "help": description}


def hours(text: str) -> int:
    """Parse the hours for which a rotated key still works."""
    if not text.isdecimal() or int(text) > MAX_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(
            f"{text} is not a number of hours from 0 to {MAX_OVERLAP_HOURS}"
        )
    return int(text)
