"""The browser of these tests itself: it ends with them, also if it hangs."""

import signal
import time

import psutil
import pytest

from tests.browser import conftest


def chromium_processes() -> list[psutil.Process]:
    family = psutil.Process().children(recursive=True)
    return [each for each in family if each.name().startswith("chrom")]


@pytest.mark.skipif(conftest.CHROMIUM is None, reason="chromium is missing: `make browser`")
def test_browser_that_does_not_close_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "CLOSE_SECONDS", 1.0)
    began = time.monotonic()
    with pytest.raises(RuntimeError, match="did not close in 1 s and was killed"):
        with conftest.launched() as browser:
            browser.new_page()
            frozen = chromium_processes()
            for each in frozen:
                each.send_signal(signal.SIGSTOP)
    assert frozen and psutil.wait_procs(frozen, timeout=10)[1] == []
    assert time.monotonic() - began < 20
