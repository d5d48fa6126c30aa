"""Made-up filings whose text is dense with the most common words, which make queries expensive."""

from datetime import date
from itertools import accumulate
from pathlib import Path
from random import Random

from bench.dear_queries import COMMON
from tests.support.made_up_xbrl import (
    ABOUT,
    BALANCE_SHEET,
    ROLES,
    MadeUpFact,
    MadeUpLine,
    documents,
    instance,
    report_facts,
)
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

# Words of documents that stand beside the common ones.
RARE = tuple(f"quarry{number}" for number in range(2_000))
_WORDS_A_LINE = 12
# The filer of a report with long statements, and the report.
REPORTER, REPORT = "0009990080", "0009990080-24-000001"


def write_filings(folder: Path, submissions: int, characters: int, first: int = 0) -> None:
    """Write submissions of about this many characters each, the same ones every time.

    They are numbered from `first` on: `accession` has the accession number of each.
    """
    folder.mkdir()
    words = COMMON + RARE
    # By Zipf's law, as in any language.
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in range(first, first + submissions):
        random = Random(number)
        chosen = random.choices(words, cum_weights=weights, k=characters // 5)
        lines = [
            " ".join(chosen[at : at + _WORDS_A_LINE]) for at in range(0, len(chosen), _WORDS_A_LINE)
        ]
        entity = MadeUpEntity(f"00099903{number % 100:02d}", f"QUARRY {number} CORP")
        made_up = MadeUp(accession(number), (entity,), (MadeUpDocument("\n".join(lines) + "\n"),))
        (folder / f"{accession(number)}.txt").write_bytes(txt(made_up))


def write_table(folder: Path, number: int, rows: int) -> None:
    """Write a submission of this number with one table, of ten columns."""
    row = "<tr>" + "<td>1</td>" * 10 + "</tr>"
    text = f"<html><body><table>{row * rows}</table></body></html>"
    entity = MadeUpEntity("0009990400", "TABLE CORP")
    document = MadeUpDocument(text, file_name="table.htm")
    made_up = MadeUp(accession(number), (entity,), (document,))
    (folder / f"{accession(number)}.txt").write_bytes(txt(made_up))


def write_statements(folder: Path, lines: int) -> None:
    """Write a report of `REPORTER` with this many lines in each of three statements."""
    roles, facts = [], report_facts(2023)
    for role in ROLES:
        concepts = [f"moss:{role.heading.rpartition(':')[2]}{number}" for number in range(lines)]
        more = [MadeUpLine(each, f"Line {number}") for number, each in enumerate(concepts)]
        roles.append(role._replace(lines=(*role.lines, *more)))
        start = None if role == BALANCE_SHEET else date(2023, 1, 1)
        facts += [
            MadeUpFact(each, f"{number}000000", date(2023, 12, 31), start)
            for number, each in enumerate(concepts)
        ]
    xbrl = documents(instance(facts, ABOUT, REPORTER), roles)
    main = MadeUpDocument("<html><body>Report</body></html>", "10-K", "report.htm")
    entity = MadeUpEntity(REPORTER, "MOSS QUARRIES CORP", fiscal_year_end="1231")
    days = date(2024, 2, 1), date(2023, 12, 31)
    made_up = MadeUp(REPORT, (entity,), (main, *xbrl), "10-K", *days)
    (folder / f"{REPORT}.txt").write_bytes(txt(made_up))


def accession(number: int) -> str:
    """Return the accession number of the submission of this number."""
    return f"0009990301-21-{number:06d}"
