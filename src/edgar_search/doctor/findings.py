"""Findings of checks, with commands for a person."""

import json
import shlex
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses


class Curl:
    """A writer of commands for `curl` to the first address.

    It never writes a password: the shell takes it from the environment, or curl asks for it.
    """

    def __init__(self, settings: Settings) -> None:
        assert settings.es_url is not None
        address = es_addresses(settings.es_url)[0]
        place = urlsplit(address)
        self._address = place._replace(netloc=place.netloc.rpartition("@")[2]).geturl()
        self._options = ["curl", "-sS"]
        if settings.es_user:
            password = "$EDGAR_SEARCH_ES_PASSWORD"
            if settings.es_password_file:
                password = '$(cat "$EDGAR_SEARCH_ES_PASSWORD_FILE")'
            self._options.append(f'--user "$EDGAR_SEARCH_ES_USER:{password}"')
        elif settings.es_api_key:
            self._options.append('-H "Authorization: ApiKey $EDGAR_SEARCH_ES_API_KEY"')
        elif place.username:
            self._options.append(f"--user {shlex.quote(place.username)}")
        if settings.es_ca:
            self._options.append(f"--cacert {shlex.quote(str(settings.es_ca))}")

    def command(self, method: str, path: str, body: Any = None) -> str:
        """Write the command of one request, between backticks."""
        parts = [*self._options, f"-X {method}", shlex.quote(self._address + path)]
        if body is not None:
            parts.append("-H 'Content-Type: application/json'")
            parts.append(f"-d {shlex.quote(json.dumps(body, separators=(',', ':')))}")
        return f"`{' '.join(parts)}`"


Level = Literal["ok", "warning", "wrong"]


class Finding(NamedTuple):
    """One line of the report, with the `remedy` if it is not ok."""

    level: Level
    what: str
    text: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """The line for a person."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.level:7} {self.what}: {self.text}{remedy}"


def ok(what: str, text: str) -> Finding:
    """Make a finding without a fault."""
    return Finding("ok", what, text)


def warning(what: str, text: str, remedy: str) -> Finding:
    """Make a finding of a part that may fail soon, or could not be checked."""
    return Finding("warning", what, text, remedy)


def wrong(what: str, text: str, remedy: str) -> Finding:
    """Make a finding of a fault that keeps the installation from working."""
    return Finding("wrong", what, text, remedy)


def worst(findings: list[Finding]) -> Level:
    """Return the worst level of a report."""
    levels = {finding.level for finding in findings}
    return "wrong" if "wrong" in levels else "warning" if "warning" in levels else "ok"
