"""API keys over their whole life, from the command line to a running service."""

import re
import time

from edgar_search.settings import Settings
from tests.acceptance.service import Service, command

SECONDS = 5  # within which a revoked key is refused everywhere


def keys(settings: Settings, *arguments: str) -> list[str]:
    """The lines that `edgar-search keys` prints."""
    finished = command(settings, "edgar_search.cli", "keys", *arguments)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


def status(service: Service, key: str) -> int:
    response = service.http.get("/v1/search?query=moss", headers={"X-API-Key": key})
    return response.status_code


def test_created_key_is_the_last_line_and_works_at_once(
    settings: Settings, service: Service
) -> None:
    *_, key = keys(settings, "create", "--name", "created")
    assert re.fullmatch(r"sk_live_[0-9A-Za-z]{28}", key)
    assert status(service, key) == 200


def test_list_shows_every_key_newest_first_and_none_whole(
    settings: Settings, service: Service
) -> None:
    made = [keys(settings, "create", "--name", f"listed {n}", "--account", "a")[-1] for n in (1, 2)]
    lines = keys(settings, "list")
    newest = [line.split("\t") for line in lines[:2]]
    assert [line[1:4] for line in newest] == [
        [f"{made[1][:12]}...", "listed 2", "a"],
        [f"{made[0][:12]}...", "listed 1", "a"],
    ]
    assert {line[5] for line in newest} == {"active"}
    assert [key for key in made if key in "\n".join(lines)] == []


def test_revoked_key_is_refused_in_time_and_the_others_are_not(
    settings: Settings, service: Service
) -> None:
    *_, other = keys(settings, "create", "--name", "other")
    *_, key = keys(settings, "create", "--name", "revoked")
    assert [status(service, key), status(service, other)] == [200, 200]
    key_id = keys(settings, "list")[0].split("\t")[0]
    assert keys(settings, "revoke", key_id) == [f"revoked {key_id} (revoked)"]
    revoked = time.monotonic()
    while status(service, key) == 200:
        assert time.monotonic() - revoked < SECONDS
        time.sleep(0.1)
    assert [status(service, key), status(service, other)] == [401, 200]
    assert "\trevoked " in keys(settings, "list")[0]


def test_key_in_the_place_of_its_id_is_not_printed(settings: Settings, service: Service) -> None:
    *_, key = keys(settings, "create", "--name", "mistaken")
    finished = command(settings, "edgar_search.cli", "keys", "revoke", key)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == "edgar-search: no API key has the id sk_live_...\n"


def test_refused_key_leaves_the_account_on_its_plan(settings: Settings, service: Service) -> None:
    keys(settings, "create", "--name", "kept")
    wrong = ["create", "--name", "kept", "--plan", "unlimited", "--scopes", "nothing"]
    assert command(settings, "edgar_search.cli", "keys", *wrong).returncode == 1
    assert "plan free;" in keys(settings, "create", "--name", "kept")[0]


def test_plan_that_is_none_is_told_and_makes_no_key(settings: Settings, service: Service) -> None:
    wrong = ["create", "--name", "never made", "--plan", "gold"]
    finished = command(settings, "edgar_search.cli", "keys", *wrong)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == (
        "edgar-search: plan: gold is not a plan; plans are free, unlimited\n"
    )
    assert "never made" not in "\n".join(keys(settings, "list"))


def test_unknown_id_is_told(settings: Settings, service: Service) -> None:
    finished = command(settings, "edgar_search.cli", "keys", "revoke", "nobody")
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == "edgar-search: no API key has the id nobody\n"
