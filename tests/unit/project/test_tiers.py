"""The tiers of `make test`: each test is in one of them, and each of them ends."""

import signal
import subprocess
import sys

import pytest

from tests.run import CONTAINERS, STARTING, TIERS, end
from tests.support.engines import CHECKOUT

DEAF = """
import signal, time
signal.signal(signal.SIGABRT, signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""
PATHS = {
    argument.removeprefix("--ignore=")
    for tier in (*TIERS, CONTAINERS)
    for argument in tier.arguments
    if "/" in argument
}


@pytest.mark.parametrize("path", sorted(PATHS))
def test_path_of_a_tier_exists(path: str) -> None:
    assert (CHECKOUT / path).exists()


def test_files_that_one_tier_leaves_out_are_those_of_another() -> None:
    left_out = {each for tier in TIERS for each in tier.arguments if each.startswith("--ignore=")}
    tests = {
        each for tier in (*TIERS, CONTAINERS) for each in tier.arguments if not each.startswith("-")
    }
    assert {each.removeprefix("--ignore=") for each in left_out} <= tests
    assert set(STARTING) <= tests


def test_tier_that_does_not_end_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        process.stdout.readline()
        assert end(process, 0.2) == -signal.SIGKILL
