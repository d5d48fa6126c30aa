"""The line that says how far a load is, with containers that are counted as they are read."""

import io
import logging
import tarfile
import time
from pathlib import Path

import pytest

from ingest.loading.summary import Progress, Summary
from ingest.sources.paths import Sources


def test_submissions_in_a_container_are_counted_as_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with tarfile.open(tmp_path / "day.tar", "w") as tar:
        for number in range(3):
            member = tarfile.TarInfo(f"{number}.nc")
            member.size = 4
            tar.addfile(member, io.BytesIO(b"text"))
    (tmp_path / "a.txt").write_bytes(b"text")
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    caplog.set_level(logging.INFO)
    summary = Summary()
    with (
        Sources([tmp_path], tmp_path / "home") as sources,
        Progress(sources, summary) as progress,
    ):
        reading = iter(sources)
        assert (len(sources), sources.counted) == (2, False)
        for seen in (1, 2):
            next(reading)
            summary.loaded = seen
        next(reading)
        now[0] += 10
        progress.update()
        assert len(list(reading)) == 1
        assert (len(sources), sources.counted) == (4, True)
        now[0] += 10
        progress.update()
    assert caplog.messages == [
        "2 of at least 3 files: 2 loaded, 0 unchanged, 0 refused; 0.2 files/s",
        "2 of 4 files: 2 loaded, 0 unchanged, 0 refused; 0.1 files/s, 20 s left",
    ]
