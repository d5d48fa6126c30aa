"""Imitations of EDGAR's daily archives, for the imitation of EDGAR."""

import io
import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from ingest.fetching.index_files import Quarter
from tests.support.edgar_site import EdgarSite
from tests.support.submissions import MadeUp, nc


def archive(submissions: Sequence[MadeUp]) -> bytes:
    """Return a day's archive as EDGAR has it."""
    return pack((each.accession_number, nc(each)) for each in submissions)


def pack(submissions: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an archive of submissions, each with its accession number."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        for number, content in submissions:
            member = tarfile.TarInfo(f"./{number}.nc")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def archive_path(day: date) -> str:
    """Return the path of a day's archive in the imitation."""
    return f"/Archives/edgar/{Quarter.of(day).feed_folder}/{day:%Y%m%d}.nc.tar.gz"


def put_archives(site: EdgarSite, archives: Mapping[date, bytes]) -> None:
    """Publish days' archives; their folders name them, and the sums that lie beside them."""
    site.files |= {archive_path(day): data for day, data in archives.items()}
    for quarter in {Quarter.of(day) for day in archives}:
        days = sorted(day for day in archives if Quarter.of(day) == quarter)
        names = [f"{day:%Y%m%d}.nc.tar.gz{end}" for day in days for end in ("", ".md5")]
        items = [{"name": name} for name in names]
        path = f"/Archives/edgar/{quarter.feed_folder}/index.json"
        site.files[path] = json.dumps({"directory": {"item": items}}).encode()
