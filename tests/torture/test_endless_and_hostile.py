"""Endless and expensive input, beside clients and filings that are good."""

import asyncio
import gzip
import tarfile
import time
from collections import Counter
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from edgar_search.settings import Settings
from tests.support.refusals import URI_TOO_LONG
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.torture.service import Target, Times, command, timed
from tests.torture.test_attacks import searches
from tests.web.http.test_raw_http import BLOCK, ENDLESS, ENDLESS_CASES, poured
from tests.web.process import Process

pytestmark = pytest.mark.anyio
POURING = 8
SEARCHES = 100
# What a search takes for so little is noise: no ratio is taken of less.
LEAST_SECONDS, MOST_TIMES_SLOWER = 0.05, 5.0
MOST_MEMORY = 60_000_000
ENTITY = MadeUpEntity("0009990402", "HOSTILE CORP")
# None of them may cost more than so long, and all together hardly more.
LOAD_SECONDS = 150.0
ZEROS = 300_000_000
# What is made to be slow to read, about a megabyte each.
HOSTILE = {
    "deep elements": "<html><body>" + "<div>" * 100_000 + "deepest" + "</div>" * 100_000,
    "misnested formatting": "<html><body>" + "<b><i><p>x</b></i>" * 40_000,
    "unclosed tags": "<html><body>" + "<a href=" * 100_000,
    "brackets": "<html><body>" + "<" * 1_000_000,
    "comments": "<html><body>" + "<!--" * 200_000,
    "entities": "<html><body>" + "&amp" * 200_000 + "&#" + "9" * 200_000 + ";",
    "namespaces": "<XBRL>\n" + "".join(f'<a{n} xmlns:n{n}="u{n}">' for n in range(20_000)),
    "combining marks": "a" + "\u0301\u0316\u0327" * 3_000,
    "long words": ("x" * 100_000 + " ") * 8,
    "tables": "<html><body>" + "<table><tr><td>" * 20_000,
}


async def test_endless_requests_leave_searches_as_they_are(target: Target) -> None:
    process = Process(target.port, target.pid, target.log)
    async with target.client() as client:
        alone = await searches(client, target.url, SEARCHES, 0)
        before = target.rss()
        pouring = asyncio.create_task(_pour_all(process))
        under = Times([], Counter())
        while not pouring.done() or len(under.seconds) < 20:
            await timed(client, under, f"{target.url}/v1/search", query="marble")
    print(f"alone: {alone}\nbeside endless requests: {under}")
    print(f"RSS {before / 1e6:.0f} MB before, {target.rss() / 1e6:.0f} MB after")
    assert await pouring > 0
    assert set(under.ended) == {200}
    usual = max(alone.quantile(0.99), LEAST_SECONDS)
    assert under.quantile(0.99) < MOST_TIMES_SLOWER * usual
    assert target.rss() - before < MOST_MEMORY


async def _pour_all(process: Process) -> int:
    """Send every endless request, several of each kind at once, and count the refusals.

    A connection that is closed while the client still sends may lose its answer, so fewer
    can come back than were sent; a single request of each kind is in tests/web/http.
    """
    refused = 0
    for start, block, refusal in ENDLESS_CASES.values():
        blocks = [(block for _ in range(ENDLESS // BLOCK)) for _ in range(POURING)]
        answers = await asyncio.gather(*(poured(process, start, each) for each in blocks))
        statuses = {int(answer[9:12]) for answer, _ in answers if answer}
        assert statuses <= {414 if refusal is URI_TOO_LONG else 431}
        refused += sum(bool(answer) for answer, _ in answers)
    return refused


def _filing(number: int, body: str) -> bytes:
    documents = (MadeUpDocument(body + "\n", file_name="a.htm"), MadeUpDocument("Moss survives.\n"))
    return txt(MadeUp(f"0009990402-21-{number:06d}", (ENTITY,), documents))


def test_hostile_filings_are_loaded_or_refused_in_time_and_the_good_one_is_there(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    for number, body in enumerate(HOSTILE.values()):
        (folder / f"{number}.txt").write_bytes(_filing(number, body))
    (folder / "zeros.txt.gz").write_bytes(gzip.compress(b"\0" * ZEROS))
    (folder / "cut.txt.gz").write_bytes(gzip.compress(_filing(90, "Cut.") * 50)[:-20])
    (folder / "evil.tar").write_bytes(_archive())
    (folder / "good.txt").write_bytes(_filing(99, "Basalt."))
    began = time.monotonic()
    last = command(settings, "ingest.cli", "load", str(folder), "--workers", "2")
    seconds = time.monotonic() - began
    summary = msgspec.json.decode(last)
    print(f"{len(HOSTILE)} hostile filings and 3 archives in {seconds:.0f} s: {last}")
    # One that is cut off, one of zeros only, and the member of the archive that is a file.
    assert (summary["loaded"], summary["refused"]) == (len(HOSTILE) + 1, 3)
    assert seconds < LOAD_SECONDS
    assert not (tmp_path / "outside.txt").exists()


def _archive() -> bytes:
    """Return an archive whose members are not files, or lie outside of it."""
    data = BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, kind in (("../outside.txt", tarfile.REGTYPE), ("link.txt", tarfile.SYMTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member, BytesIO())
    return data.getvalue()
