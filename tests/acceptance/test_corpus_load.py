"""Loads of the real corpus: complete, the same again, and after being killed."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from msgspec import Struct, field

from bench.loading import environment
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from tests.acceptance.service import command, last_line_json
from tests.conftest import remove_everything
from tests.oracle.texts import Texts

FILES, FILINGS = 583, 582
DOCUMENTS, CHARACTERS = 1544, 49_058_805
KINDS: tuple[Kind, ...] = ("filings", "documents", "ledger", "entities")


class Revision(Struct):
    """A stored entry: each write gives it another number."""

    id: str = field(name="_id")
    seq_no: int = field(name="_seq_no")


def revisions(settings: Settings, kind: Kind) -> dict[str, int]:
    """Return the revision of every entry of a kind."""

    async def read() -> dict[str, int]:
        body = {"size": 10_000, "_source": False, "seq_no_primary_term": True}
        engine = Engine.from_settings(settings)
        try:
            await engine.refresh(kind)
            reply = await engine.search(kind, body | {"track_total_hits": True}, Revision)
        finally:
            await engine.close()
        assert reply.total == len(reply.hits.hits)
        return {hit.id: hit.seq_no for hit in reply.hits.hits}

    return asyncio.run(read())


def outcomes(summary: dict[str, Any]) -> dict[str, int]:
    names = ("seen", "loaded", "unchanged", "superseded", "refused")
    return {name: summary[name] for name in names}


def test_every_filing_is_loaded(first_load: dict[str, Any]) -> None:
    assert outcomes(first_load) == {
        "seen": FILES,
        "loaded": FILINGS,
        "unchanged": 0,
        "superseded": 1,
        "refused": 0,
    }
    assert (first_load["refusals"], first_load["too_large"]) == ([], [])
    assert first_load["unknown_fields"] == {}


def test_what_is_stored_is_what_the_summary_counts(
    settings: Settings, first_load: dict[str, Any], texts: Texts
) -> None:
    assert len(revisions(settings, "filings")) == FILINGS
    assert len(revisions(settings, "ledger")) == FILINGS
    assert len(revisions(settings, "documents")) == first_load["documents"] == DOCUMENTS
    assert len(texts.texts) == DOCUMENTS
    assert sum(map(len, texts.texts.values())) == first_load["characters"] == CHARACTERS


def test_second_load_changes_nothing(
    settings: Settings, first_load: dict[str, Any], corpus: Path
) -> None:
    before = {kind: revisions(settings, kind) for kind in KINDS}
    finished = command(settings, "ingest.cli", "load", str(corpus / "filings"))
    assert finished.returncode == 0, finished.stderr
    assert outcomes(last_line_json(finished)) == {
        "seen": FILES,
        "loaded": 0,
        "unchanged": FILES,
        "superseded": 0,
        "refused": 0,
    }
    assert {kind: revisions(settings, kind) for kind in KINDS} == before


@pytest.fixture
def interrupted(settings: Settings) -> Iterator[Settings]:
    """Another installation, for the load that is killed."""
    own = msgspec.structs.replace(settings, prefix=f"{settings.prefix}killed-")
    yield own
    asyncio.run(remove_everything(own))


@pytest.fixture
def part(corpus: Path, tmp_path: Path) -> Path:
    """A folder of a quarter of the filings."""
    for file in sorted((corpus / "filings").glob("*.gz"))[::4]:
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


@pytest.mark.long
def test_killed_load_started_again_ends_as_if_never_killed(
    interrupted: Settings, part: Path, texts: Texts
) -> None:
    arguments = [sys.executable, "-m", "ingest.cli", "load", str(part), "--workers", "2"]
    with subprocess.Popen(arguments, env=environment(interrupted)) as load:
        await_documents(interrupted)
        workers = psutil.Process(load.pid).children(recursive=True)
        load.send_signal(signal.SIGKILL)
    assert load.returncode == -signal.SIGKILL
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    finished = command(interrupted, *arguments[2:])
    assert finished.returncode == 0, finished.stderr
    summary = last_line_json(finished)
    files = [path.name for path in part.iterdir()]
    numbers = {name[:20] for name in files}
    assert (summary["seen"], summary["refused"]) == (len(files), 0)
    assert revisions(interrupted, "filings").keys() == numbers
    assert sorted(revisions(interrupted, "documents")) == sorted(
        key for key in texts.texts if key[:20] in numbers
    )


def await_documents(settings: Settings) -> None:
    """Wait until the first batch is being written."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if written(settings):
            return
        time.sleep(0.05)
    raise AssertionError("the load has not written anything in a minute")


def written(settings: Settings) -> bool:
    async def count() -> int:
        engine = Engine.from_settings(settings)
        try:
            stats = await engine.administer("GET", f"/{settings.prefix}passages.*/_stats/indexing")
        finally:
            await engine.close()
        return int(stats["_all"]["total"].get("indexing", {}).get("index_total", 0)) if stats else 0

    return asyncio.run(count()) > 0
