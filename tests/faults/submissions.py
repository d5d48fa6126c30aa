"""The submissions that are loaded under faults: new, changed, moved and damaged ones."""

from datetime import date
from pathlib import Path

import msgspec

from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

SUBMISSIONS = 40


def write_submissions(folder: Path) -> None:
    """First versions in `a`, then others of some of them in `b`; damaged files among both."""
    first, second = folder / "a", folder / "b"
    for each in (first, second):
        each.mkdir(parents=True)
    for number in range(SUBMISSIONS):
        made_up = _submission(number)
        name = made_up.accession_number
        form = nc if number % 7 == 3 else txt
        (first / f"{name}.{form.__name__}").write_bytes(form(made_up))
        if number % 8 == 5:
            (first / f"{name}.txt.cut.txt").write_bytes(_cut(txt(_changed(made_up, number))))
        if number % 2 == 0:
            (second / f"{name}.txt").write_bytes(txt(_changed(made_up, number)))
        if number % 10 == 4:
            (second / f"{name}.nc").write_bytes(nc(made_up))
    (second / "page.txt").write_bytes(b"<html><body>Request rate exceeded</body></html>")


def _submission(number: int) -> MadeUp:
    entities = (
        MadeUpEntity(f"00099902{number % 10:02d}", f"QUARRY {number} CORP", sic="3281"),
        MadeUpEntity("0009990299", f"GRAVEL FUND {number}", role="FILED BY"),
    )
    documents = tuple(
        MadeUpDocument(f"Quarry {number} sold marble {part}. " * (40 + 90 * part), f"EX-{part}")
        for part in range(1 + number % 4)
    )
    accession = f"0009990201-21-{number:06d}"
    return MadeUp(accession, entities, documents, filing_date=date(2020, 1, 5))


def _changed(made_up: MadeUp, number: int) -> MadeUp:
    """Shorter, longer, moved to another year, or under another name."""
    match number % 4:
        case 0:
            return msgspec.structs.replace(made_up, documents=(MadeUpDocument("Only this.\n"),))
        case 1:
            more = (*made_up.documents, MadeUpDocument("Moss grows. " * 900))
            return msgspec.structs.replace(made_up, documents=more)
        case 2:
            moved = made_up.documents[:1]
            return msgspec.structs.replace(made_up, documents=moved, filing_date=date(2019, 12, 31))
        case _:
            renamed = msgspec.structs.replace(made_up.entities[0], name="RENAMED CORP")
            return msgspec.structs.replace(made_up, entities=(renamed,))


def _cut(data: bytes) -> bytes:
    """Return a submission that lost its end."""
    return data.rpartition(b"<DOCUMENT>")[0]
