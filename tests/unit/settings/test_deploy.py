"""The files of `deploy/` agree with the program: settings, times, figures, units."""

import argparse
import asyncio
import json
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
from edgar_search.alerts.deliverer import DeliveriesStatus
from edgar_search.alerts.matcher import Status
from edgar_search.engine.node_stats import NodeStats
from edgar_search.errors import EngineUnavailable
from edgar_search.metrics.meters import EDGAR_REQUESTS, SUBMISSIONS, exposition
from edgar_search.search.coverage import LedgerState
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web import figures
from edgar_search.web.server import GRACE_SECONDS
from ingest.commands.textfile import Textfile
from tests.support.engines import CHECKOUT

DEPLOY = CHECKOUT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
PARSERS: dict[str, Callable[[str], argparse.ArgumentParser]] = {
    "edgar-search": edgar_search.cli.make_parser,
    "edgar-ingest": ingest.cli.make_parser,
}
UNITS = sorted(DEPLOY.glob("*.service")) + sorted(DEPLOY.glob("*.timer"))


def text(name: str) -> str:
    return (DEPLOY / name).read_text()


def test_settings_that_are_named_exist() -> None:
    named = {
        name
        for path in DEPLOY.rglob("*")
        if path.is_file()
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


def figures_that_there_are() -> str:
    """Return all that the service says of itself, with a value for each."""
    now = datetime.now(UTC)
    deliveries = DeliveriesStatus(now, 1, now, "somebody")
    status = Status(1, now, 1, {"p50": 1.0}, "somebody", 1, now, deliveries)
    ledger = LedgerState({"loaded": 1}, now, {"50.0": 1.0}, {"load": now}, now)
    asked = [
        *asyncio.run(figures.Figures(Away(), Settings()).current()),  # type: ignore[arg-type]
        *figures._of_ledger(ledger, now),
        *figures._of_alerts(status, now),
        *figures._of_nodes([NodeStats("one", 2, 1, 0.5)]),
        figures._of_backup(now),
    ]
    return exposition(asked).decode()


class Away:
    """An engine that answers nothing."""

    def __getattr__(self, name: str) -> Any:
        raise EngineUnavailable("away")


def figures_of_ingest(folder: Path) -> str:
    """Return all that a command of `edgar-ingest` writes, with a value for each."""
    SUBMISSIONS.labels("loaded").inc(0)
    EDGAR_REQUESTS.labels("good").inc(0)
    textfile = Textfile(Settings(metrics_folder=folder), "load")
    textfile.end(0)
    return (folder / "edgar-ingest-load-edgar.prom").read_text()


def test_rules_and_dashboard_use_figures_that_there_are(tmp_path: Path) -> None:
    written = figures_that_there_are() + figures_of_ingest(tmp_path)
    there = set(re.findall(r"^# TYPE (\S+)", written, re.MULTILINE))
    used = {name for expr in expressions() for name in re.findall(r"edgar_\w+", expr)}
    assert len(used) > 20
    assert {re.sub("_(bucket|sum|count)$", "", name) for name in used} - there == set()


def expressions() -> list[str]:
    """Return the queries to Prometheus in the rules and the dashboard."""
    (group,) = yaml.safe_load(text("prometheus-rules.yml"))["groups"]
    board = json.loads(text("grafana-dashboard.json"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    return [rule["expr"] for rule in group["rules"]] + asked


def test_expressions_are_ones(tmp_path: Path) -> None:
    for expr in expressions():
        for opened, closed in ("()", "[]", "{}"):
            assert expr.count(opened) == expr.count(closed), expr
    if shutil.which("promtool") is None:
        pytest.skip("promtool is missing: only parentheses were looked at")
    rules = [{"record": f"x{n}", "expr": expr} for n, expr in enumerate(expressions())]
    made = tmp_path / "made.yml"
    made.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    for path in (made, DEPLOY / "prometheus-rules.yml"):
        done = subprocess.run(
            ["promtool", "check", "rules", str(path)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("of", ["service", "ingest"])
def test_figures_keep_to_the_conventions_of_prometheus(of: str, tmp_path: Path) -> None:
    written = figures_that_there_are() if of == "service" else figures_of_ingest(tmp_path)
    families = re.findall(r"^# TYPE (edgar_\w+) (\w+)", written, re.MULTILINE)
    helped = re.findall(r"^# HELP (edgar_\w+) .", written, re.MULTILINE)
    assert [name for name, _ in families] == helped
    assert len(helped) == len({*helped}) >= 8
    for name, kind in families:
        assert name.endswith("_total") == (kind == "counter"), name
    assert "quantile=" not in written
    if shutil.which("promtool") is None:
        pytest.skip("promtool is missing: only names and labels were looked at")
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=written, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_unit_is_one(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    # Programs that are there: it looks for them.
    copied = tmp_path / unit.name
    copied.write_text(re.sub(r"/opt/edgar-search/bin/[\w-]+", "/bin/true", unit.read_text()))
    for other in ("edgar-search-backup.service", "edgar-search-failed@.service"):
        (tmp_path / other).write_text(
            re.sub(r"/opt/edgar-search/bin/[\w-]+", "/bin/true", text(other))
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", str(copied)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def options(command: list[str]) -> argparse.Namespace:
    """Return the options that the program parses from a command; the environment gives defaults."""
    program, *arguments = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", each) for each in command]
    return PARSERS[Path(program).name](arguments[0]).parse_args(arguments)


@pytest.mark.parametrize(
    ("service", "runs"),
    [
        ("service", "serve:run"),
        ("alerts", "alerts:run"),
        ("follow", "fetch:run_follow"),
    ],
)
def test_compose_runs_commands_that_there_are(service: str, runs: str) -> None:
    assert options(SERVICES[service]["command"]).run == runs


@pytest.mark.parametrize(
    ("unit", "runs"),
    [
        ("edgar-search.service", "serve:run"),
        ("edgar-search-alerts.service", "alerts:run"),
        ("edgar-search-follow.service", "fetch:run_follow"),
        ("edgar-search-backup.service", "backups:create"),
    ],
)
def test_unit_runs_a_command_that_there_is(unit: str, runs: str) -> None:
    (line,) = re.findall(r"^ExecStart=(.+)$", text(unit), re.MULTILINE)
    assert options(shlex.split(line)).run == runs


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


@pytest.mark.parametrize("name", ["haproxy.cfg", "haproxy-edgar.cfg"])
def test_balancer_is_configured_rightly(name: str, tmp_path: Path) -> None:
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is missing")
    # The certificate is made by the one who installs it.
    config = tmp_path / name
    config.write_text(text(name).replace("ssl crt /etc/haproxy/edgar.pem alpn h2,http/1.1", ""))
    done = subprocess.run(
        ["haproxy", "-c", "-f", str(config)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_files_of_the_backup_are_documented() -> None:
    unit = text("edgar-search-backup.service")
    guide = (CHECKOUT / "docs" / "operations.md").read_text()
    named = re.findall(r"^EnvironmentFile=(.+)$", unit, re.M)
    assert [name for name in named if name not in guide] == []
    (tells,) = re.findall(r"^OnFailure=(.+)@%n.service$", unit, re.M)
    assert (DEPLOY / f"{tells}@.service").exists()
