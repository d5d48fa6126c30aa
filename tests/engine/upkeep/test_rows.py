"""Rows of forms: `check` misses one that is gone, and the deletion of a filing deletes all."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import read_alias
from edgar_search.settings import Settings
from edgar_search.settings.values import ROW_KINDS
from ingest.commands.check import check, index_entries
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter
from tests.engine.upkeep.test_check import MARBLE, WANTED, index_file
from tests.support.loading import Loads, stored
from tests.support.ownership_forms import FORMS
from tests.support.submissions import MadeUp, MadeUpDocument, txt

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation, pytest.mark.any_engine]


async def test_rows_are_checked_and_deleted_with_their_filing(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    new_number: Callable[[], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filing = MadeUp(new_number(), (MARBLE,), (MadeUpDocument("Moss.\n"), *FORMS))
    number = filing.accession_number
    await loads({"forms.txt": txt(filing)})
    path = index_file(tmp_path, [filing])

    async def checked() -> dict[str, int]:
        capsys.readouterr()
        await check(engine, settings, index_entries([path], WANTED), deep=True)
        *rows, summary = capsys.readouterr().out.splitlines()
        found: dict[str, int] = json.loads(summary)["why"]
        assert len(rows) == sum(found.values())
        assert all("rows instead of" in row for row in rows)
        return found

    assert await checked() == {}
    (row,) = await stored(engine, "insider_trades", number)
    alias = read_alias(settings.prefix, "insider_trades")
    await engine.bulk_items(bulk_lines.delete(alias, row.id), visible=True)
    assert await checked() == {"not as loaded": 1}
    with Owner(settings.absolute_home) as owner:
        await Deleter(engine, settings, owner).delete(number)
    for kind in ROW_KINDS:
        assert await stored(engine, kind, number) == []
