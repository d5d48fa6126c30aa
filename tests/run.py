"""All tests, tier by tier: `python -m tests.run [--long] [PATH...]`.

The whole suite runs on the engine that this machine gets, in two processes: the tiers without
services beside those on Elasticsearch. Where that is the newer engine, because a full JDK is found,
the engine tier runs again on the older one, the oldest that is supported.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from edgar_search.engine import embedded
from tests.support.engines import embedded_settings

OLDEST = "9.2.4"
_WHOLE = ["tests"]
_WITHOUT_SERVICES = ["tests/unit", "tests/web", "tests/fidelity"]


def main() -> int:
    """Run the tiers; 0 only if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="the long suites too")
    parser.add_argument("paths", nargs="*", default=_WHOLE)
    options = parser.parse_args()
    # Without a mark expression of its own, a run has everything but the long suites.
    marks = [] if options.long else ["-m", "not long"]
    if options.paths == _WHOLE:
        others = [f"--ignore={path}" for path in _WITHOUT_SERVICES]
        status = _beside([*marks, *_WITHOUT_SERVICES], [*marks, *_WHOLE, *others])
    else:
        status = _pytest([*marks, *options.paths])
    if status == 0 and options.paths == _WHOLE and not os.environ.get("EDGAR_SEARCH_TEST_ES_URL"):
        status = _engine_tier_on_oldest(marks)
    if os.environ.get("CI"):
        embedded.down(embedded_settings())
    return status


def _engine_tier_on_oldest(marks: list[str]) -> int:
    running = embedded.status(embedded_settings())
    if running is None or running.version == OLDEST:
        print(f"left out for want of a JDK: the engine tier on a newer Elasticsearch than {OLDEST}")
        return 0
    embedded.down(embedded_settings())
    print(f"the engine tier again, on Elasticsearch {OLDEST}", flush=True)
    os.environ["EDGAR_SEARCH_TEST_ENGINE_VERSION"] = OLDEST
    try:
        # That file starts engines of both versions itself, and has done so.
        return _pytest([*marks, "tests/engine", "--ignore=tests/engine/test_embedded.py"])
    finally:
        embedded.down(embedded_settings())


def _beside(first: list[str], second: list[str]) -> int:
    """Two runs at once, on two cores; what the first prints comes when the second has ended."""
    with tempfile.TemporaryFile() as output:
        command = [sys.executable, "-m", "pytest", *first]
        beside = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        status = _pytest(second)
        status = beside.wait() or status
        output.seek(0)
        sys.stdout.buffer.write(output.read())
        sys.stdout.flush()
    return status


def _pytest(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
