"""Complete submissions of real XBRL files, which are published without their submission."""

import tarfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

_APPLE = MadeUpEntity("0000320193", "APPLE INC", fiscal_year_end="0925")
_MICROSOFT = MadeUpEntity("0000789019", "MICROSOFT CORP", fiscal_year_end="0630")
_NETFLIX = MadeUpEntity("0001065280", "NETFLIX INC", fiscal_year_end="1231")
_AMAZON = MadeUpEntity("0001018724", "AMAZON COM INC", fiscal_year_end="1231")
_UNION_PACIFIC = MadeUpEntity("0000100885", "UNION PACIFIC CORP", fiscal_year_end="1231")
# The whole sets: company, accession number, form and filing date.
SETS: dict[str, tuple[MadeUpEntity, str, str, date]] = {
    "aapl_10k_2010": (_APPLE, "0001193125-10-238044", "10-K", date(2010, 10, 27)),
    "aapl_10k_2022": (_APPLE, "0000320193-22-000108", "10-K", date(2022, 10, 28)),
    "aapl_10k_2023": (_APPLE, "0000320193-23-000106", "10-K", date(2023, 11, 3)),
    "aapl_10q_2023": (_APPLE, "0000320193-23-000077", "10-Q", date(2023, 8, 4)),
    "aapl_20250329": (_APPLE, "0000320193-25-000057", "10-Q", date(2025, 5, 2)),
    "msft_10k_2015": (_MICROSOFT, "0001193125-15-272806", "10-K", date(2015, 7, 31)),
    "nflx_10k_2010": (_NETFLIX, "0001193125-10-036181", "10-K", date(2010, 2, 22)),
    "nflx_2010": (_NETFLIX, "0001193125-10-238000", "10-Q", date(2010, 10, 27)),
    "nflx_10k_2024": (_NETFLIX, "0001065280-24-000030", "10-K", date(2024, 1, 26)),
    "nflx_2024": (_NETFLIX, "0001065280-24-000128", "10-Q", date(2024, 4, 22)),
    "segments_amzn": (_AMAZON, "0001018724-23-000004", "10-K", date(2023, 2, 3)),
    "unp": (_UNION_PACIFIC, "0000100885-13-000040", "10-K", date(2013, 2, 8)),
}
_TYPES = {
    ".xsd": "EX-101.SCH",
    "_pre.xml": "EX-101.PRE",
    "_lab.xml": "EX-101.LAB",
    "_cal.xml": "EX-101.CAL",
    "_def.xml": "EX-101.DEF",
    "_htm.xml": "XML",
}


def set_files(folder: Path, name: str) -> dict[str, bytes]:
    """Return the files of a set by their names."""
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        return {
            Path(member.name).name: file.read()
            for member in archive.getmembers()
            if (file := archive.extractfile(member)) is not None
        }


def wrap(folder: Path, name: str) -> bytes:
    """Return a complete submission of a set; EDGAR's broken lines are not imitated."""
    entity, number, form, day = SETS[name]
    files = set_files(folder, name)
    reports = [file for file in files if b"<ix:nonFraction" in files[file]]
    text = files[reports[0]].decode("utf-8") if reports else "<html><body>report</body></html>"
    documents = [MadeUpDocument(text, form, reports[0] if reports else "report.htm")]
    documents += _documents(files)
    return txt(MadeUp(number, (entity,), tuple(documents), form, day))


def _documents(files: dict[str, bytes]) -> Iterator[MadeUpDocument]:
    for name, body in sorted(files.items()):
        plain = name.removesuffix(".xml") if name.endswith(".xsd.xml") else name
        kind = next((kind for end, kind in _TYPES.items() if plain.endswith(end)), None)
        if kind is None and plain.endswith(".xml") and plain != "FilingSummary.xml":
            kind = "EX-101.INS"
        if kind is not None:
            text = body.decode("utf-8")
            yield MadeUpDocument(f"<XBRL>\n{text}\n</XBRL>\n", kind, plain)
