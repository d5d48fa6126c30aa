"""Findings: what was looked at and found, with commands for a person."""

import json
import shlex
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses


class Curl:
    """Writes commands for `curl`, of the first of the addresses.

    A password is never written out: the shell takes it out of the environment, or curl asks.
    """

    def __init__(self, settings: Settings) -> None:
        assert settings.es_url is not None
        address = es_addresses(settings.es_url)[0]
        place = urlsplit(address)
        self._address = place._replace(netloc=place.netloc.rpartition("@")[2]).geturl()
        self._options = ["curl", "-sS"]
        if settings.es_user:
            self._options.append('--user "$EDGAR_SEARCH_ES_USER:$EDGAR_SEARCH_ES_PASSWORD"')
        elif settings.es_api_key:
            self._options.append('-H "Authorization: ApiKey $EDGAR_SEARCH_ES_API_KEY"')
        elif place.username:
            self._options.append(f"--user {shlex.quote(place.username)}")
        if settings.es_ca:
            self._options.append(f"--cacert {shlex.quote(str(settings.es_ca))}")

    def command(self, method: str, path: str, body: Any = None) -> str:
        """One request, between backticks."""
        parts = [*self._options, f"-X {method}", shlex.quote(self._address + path)]
        if body is not None:
            parts.append("-H 'Content-Type: application/json'")
            parts.append(f"-d {shlex.quote(json.dumps(body, separators=(',', ':')))}")
        return f"`{' '.join(parts)}`"


Level = Literal["ok", "warning", "wrong"]


class Finding(NamedTuple):
    """One line of the report; `remedy` says what to do if it is not ok."""

    level: Level
    what: str
    text: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """For a person."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.level:7} {self.what}: {self.text}{remedy}"


def ok(what: str, text: str) -> Finding:
    """What is as it should be."""
    return Finding("ok", what, text)


def warning(what: str, text: str, remedy: str) -> Finding:
    """What works, and will not for ever, or could not be looked at."""
    return Finding("warning", what, text, remedy)


def wrong(what: str, text: str, remedy: str) -> Finding:
    """What keeps the installation from working."""
    return Finding("wrong", what, text, remedy)


def worst(findings: list[Finding]) -> Level:
    """The worst level of a report."""
    levels = {finding.level for finding in findings}
    return "wrong" if "wrong" in levels else "warning" if "warning" in levels else "ok"
