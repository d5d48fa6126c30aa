"""All tests, tier by tier: `python -m tests.run [--long] [PATH...]`.

The whole suite runs two tiers at a time, on two cores, the longest first: a third makes it hardly
shorter, and tests that measure time fail. Elasticsearch is the one that this machine gets. Where
that is the newer one, because a full JDK is found, the long suites run the engine tier a second
time on the older one, the oldest that is supported, without the tests marked `any_engine`.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import NamedTuple

from edgar_search.engine import embedded
from edgar_search.engine.embedded import install
from edgar_search.settings import Settings
from tests.support.engines import embedded_settings

OLDEST = "9.2.4"
STREAMS = 2
# The longest tier takes about half of this; the long suites have no bound but that of each test.
TIER_SECONDS = 2_400.0
# Of a long test; a day of EDGAR takes two hours after its filings were made.
LONG_TEST_SECONDS = 12_000
# Printing where each thread is takes less than a second, on a busy machine a few.
ENDING_SECONDS = 30.0
_VERSION = "EDGAR_SEARCH_TEST_ENGINE_VERSION"
_FOLDERS = (
    "tests/engine",
    "tests/unit",
    "tests/web",
    "tests/fidelity",
    "tests/faults",
    "tests/torture",
    "tests/browser",
    "tests/containers",
)


class Tier(NamedTuple):
    """Tests of one process: what pytest is told, which of the tests, and on which engine."""

    name: str
    arguments: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    engine: str | None = None


class Ended(NamedTuple):
    """The end of a tier, and all its output."""

    tier: Tier
    status: int
    seconds: float
    output: bytes


# These start engines themselves, and wait for them most of their time.
STARTING = ("tests/engine/embedded/test_embedded.py", "tests/engine/nodes/test_engine_lost.py")
ON_ONE_ENGINE = ("tests/engine", *(f"--ignore={file}" for file in STARTING))
AGAIN = Tier(f"engine again, on Elasticsearch {OLDEST}", ON_ONE_ENGINE, ("any_engine",), OLDEST)
# Each of its tests is long; it skips where no Docker engine can be started.
CONTAINERS = Tier("containers", ("tests/containers", "-s"))
# The longest first, so that the streams end at about the same time.
TIERS = (
    Tier("engine", ON_ONE_ENGINE),
    Tier("without services", ("tests/unit", "tests/web", "tests/fidelity")),
    # Whatever no other tier has, so that a new folder is never forgotten.
    Tier("acceptance", ("tests", *(f"--ignore={folder}" for folder in _FOLDERS))),
    # Playwright has an event loop of its own, beside which others have no place.
    Tier("browser", ("tests/browser",)),
    # In its short form two minutes; what it measures is held with room for the tier beside it.
    Tier("torture", ("tests/torture", "-s")),
    Tier("faults", ("tests/faults",)),
    Tier("engines that start and stop", STARTING),
)


def main() -> int:
    """Run the tiers; 0 only if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="the long suites too")
    parser.add_argument("paths", nargs="*", default=["tests"])
    options = parser.parse_args()
    left_out = () if options.long else ("long",)
    try:
        if options.paths == ["tests"]:
            tiers = [*TIERS, *(_long_tiers() if options.long else ())]
            return _run_all(tiers, left_out)
        return subprocess.run(_command(Tier("some", tuple(options.paths)), left_out)).returncode
    finally:
        if os.environ.get("CI"):
            _remove(embedded_settings())
            _remove(embedded_settings(OLDEST))


def _long_tiers() -> Sequence[Tier]:
    """Return the tiers of the long suites; the older engine's only where there is a newer one."""
    if {"EDGAR_SEARCH_TEST_ES_URL", "EDGAR_SEARCH_TEST_ENGINE", _VERSION} & os.environ.keys():
        return (CONTAINERS,)
    if install.choose(embedded_settings()).version == OLDEST:
        print(f"left out for want of a JDK: the engine tier on a newer Elasticsearch than {OLDEST}")
        return (CONTAINERS,)
    return (AGAIN, CONTAINERS)


def _run_all(tiers: Sequence[Tier], left_out: tuple[str, ...]) -> int:
    with ThreadPoolExecutor(STREAMS) as streams:
        running = [streams.submit(_run, tier, left_out) for tier in tiers]
        try:
            return max([_said(each) for each in as_completed(running)])
        except BaseException:
            streams.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            if any(tier.engine == OLDEST for tier in tiers):
                embedded.down(embedded_settings(OLDEST))


def _run(tier: Tier, left_out: tuple[str, ...]) -> Ended:
    """Run a tier; its output is kept, so that those of several do not mix."""
    began = time.monotonic()
    environment = {**os.environ, _VERSION: tier.engine} if tier.engine else {**os.environ}
    # A run starts hundreds of processes: each would compile all of our modules.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # One that hangs says where, at its exit too.
    environment["PYTHONFAULTHANDLER"] = "1"
    limit = TIER_SECONDS if left_out else None
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            _command(tier, left_out), stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = end(process)
            output.write(f"ended after {limit:.0f} s, which no tier may take\n".encode())
        output.seek(0)
        return Ended(tier, status, time.monotonic() - began, output.read())


def end(process: subprocess.Popen[bytes], seconds: float = ENDING_SECONDS) -> int:
    """End a tier, which prints where it is, and return its status; kill it if it does not end."""
    process.send_signal(signal.SIGABRT)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait(seconds)


def _remove(engine: Settings) -> None:
    """Stop an engine of the tests, and leave nothing of it, for its files may be in memory."""
    embedded.down(engine)
    shutil.rmtree(engine.home, ignore_errors=True)


def _said(future: Future[Ended]) -> int:
    """Print what a tier said, and return its status as one that is never below 0."""
    tier, status, seconds, output = future.result()
    print(f"== {tier.name}: {seconds:.0f} s", flush=True)
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    return abs(status)


def _command(tier: Tier, left_out: tuple[str, ...]) -> list[str]:
    # Without a mark expression of its own, a run has everything but the long suites.
    marks = " and ".join(f"not {mark}" for mark in (*left_out, *tier.left_out))
    chosen = ["--durations=20", "--durations-min=3"]
    chosen += ["-m", marks] if marks else []
    if not left_out:
        chosen += ["-o", f"faulthandler_timeout={LONG_TEST_SECONDS}"]
    return [sys.executable, "-m", "pytest", *chosen, *tier.arguments]


if __name__ == "__main__":
    sys.exit(main())
