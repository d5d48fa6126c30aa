"""Findings of checks, and commands that people can run."""

import json
import shlex
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses


class Curl:
    """Writes `curl` commands for the first address.

    They contain no password: the shell takes it from the environment, or curl asks for it.
    """

    def __init__(self, settings: Settings) -> None:
        assert settings.es_url is not None
        address = es_addresses(settings.es_url)[0]
        parts = urlsplit(address)
        self._address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        self._options = ["curl", "-sS"]
        if settings.es_user:
            password = "$EDGAR_SEARCH_ES_PASSWORD"
            if settings.es_password_file:
                password = '$(cat "$EDGAR_SEARCH_ES_PASSWORD_FILE")'
            self._options.append(f'--user "$EDGAR_SEARCH_ES_USER:{password}"')
        elif settings.es_api_key:
            self._options.append('-H "Authorization: ApiKey $EDGAR_SEARCH_ES_API_KEY"')
        elif parts.username:
            self._options.append(f"--user {shlex.quote(parts.username)}")
        if settings.es_ca:
            self._options.append(f"--cacert {shlex.quote(str(settings.es_ca))}")

    def command(self, method: str, path: str, body: Any = None) -> str:
        """Write the command for one request, in backticks."""
        parts = [*self._options, f"-X {method}", shlex.quote(self._address + path)]
        if body is not None:
            parts.append("-H 'Content-Type: application/json'")
            parts.append(f"-d {shlex.quote(json.dumps(body, separators=(',', ':')))}")
        return f"`{' '.join(parts)}`"


Level = Literal["ok", "warning", "wrong"]


class Finding(NamedTuple):
    """A line of the report, with a `remedy` unless it is ok."""

    level: Level
    what: str
    text: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """The line as it is printed."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.level:7} {self.what}: {self.text}{remedy}"


def ok(what: str, text: str) -> Finding:
    """Report that a part works."""
    return Finding("ok", what, text)


def warning(what: str, text: str, remedy: str) -> Finding:
    """Report a part that may fail soon, or that could not be checked."""
    return Finding("warning", what, text, remedy)


def wrong(what: str, text: str, remedy: str) -> Finding:
    """Report a fault that keeps the installation from working."""
    return Finding("wrong", what, text, remedy)


def worst(findings: list[Finding]) -> Level:
    """Return the worst level of a report."""
    levels = {finding.level for finding in findings}
    return "wrong" if "wrong" in levels else "warning" if "warning" in levels else "ok"
