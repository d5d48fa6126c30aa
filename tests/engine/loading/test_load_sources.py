"""Archives, standard input and filters, from the command's sources to what is stored."""

import io
import tarfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.ledger import read_entries
from ingest.loading.session import load
from ingest.loading.summary import Summary
from ingest.sources.paths import EVERYTHING, FilingFilter, Sources
from tests.support.loading import counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990170", "MARBLE")
GRAVEL = MadeUpEntity("0009990171", "GRAVEL")


def tar(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def filing(number: str, entity: MadeUpEntity = MARBLE, **other: object) -> MadeUp:
    made_up = MadeUp(number, (entity,), (MadeUpDocument("Moss.\n"),))
    return msgspec.structs.replace(made_up, **other)


async def run(
    engine: Engine, settings: Settings, path: Path, what: FilingFilter = EVERYTHING
) -> Summary:
    with Sources([path], settings.absolute_home) as sources:
        return await load(engine, settings, sources, 1, what)


async def test_archive_is_loaded_member_by_member(
    engine: Engine, settings: Settings, tmp_path: Path, new_number: Callable[[], str]
) -> None:
    numbers = [new_number(), new_number()]
    path = tmp_path / "feed.tar.gz"
    files = {f"{number}.nc": nc(filing(number)) for number in numbers}
    path.write_bytes(tar(files | {"broken.nc": b"no submission"}))
    assert counts(await run(engine, settings, path)) == (2, 0, 0, 1)
    entries = await read_entries(engine, numbers)
    assert [entries[n].source for n in numbers] == [f"{path}!{n}.nc" for n in numbers]
    assert len(await stored(engine, "documents", numbers[1])) == 1
    assert counts(await run(engine, settings, path)) == (0, 2, 0, 1)
    assert list((settings.absolute_home / "spool").iterdir()) == []


async def test_damaged_archive_loads_what_stands_before_the_damage(
    engine: Engine, settings: Settings, tmp_path: Path, new_number: Callable[[], str]
) -> None:
    numbers = [new_number(), new_number()]
    path = tmp_path / "cut.tar"
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for number in numbers:
            info = tarfile.TarInfo(f"{number}.nc")
            info.size = len(nc(filing(number)))
            archive.addfile(info, io.BytesIO(nc(filing(number))))
    path.write_bytes(target.getvalue()[:1600])
    summary = await run(engine, settings, path)
    assert counts(summary) == (1, 0, 0, 1)
    reason = "the archive is damaged after 1 submissions: it is cut off inside of a member"
    assert summary.refusals == [{"source": str(path), "reason": reason}]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (FilingFilter(forms=frozenset({"10-K"})), [1]),
        (FilingFilter(ciks=frozenset({GRAVEL.cik})), [2]),
        (FilingFilter(from_date=date(2021, 1, 6)), [1, 3]),
        (FilingFilter(to_date=date(2021, 1, 5)), [0, 2]),
        (FilingFilter(from_date=date(2021, 1, 6), to_date=date(2021, 1, 6)), [1]),
    ],
)
async def test_filters_leave_out_and_count(
    engine: Engine,
    settings: Settings,
    tmp_path: Path,
    new_number: Callable[[], str],
    what: FilingFilter,
    expected: list[int],
) -> None:
    filings = [
        filing(new_number()),
        filing(new_number(), form_type="10-K", filing_date=date(2021, 1, 6)),
        filing(new_number(), GRAVEL),
        filing(new_number(), filing_date=date(2021, 1, 7)),
    ]
    (tmp_path / "in").mkdir()
    for each in filings:
        (tmp_path / "in" / f"{each.accession_number}.txt").write_bytes(txt(each))
    (tmp_path / "in" / "error.txt").write_bytes(b"no submission")
    summary = await run(engine, settings, tmp_path / "in", what)
    assert counts(summary) == (len(expected), 0, 0, 1)
    assert (summary.filtered, summary.seen) == (4 - len(expected), 5)
    found = [len(await stored(engine, "filings", each.accession_number)) for each in filings]
    assert found == [1 if place in expected else 0 for place in range(4)]
