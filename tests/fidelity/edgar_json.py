"""EDGAR's own submissions JSON against the parser, for every header that both have."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

from edgar_search.edgar.header import Header, parse_header
from edgar_search.edgar.submission import Submission, parse_submission
from tests.fidelity.comparison import Comparison, content, files
from tests.fidelity.header_lines import Facts

Row = dict[str, Any]


def submissions_json(corpus: Path) -> Comparison:
    """Return each filing of each JSON file, against the submission or the header alone."""
    comparison = Comparison()
    rows = _rows(corpus)
    for path in _paths(corpus):
        for source, cik, row in rows.get(path.name[:20], ()):
            parsed = _parsed(path)
            header = parsed.header if isinstance(parsed, Submission) else parsed
            facts = _facts(parsed, header, cik, len(content(path)))
            comparison.add(f"{source} {path.name}", facts, _row_facts(row, facts))
    return comparison


Dated = tuple[date, date, date]


def former_names(corpus: Path) -> dict[tuple[str, str], Dated]:
    """Return the header's date, and the JSON's first and last day, by CIK and former name."""
    told = {}
    for name, data in files(corpus / "submissions"):
        for former in json.loads(data).get("formerNames", ()):
            told[name[3:13], former["name"].upper()] = (day(former["from"]), day(former["to"]))
    found: dict[tuple[str, str], Dated] = {}
    for path in _paths(corpus):
        parsed = _parsed(path)
        header = parsed.header if isinstance(parsed, Submission) else parsed
        for entity in header.entities:
            for former in entity.former_names:
                key = (entity.cik, former.name.upper())
                if key in told and former.since:
                    found[key] = (former.since, *told[key])
    return found


def day(text: str) -> date:
    """Return the day of a time of the JSON."""
    return date.fromisoformat(text[:10])


def _paths(corpus: Path) -> list[Path]:
    """Return submissions and headers alone."""
    folders = [*(corpus / "filings").glob("*.gz"), *(corpus / "headers").glob("*-*-*")]
    return sorted(path for path in folders if path.suffix != ".html")


def _parsed(path: Path) -> Submission | Header:
    whole = path.parent.name == "filings"
    return parse_submission(content(path)) if whole else parse_header(content(path))


def _rows(corpus: Path) -> dict[str, list[tuple[str, str, Row]]]:
    """Return the JSON file, its CIK, and the filing's row in it, by accession number."""
    rows: dict[str, list[tuple[str, str, Row]]] = defaultdict(list)
    for name, data in files(corpus / "submissions"):
        whole = json.loads(data)
        table = whole["filings"]["recent"] if "filings" in whole else whole
        for number, accession in enumerate(table["accessionNumber"]):
            row = {key: column[number] for key, column in table.items() if number < len(column)}
            rows[accession].append((name, name[3:13], row))
    return rows


def _facts(parsed: Submission | Header, header: Header, cik: str, size: int) -> Facts:
    (values,) = {e.filing_values for e in header.entities if e.cik == cik}
    filed = values[0] if values else None
    act = (filed.act if filed else None) or ""
    facts = {
        "filed": header.filing_date.isoformat(),
        "period": header.period.isoformat() if header.period else "",
        "form": header.form_type,
        # The archive's text files have the items' names and the years of the acts.
        "items": ",".join(header.items) if all(x[0].isdigit() for x in header.items) else "names",
        "act": act[2:4] if act.endswith(" Act") else act,
        "file": (filed.file_number if filed else None) or "",
        "film": (filed.film_number if filed else None) or "",
        "accepted": header.accepted_at.strftime("%Y%m%d%H%M%S") if header.accepted_at else "",
    }
    if isinstance(parsed, Submission):
        facts["document"] = parsed.documents[0].file_name
        facts["title"] = parsed.documents[0].description
        facts["size"] = str(size)
    return facts


def _row_facts(row: Row, facts: Facts) -> Facts:
    told = {
        "filed": row["filingDate"],
        "period": row["reportDate"],
        "form": row["form"],
        "items": row["items"] if facts["items"] != "names" else "names",
        "act": row["act"],
        "file": row["fileNumber"],
        "film": row["filmNumber"],
        "accepted": "".join(filter(str.isdigit, row["acceptanceDateTime"]))[:14],
    }
    if "document" in facts:
        told |= {"document": row["primaryDocument"], "title": row["primaryDocDescription"]}
        told["size"] = str(row["size"])
    return told if facts["accepted"] else {**told, "accepted": ""}
