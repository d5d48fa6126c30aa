"""Made-up annual reports with auditors, for `evaluation.cards`.

    python -m evaluation.made_auditors FOLDER
    edgar-ingest load FOLDER/filings
    python -m evaluation.cards --corpus FOLDER

Each of 40 companies files reports for 2021 to 2023. In turn they keep their auditor, change it,
report a change after the last year, stop naming it, name two at once, name a subsidiary's too,
never name one, and amend the last year's report.
"""

import argparse
import gzip
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.support.made_up_xbrl import ABOUT, report, report_facts
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

COMPANIES, YEARS = 40, (2021, 2022, 2023)
_BEGINNINGS = ("Alderholt", "Brackenby", "Cloverdine", "Dunmossy", "Elmgarth")
_ENDS = ("Mills", "Quarries", "Foundry", "Ferries", "Orchards", "Looms", "Kilns", "Wharves")
_FIRMS = (
    ("Ernst & Young LLP", "Boston, Massachusetts", "42"),
    ("KPMG LLP", "Omaha, NE", "185"),
    ("Heath, Ling & Company, P.C.", "Moor, Vermont", "9001"),
    ("DELOITTE & TOUCHE LLP", "Dallas, Texas", "34"),
)
_PART = (
    '<context id="part"><entity><identifier scheme="http://www.sec.gov/CIK">1</identifier><segment>'
    '<xbrldi:explicitMember dimension="dei:LegalEntityAxis">moss:PowerMember'
    "</xbrldi:explicitMember></segment></entity><period><startDate>2023-01-01</startDate>"
    "<endDate>2023-12-31</endDate></period></context>"
    '<dei:AuditorName contextRef="part">Fen LLP</dei:AuditorName>'
)
_SECOND = '<dei:AuditorName contextRef="about">Fen LLP</dei:AuditorName>'


def made_filings() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each submission."""
    for company in range(COMPANIES):
        cik, kind = f"{9_995_000 + company:010d}", company % 8
        name = f"{_BEGINNINGS[company // 8]} {_ENDS[kind]} Inc"
        for year in YEARS:
            changed = kind in (1, 2) and year == YEARS[-1]
            firm = _FIRMS[(company + changed) % len(_FIRMS)]
            is_last = year == YEARS[-1]
            named = kind != 6 and not (kind == 3 and is_last)
            yield _report(cik, name, year, "10-K", firm if named else None, kind if is_last else 0)
            if kind == 7 and is_last:
                yield _report(cik, name, year, "10-K/A", firm, kind)
        if kind == 2:
            yield _change(cik, name)


def _report(
    cik: str, name: str, year: int, form: str, firm: tuple[str, str, str] | None, kind: int
) -> tuple[str, bytes]:
    about = {**ABOUT, "DocumentFiscalYearFocus": str(year)}
    if firm is not None:
        about |= dict(zip(("AuditorName", "AuditorLocation", "AuditorFirmId"), firm, strict=True))
    amended = form.endswith("/A")
    number = f"{cik}-{(year + 1) % 100}-{1 + amended:06d}"
    day = date(year + 1, 2 + amended, 1)
    facts = report_facts(year, 1 + int(cik) % 7)
    made = report(number, cik, facts, day, form, about, name=name)[f"{number}.txt"]
    more = {4: _SECOND, 5: _PART}.get(kind, "")
    return number, made.replace(b"</xbrl>", f"{more}</xbrl>".encode())


def _change(cik: str, name: str) -> tuple[str, bytes]:
    number = f"{cik}-24-000009"
    items = ("Changes in Registrant's Certifying Accountant",)
    document = MadeUpDocument("Item 4.01 Changes in Registrant's Certifying Accountant.\n", "8-K")
    entity = MadeUpEntity(cik, name)
    made = MadeUp(
        number, (entity,), (document,), "8-K", date(2024, 6, 3), None, "20240603171500", items
    )
    return number, txt(made)


def main() -> None:
    """Write the submissions to a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder / "filings"
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in made_filings():
        (folder / f"{number}.txt.gz").write_bytes(gzip.compress(content))


if __name__ == "__main__":
    main()
