"""API keys over their whole life, from the command line to a running service."""

import re
import time
from collections.abc import Callable

import pytest

from bench.loading import environment
from edgar_search.cli import main
from edgar_search.settings import VARIABLE_PREFIX, Settings
from tests.acceptance.service import Service, command
from tests.support.commands import Ran

SECONDS = 5  # within which a revoked key is refused everywhere
Run = Callable[..., Ran]
Keys = Callable[..., list[str]]


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs `edgar-search keys` in the test's own process: starting one takes a second of CPU."""
    for name, value in environment(settings).items():
        if name.startswith(VARIABLE_PREFIX):
            monkeypatch.setenv(name, value)

    def keys(*arguments: str) -> Ran:
        capsys.readouterr()
        return Ran(main(["keys", *arguments]), *capsys.readouterr())

    return keys


@pytest.fixture
def keys(run: Run) -> Keys:
    """Returns the lines that `edgar-search keys` prints."""

    def lines(*arguments: str) -> list[str]:
        ran = run(*arguments)
        assert ran.status == 0, ran.error
        return ran.output.splitlines()

    return lines


def status(service: Service, key: str) -> int:
    response = service.http.get("/v1/search?query=moss", headers={"X-API-Key": key})
    return response.status_code


def test_created_key_is_the_last_line_and_works_at_once(
    settings: Settings, service: Service
) -> None:
    finished = command(settings, "edgar_search.cli", "keys", "create", "--name", "created")
    assert finished.returncode == 0, finished.stderr
    *_, key = finished.stdout.splitlines()
    assert re.fullmatch(r"sk_live_[0-9A-Za-z]{28}", key)
    assert status(service, key) == 200


def test_list_shows_every_key_newest_first_and_none_whole(keys: Keys, service: Service) -> None:
    made = [keys("create", "--name", f"listed {n}", "--account", "a")[-1] for n in (1, 2)]
    lines = keys("list")
    newest = [line.split("\t") for line in lines[:2]]
    assert [line[1:4] for line in newest] == [
        [f"{made[1][:12]}...", "listed 2", "a"],
        [f"{made[0][:12]}...", "listed 1", "a"],
    ]
    assert {line[5] for line in newest} == {"active"}
    assert [key for key in made if key in "\n".join(lines)] == []


def test_revoked_key_is_refused_in_time_and_the_others_are_not(
    keys: Keys, service: Service
) -> None:
    *_, other = keys("create", "--name", "other")
    *_, key = keys("create", "--name", "revoked")
    assert [status(service, key), status(service, other)] == [200, 200]
    key_id = keys("list")[0].split("\t")[0]
    assert keys("revoke", key_id) == [f"revoked {key_id} (revoked)"]
    revoked = time.monotonic()
    while status(service, key) == 200:
        assert time.monotonic() - revoked < SECONDS
        time.sleep(0.1)
    assert [status(service, key), status(service, other)] == [401, 200]
    assert "\trevoked " in keys("list")[0]


def test_key_in_the_place_of_its_id_is_not_printed(run: Run, keys: Keys, service: Service) -> None:
    *_, key = keys("create", "--name", "mistaken")
    ran = run("revoke", key)
    assert (ran.status, ran.output) == (1, "")
    assert ran.error == "edgar-search: no API key has the id sk_live_...\n"


def test_refused_key_leaves_the_account_on_its_plan(run: Run, keys: Keys, service: Service) -> None:
    keys("create", "--name", "kept")
    wrong = ["create", "--name", "kept", "--plan", "unlimited", "--scopes", "nothing"]
    assert run(*wrong).status == 1
    assert "plan free;" in keys("create", "--name", "kept")[0]


def test_plan_that_is_none_is_told_and_makes_no_key(run: Run, keys: Keys, service: Service) -> None:
    wrong = ["create", "--name", "never made", "--plan", "gold"]
    ran = run(*wrong)
    assert (ran.status, ran.output) == (1, "")
    assert ran.error == ("edgar-search: plan: gold is not a plan; plans are free, unlimited\n")
    assert "never made" not in "\n".join(keys("list"))


def test_unknown_id_is_told(run: Run, service: Service) -> None:
    ran = run("revoke", "nobody")
    assert (ran.status, ran.output) == (1, "")
    assert ran.error == "edgar-search: no API key has the id nobody\n"
