"""Sets of what belongs to single filings: lines of their statements, sections of their texts."""

from datetime import date
from pathlib import Path

import pytest

from edgar_search.cli import main
from edgar_search.commands import stored_sets
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.commands import Run, runner
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts
from tests.support.sets import manifest, rows
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
CIK = "0009991611"
KILN = MadeUpEntity(CIK, "KILN CORP")
REPORT, LATER = "0009991610-24-000009", "0009991610-24-000010"
ITEMS = {"1": "Business", "1A": "Risk Factors", "2": "Properties", "3": "Legal Proceedings"}


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the installation of the test."""
    return runner(settings, monkeypatch, capsys)


async def test_lines_of_statements_are_those_of_the_endpoint(
    run: Run, client: Client, loads: Loads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_sets, "_FILINGS_AT_ONCE", 1)
    for number, year in (("0009991610-23-000009", 2022), (REPORT, 2023), (LATER, 2023)):
        await loads(report(number, CIK, report_facts(year), date(year + 1, int(number[-2:]), 1)))
    await run(main, "sets", "write", str(tmp_path), "--only", "statement_lines")
    names = [each["name"] for each in manifest(tmp_path)["files"]]
    assert names == ["statement_lines/2023.parquet", "statement_lines/2024.parquet"]
    found = rows(tmp_path, names[1])
    assert {each["accnum"] for each in found} == {REPORT, LATER}
    asked = {"accnum": REPORT, "statement": "balance_sheet,income_statement,cash_flow,equity"}
    reply = await client.get("/v1/statements", **asked)
    expected = [
        (statement["statement"], place, line["concept"], line["label"], value["value"])
        for statement in reply["statements"]
        for place, line in enumerate(statement["lines"])
        for value in line["values"] or [{"value": None}]
    ]
    assert len(expected) > 5
    assert expected == [
        (
            *(each[name] for name in ("statement", "line", "concept", "label")),
            None if each["value"] is None else float(each["value"]),
        )
        for each in found
        if each["accnum"] == REPORT
    ]


async def test_sections_have_their_places_in_the_text(
    run: Run, client: Client, loads: Loads, tmp_path: Path
) -> None:
    text = "".join(f"<p>Item {item}. {title}</p><p>Moss.</p>" for item, title in ITEMS.items())
    made = MadeUp(
        "0009991600-22-000077",
        (KILN,),
        (MadeUpDocument(text, "10-K", "a.htm"),),
        "10-K",
        date(2022, 5, 1),
    )
    await loads({"report.txt": txt(made)})
    await run(main, "sets", "write", str(tmp_path), "--only", "sections")
    found = rows(tmp_path, "sections/2022.parquet")
    assert [each["label"] for each in found] == [f"Item {item}" for item in ITEMS]
    document = await client.get("/v1/text", document_id=f"{made.accession_number}-1")
    risks = next(each for each in found if each["section"] == "10-K item 1A")
    assert document["text"][risks["start"] : risks["end"]].startswith("Item 1A. Risk Factors")
