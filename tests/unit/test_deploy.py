"""What `deploy/` has agrees with the program: settings, times, figures, units."""

import argparse
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

import edgar_search.cli
import ingest.cli
from edgar_search import commands
from edgar_search.alerts.status import Status
from edgar_search.metrics.meters import Figure, exposition
from edgar_search.search.ledger_state import LedgerState
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web import figures
from edgar_search.web.server import GRACE_SECONDS
from ingest.commands import follow, templates
from tests.support.engines import CHECKOUT

DEPLOY = CHECKOUT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "edgar-search": edgar_search.cli._parser,
    "edgar-ingest": ingest.cli._parser,
}
UNITS = sorted(DEPLOY.glob("*.service")) + sorted(DEPLOY.glob("*.timer"))


def text(name: str) -> str:
    return (DEPLOY / name).read_text()


def test_settings_that_are_named_exist() -> None:
    named = {
        name
        for path in DEPLOY.iterdir()
        for name in re.findall(rf"{VARIABLE_PREFIX}([A-Z_]+)", path.read_text())
    }
    assert {name.lower() for name in named} - {*Settings.__struct_fields__} == set()


def test_service_has_time_to_stop() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", text("edgar-search.service"), re.MULTILINE)
    assert int(seconds) > Settings().drain + GRACE_SECONDS


def test_balancer_notices_that_an_instance_stops_before_it_does() -> None:
    inter, fall = re.findall(r"inter (\d+)s fall (\d+)", text("haproxy.cfg"))[0]
    assert int(inter) * int(fall) < Settings().drain
    assert "uri /health/ready " in text("haproxy.cfg")


def test_rules_use_figures_that_there_are() -> None:
    status = Status(0, None, 0, {}, None, 0, None)
    ledger = LedgerState({}, None, {}, {})
    asked = [
        Figure("edgar_search_engine_up", "", {"": 1}),
        *figures._of_ledger(ledger),
        *figures._of_alerts(status, datetime.now(UTC)),
    ]
    there = set(re.findall(r"^# TYPE (\S+)", exposition(asked).decode(), re.MULTILINE))
    used = set(re.findall(r"edgar_search_\w+", text("prometheus-rules.yml")))
    assert {re.sub("_(bucket|sum|count)$", "", name) for name in used} - there == set()


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_unit_is_one(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    # Programs that are there: it looks for them.
    copied = tmp_path / unit.name
    copied.write_text(re.sub(r"/opt/edgar-search/bin/[\w-]+", "/bin/true", unit.read_text()))
    (tmp_path / "edgar-search-snapshot.service").write_text(
        re.sub(r"/usr/bin/curl", "/bin/true", text("edgar-search-snapshot.service"))
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", str(copied)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def options(command: list[str]) -> argparse.Namespace:
    """What the program makes of a command; a value of the environment is its default."""
    program, *arguments = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", each) for each in command]
    return PARSERS[Path(program).name]().parse_args(arguments)


@pytest.mark.parametrize(
    ("service", "runs"),
    [
        ("setup", templates.put),
        ("service", commands.serve.run),
        ("alerts", commands.alerts.run),
        ("follow", follow.run),
    ],
)
def test_compose_runs_commands_that_there_are(service: str, runs: Callable[..., Any]) -> None:
    assert options(SERVICES[service]["command"]).run is runs


@pytest.mark.parametrize(
    ("unit", "runs"),
    [
        ("edgar-search.service", commands.serve.run),
        ("edgar-search-alerts.service", commands.alerts.run),
        ("edgar-search-follow.service", follow.run),
    ],
)
def test_unit_runs_a_command_that_there_is(unit: str, runs: Callable[..., Any]) -> None:
    (line,) = re.findall(r"^ExecStart=(.+)$", text(unit), re.MULTILINE)
    assert options(shlex.split(line)).run is runs


def test_alerts_are_matched_in_one_place() -> None:
    assert [s["environment"]["EDGAR_SEARCH_ALERTS"] for s in ours()] == ["false"] * len(ours())
    assert "Environment=EDGAR_SEARCH_ALERTS=false" in text("edgar-search.service")


def test_logs_of_what_runs_for_long_are_bounded() -> None:
    for name in ("elasticsearch", "service", "alerts", "follow"):
        logging = SERVICES[name]["logging"]
        assert logging["driver"] == "local"
        assert logging["options"] == {"max-size": "100m", "max-file": "5"}


def test_follow_runs_only_where_it_is_asked_for_and_says_who_asks_edgar() -> None:
    assert {name for name, each in SERVICES.items() if "profiles" in each} == {"follow"}
    assert SERVICES["follow"]["profiles"] == ["follow"]
    assert SERVICES["follow"]["environment"]["EDGAR_SEARCH_CONTACT"] == "${CONTACT:-}"


@pytest.mark.parametrize("service", ["setup", "alerts", "follow"])
def test_what_serves_nothing_is_not_asked_whether_it_lives(service: str) -> None:
    assert SERVICES[service]["healthcheck"] == {"disable": True}


@pytest.mark.parametrize("service", ["alerts", "follow"])
def test_what_works_for_ever_is_started_again(service: str) -> None:
    assert SERVICES[service]["restart"] == "unless-stopped"
    needs = {name: each["condition"] for name, each in SERVICES[service]["depends_on"].items()}
    assert needs == {
        "elasticsearch": "service_healthy",
        "setup": "service_completed_successfully",
    }


def test_container_has_time_to_stop() -> None:
    assert seconds("service") > Settings().drain + GRACE_SECONDS
    # A batch of submissions that is being written is written.
    assert seconds("follow") >= 60


def seconds(service: str) -> int:
    return int(SERVICES[service]["stop_grace_period"].removesuffix("s"))


def ours() -> list[dict[str, Any]]:
    return [each for each in SERVICES.values() if each.get("image") == "edgar-search"]


def test_rules_are_ones() -> None:
    (group,) = yaml.safe_load(text("prometheus-rules.yml"))["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(names) == len({*names}) > 5
    for rule in group["rules"]:
        assert {*rule} <= {"alert", "expr", "for", "annotations"}
        assert rule["expr"].count("(") == rule["expr"].count(")")
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))
        assert rule["annotations"].keys() == {"summary"}


def test_balancer_is_configured_rightly() -> None:
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is missing")
    done = subprocess.run(
        ["haproxy", "-c", "-f", str(DEPLOY / "haproxy.cfg")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_variables_and_files_of_the_snapshot_are_documented() -> None:
    unit = text("edgar-search-snapshot.service")
    named = {*re.findall(r"\$\{(\w+)\}", unit), *re.findall(r"^EnvironmentFile=(.+)$", unit, re.M)}
    guide = (CHECKOUT / "docs" / "operations.md").read_text()
    assert {name for name in named if f"`{name}`" not in guide} == set()
    assert len(named) == 3
