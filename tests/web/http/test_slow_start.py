"""Workers that take long to start, as they do on a busy machine: they are waited for."""

import os
from pathlib import Path

import pytest

from tests.web.process import request, running_service

pytestmark = [pytest.mark.anyio, pytest.mark.long]
# More than the 5 seconds that uvicorn gives a worker by itself.
SLOW = """
import sys, time
if any("spawn_main" in argument for argument in sys.orig_argv):
    time.sleep(6.5)
"""


async def test_worker_that_starts_slowly_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    async with running_service(tmp_path, workers=2) as service:
        assert (await service.ask(request(b"/health/live"))).status == 200
    assert "died" not in service.log.read_text()
