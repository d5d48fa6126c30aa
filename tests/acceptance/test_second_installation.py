"""All filings of the corpus in a second installation, which takes the first one for EDGAR."""

from pathlib import Path

import pytest

from edgar_search.settings import Settings
from tests.acceptance.service import Service
from tests.support.engines import installation
from tests.support.fetching import Command
from tests.support.loading import archived

pytestmark = pytest.mark.long
# A command is given four minutes.
YEARS = (("1993-01-01", "2003-12-31"), ("2004-01-01", "2019-12-31"), ("2020-01-01", "2026-09-30"))


def test_all_filings_are_fetched_byte_for_byte(
    engine_settings: Settings, settings: Settings, service: Service, tmp_path: Path
) -> None:
    second = installation(engine_settings, "second", tmp_path, edgar_url=service.url)
    for first_day, last_day in YEARS:
        days = ("--from", first_day, "--to", last_day)
        status, fetched = Command(second, "fetch", "--files", *days).ended()
        assert (status, fetched["pending"], fetched["failed"]) == (0, [], []), fetched
        status, checked = Command(second, "check", *days).ended()
        assert (status, checked["missing"]) == (0, 0), checked
    ours, theirs = archived(settings), archived(second)
    # A submission that was loaded in two forms is served as the one that was loaded last.
    numbers = [path.partition(".")[0] for path in theirs]
    assert sorted(numbers) == sorted({path.partition(".")[0] for path in ours})
    assert theirs == {path: ours[path] for path in theirs}
