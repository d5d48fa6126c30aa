"""Messages about a slow start."""

from pathlib import Path

import pytest

from edgar_search.engine.embedded import process
from edgar_search.engine.embedded.folders import EngineFolders

GB = 1_000_000_000
LOG = (
    "WARNING: Unknown module: org.example\n"
    "[2026-01-31T08:04:54,699][INFO ][o.e.n.Node               ] [vm] initializing\n"
    "[2026-01-31T08:05:01,118][INFO ][o.e.p.PluginsService     ] [vm] loaded module [x-pack]\n"
)


@pytest.mark.parametrize(
    ("load", "free", "said"),
    [
        (9.14, 4 * GB, "the machine is busy (load 9.1 on 2 cores)"),
        (9.14, GB // 10, "memory is short (100 MB are free)"),
        (0.5, 4 * GB, "the machine or its disk is slow (load 0.5 on 2 cores)"),
    ],
)
def test_cause_is_what_the_machine_lacks(load: float, free: int, said: str) -> None:
    assert process.of_machine(load, 2, free) == said


def test_last_message_has_neither_time_nor_logger() -> None:
    assert process.last_message(LOG) == "loaded module [x-pack]"


def test_reason_ends_with_the_log(tmp_path: Path) -> None:
    where = EngineFolders(tmp_path)
    where.log.write_text(LOG)
    assert process.reason(where).endswith("; its log says last: loaded module [x-pack]")
    where.log.write_text("")
    assert process.reason(where).endswith("; its log is empty")
