"""Processes that tests and measurements start: each start and each end has a bound."""

import subprocess
import sys
import time

import psutil
import pytest

from bench import service
from tests.support.fronts import another_server, silent

# It takes no notice of SIGTERM, and neither does its child.
DEAF = (
    "import signal, subprocess, sys, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "if sys.argv[1:]:\n"
    "    subprocess.Popen([sys.executable, '-c', sys.argv[1]])\n"
    "print('deaf', flush=True)\n"
    "time.sleep(600)\n"
)


def started(program: str, *arguments: str) -> service.Process:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True
    )


def test_process_that_does_not_end_is_killed_with_its_children_and_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "STOP_SECONDS", 0.5)
    process = started(DEAF, DEAF)
    assert process.stdout is not None
    # The second line is the child's.
    assert [process.stdout.readline() for _ in range(2)] == ["deaf\n", "deaf\n"]
    (child,) = psutil.Process(process.pid).children()
    with pytest.raises(RuntimeError, match="did not end in 0.5 s of SIGTERM and was killed"):
        with service.ending(process):
            pass
    process.stdout.close()
    assert (process.poll() is None, child.is_running()) == (False, False)


def test_process_that_ends_instead_of_answering_is_told_at_once() -> None:
    process = started("raise SystemExit(3)")
    with pytest.raises(RuntimeError, match="ended with status 3"):
        service.await_answer(f"http://127.0.0.1:{service.free_port()}/", process)
    process.communicate()


def test_answer_of_another_process_is_none_of_the_awaited_one() -> None:
    process = started("pass")
    process.communicate()
    with another_server() as port, pytest.raises(RuntimeError, match="ended with status 0"):
        service.await_answer(f"http://127.0.0.1:{port}/", process)


def test_port_that_never_answers_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "START_SECONDS", 0.5)
    process = started("import time; time.sleep(600)")
    began = time.monotonic()
    with silent() as port, pytest.raises(RuntimeError, match=f"no answer from .*:{port}/"):
        service.await_answer(f"http://127.0.0.1:{port}/", process)
    process.kill()
    process.communicate()
    assert time.monotonic() - began < 5
