"""Commands that run in the test's own process, on the installation of a test."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest

from edgar_search.settings import Settings

NAMES = ("es_url", "prefix", "home", "es_timeout", "backup_repository")
# The refusal of every command that is reported no account, or of two.
ONE_ACCOUNT = "accounts: give NAME, or --id, or --issuer and --subject"
Main = Callable[[list[str]], int]


class Ran(NamedTuple):
    """The end of a command, and its output."""

    status: int
    output: str
    error: str


Run = Callable[..., Awaitable[Ran]]


def runner(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Return a function that runs `main` with arguments, with these settings in the environment."""
    for name in NAMES:
        if (value := getattr(settings, name)) is not None:
            monkeypatch.setenv(f"EDGAR_SEARCH_{name.upper()}", str(value))

    async def run(main: Main, *arguments: str) -> Ran:
        capsys.readouterr()
        status = await asyncio.to_thread(main, list(arguments))
        written = capsys.readouterr()
        return Ran(status, written.out, written.err)

    return run
