"""Parameters of endpoints as options of commands, and as they are given there."""

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
# Parameters that a command gives in its own way, or not at all.
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
    """Return the options of each command that asks an endpoint, by name, as argparse takes them."""
    return {
        command: {
            f"--{parameter.name.replace('_', '-')}": _argparse_options(parameter)
            for parameter in _parameters(endpoint, without)
        }
        for command, (endpoint, without) in _ASKED.items()
    }


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
            given[parameter.name] = value if isinstance(value, list) else _as_text(value)
    for name in ("form_type", "form_family"):
        if name in given:
            texts = [item for value in given[name] for item in items(value)]
            given[name] = [",".join(forms_named(texts))]
    return given


def _as_text(value: str | bool) -> list[str]:
    return ["true" if value is True else str(value)]


def _parameters(endpoint: Endpoint, without: Sequence[str]) -> Iterator[Parameter]:
    return (parameter for parameter in endpoint.parameters if parameter.name not in without)


def _argparse_options(parameter: Parameter) -> dict[str, Any]:
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


def hours(text: str) -> int:
    """Read the hours for which a rotated key still works."""
    if not text.isdecimal() or int(text) > MAX_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(
            f"{text} is not a number of hours from 0 to {MAX_OVERLAP_HOURS}"
        )
    return int(text)
