"""What `deploy/` has agrees with the program: settings, times, figures, units."""

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from edgar_search.alerts.status import Status
from edgar_search.metrics.meters import Figure, exposition
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web import figures
from edgar_search.web.server import GRACE_SECONDS
from tests.support.engines import CHECKOUT

DEPLOY = CHECKOUT / "deploy"
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
    none, day = figures._Value(1.0), figures._Day(figures._Percentiles({}))
    ledger = figures._Ledger(figures._Buckets([]), none, none, none, none, day)
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
