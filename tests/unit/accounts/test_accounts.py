"""The question that `edgar-search accounts delete` asks on a terminal."""

import io
import sys

import pytest

from edgar_search.commands import accounts
from edgar_search.errors import BadRequest


class Terminal(io.StringIO):
    """A terminal at which someone has typed something."""

    def isatty(self) -> bool:
        return True


def test_yes_agrees_and_what_would_go_is_shown_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    accounts._confirm("alice", {"API keys": 2, "favorites": 1}, yes=False)
    assert capsys.readouterr().err.startswith("account alice has 2 API keys, 1 favorites\n")


@pytest.mark.parametrize("typed", ["no\n", "\n", "", "y\n"])
def test_anything_else_does_not(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    with pytest.raises(BadRequest, match="nothing was deleted"):
        accounts._confirm("alice", {"API keys": 2}, yes=False)
