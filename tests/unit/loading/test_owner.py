"""A load's name, and whether others see that it runs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edgar_search.errors import SettingsError
from ingest.loading.owner import Owner

_HOLD = """
import sys, time
from pathlib import Path
from ingest.loading.owner import Owner
with Owner(Path(sys.argv[1])) as owner:
    print(owner.name, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other(tmp_path: Path) -> Owner:
    return Owner(tmp_path)


def test_load_under_way_runs(tmp_path: Path, other: Owner) -> None:
    with Owner(tmp_path) as owner:
        assert other.running(owner.name) == "yes"


def test_load_that_ended_well_leaves_nothing(tmp_path: Path, other: Owner) -> None:
    with Owner(tmp_path) as owner:
        pass
    assert other.running(owner.name) == "unknown"
    assert list((tmp_path / "loads").iterdir()) == []


def test_load_that_failed_is_known_to_be_over(tmp_path: Path, other: Owner) -> None:
    with pytest.raises(RuntimeError), Owner(tmp_path) as owner:
        raise RuntimeError
    assert other.running(owner.name) == "no"


def test_owner_goes_on_under_a_new_name_after_a_load_that_failed(
    tmp_path: Path, other: Owner
) -> None:
    with Owner(tmp_path) as owner:
        failed = owner.name
        owner.release(ended_well=False)
        owner.hold()
        assert (other.running(failed), other.running(owner.name)) == ("no", "yes")
    assert other.running(owner.name) == "unknown"


def test_killed_load_is_known_to_be_over(tmp_path: Path, other: Owner) -> None:
    command = [sys.executable, "-c", _HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        assert load.stdout is not None
        name = load.stdout.readline().strip()
        assert other.running(name) == "yes"
        load.send_signal(signal.SIGKILL)
    assert other.running(name) == "no"


def test_file_of_a_load_of_long_ago_goes(tmp_path: Path) -> None:
    (tmp_path / "loads").mkdir()
    old, new = tmp_path / "loads" / "old", tmp_path / "loads" / "new"
    for path in (old, new):
        path.touch()
    os.utime(old, (time.time() - 40 * 86_400,) * 2)
    with Owner(tmp_path):
        assert (old.exists(), new.exists()) == (False, True)


def test_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "loads").write_text("in the way")
    with pytest.raises(SettingsError, match="loads: cannot be written.*EDGAR_SEARCH_HOME"):
        Owner(tmp_path).__enter__()
