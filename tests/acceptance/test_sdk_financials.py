"""Financial methods of the official client, in both forms, over every filing with statements."""

import io
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import secblast
from openpyxl import load_workbook

from edgar_search.settings import Settings
from tests.acceptance import sdk
from tests.acceptance.service import Service, command, serving
from tests.fidelity.financials import WITH_PAGES
from tests.support.engines import installation
from tests.support.xbrl_sets import SETS, wrap

pytestmark = pytest.mark.long
APPLE = "0000320193"
STATEMENTS = {
    "balance_sheet": "get_balance_sheet",
    "income_statement": "get_income_statement",
    "cash_flow": "get_cash_flow",
}


@pytest.fixture(scope="module")
def service(
    engine_settings: Settings, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The service over the submissions of the corpus with statements, and the wrapped sets."""
    settings = installation(engine_settings, "numbers", tmp_path_factory.mktemp("home"))
    folder = tmp_path_factory.mktemp("sets")
    for name, (_, number, _, _) in SETS.items():
        (folder / f"{number}.txt").write_bytes(wrap(corpus / "xbrl", name))
    paths = [str(corpus / f"filings/{number}.txt.gz") for number in WITH_PAGES]
    loaded = command(settings, "ingest.cli", "load", str(folder), *paths)
    assert loaded.returncode == 0, loaded.stderr
    given = ("keys", "create", "--name", "numbers", "--plan", "unlimited")
    created = command(settings, "edgar_search.cli", *given)
    assert created.returncode == 0, created.stderr
    with serving(settings, created.stdout.splitlines()[-1]) as running:
        yield running


@pytest.fixture(scope="module", params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[sdk.Methods]:
    with sdk.client(request.param, service.url, service.key) as client:
        yield client


def filings(client: sdk.Methods) -> Iterator[tuple[str, Any]]:
    """Yield every filing that has statements, with its company."""
    ciks = [f"{int(entity.cik)}" for entity, _, _, _ in SETS.values()]
    for cik in dict.fromkeys(ciks):
        for filing in client.list_financial_filings(cik):
            yield cik, filing


def test_every_method_answers_for_every_filing(client: sdk.Methods) -> None:
    counted: Counter[str] = Counter()
    for cik, filing in filings(client):
        number = filing.accession_number
        whole = client.get_all_financials(cik, number)
        raw = client.get_raw_financials(cik, number)
        book = load_workbook(io.BytesIO(client.export_financials_excel(cik, number)))
        assert (raw.form_type, raw.filing_date) == (filing.form_type, filing.filing_date)
        assert len(book.sheetnames) == len(raw.statements) + 1
        for kind, method in STATEMENTS.items():
            one = getattr(client, method)(cik, number)
            table = getattr(client, method)(cik, number, format="table")
            assert one.model_dump() == getattr(whole, kind).model_dump(), number
            assert {v.unit for line in one.line_items for v in line.values}, number
            frame = table.to_dataframe()
            assert frame.shape == (len(table.rows), len(table.columns))
            # Rows of members, such as `Revenues[ProductMember]`, are of the table only.
            own = {name for name in frame.index if "[" not in name}
            assert own == set(raw.statements[kind][0].facts)
            # A value that a column has is a value of its line.
            lines: dict[str, set[float]] = {}
            for line in one.line_items:
                lines.setdefault(line.concept, set()).update(v.value for v in line.values)
            for row in (each for each in table.rows if each.concept in own):
                assert {v for v in row.values if v is not None} <= lines[row.concept], number
            counted[kind] += 1
        counted["filings"] += 1
    count = len(WITH_PAGES) + len(SETS)
    assert counted == {"filings": count, **dict.fromkeys(STATEMENTS, count)}


def any_of(values: list[Any]) -> bool:
    return any(value is not None for value in values)


def magnitudes(values: list[Any]) -> list[Any]:
    """Return the amounts without their signs, which the filer may reverse."""
    return [None if value is None else abs(value) for value in values]


def test_workbook_has_the_amounts_of_the_table(client: sdk.Methods) -> None:
    cells = 0
    for cik, filing in filings(client):
        number = filing.accession_number
        book = load_workbook(io.BytesIO(client.export_financials_excel(cik, number)))
        table = client.get_balance_sheet(cik, number, format="table")
        # Columns are in the same order, since they are of days.
        shown = [
            (row[0].value, [cell.value for cell in row[1 : 1 + len(table.columns)]])
            for row in book["Balance sheet"].iter_rows(min_row=4)
        ]
        assert [(label, magnitudes(values)) for label, values in shown if any_of(values)] == [
            (row.label, magnitudes(row.values)) for row in table.rows if any_of(row.values)
        ], number
        cells += sum(value is not None for row in table.rows for value in row.values)
    assert cells > 1_000


def test_properties_of_statements_have_their_numbers(client: sdk.Methods) -> None:
    number = "0000320193-23-000106"
    balance = client.get_balance_sheet(APPLE, number)
    income = client.get_income_statement(APPLE, number)
    assert (balance.total_assets, balance.total_liabilities, balance.total_equity) == (
        352_583_000_000,
        290_437_000_000,
        62_146_000_000,
    )
    assert (income.revenue, income.net_income) == (383_285_000_000, 96_995_000_000)
    assert income.get_value("EarningsPerShareDiluted") == pytest.approx(6.13)


def test_history_has_the_restatement_and_what_was_known_before(
    client: sdk.Methods, service: Service
) -> None:
    history = client.get_financial_history(APPLE, ["Assets", "NoSuchConcept"])
    ends = [value.period_end for value in history.concepts["Assets"]]
    assert history.concepts["NoSuchConcept"] == []
    assert ends == sorted(ends, reverse=True) and len(ends) == len(set(ends))

    def assets(**more: str) -> Decimal:
        asked = {"cik": APPLE, "concepts": "Assets", **more}
        reply = service.http.get("/v2/financials/history", params=asked).json()
        values = reply["concepts"]["Assets"]
        return Decimal(next(v["value"] for v in values if v["period_end"] == "2009-09-26"))

    # The amended report of January 2010 restates September 2009.
    assert assets() == 47_501_000_000
    assert assets(as_of="2009-12-31") == assets(original="true") == 53_851_000_000


def test_refusals_of_the_client(client: sdk.Methods) -> None:
    with pytest.raises(secblast.SecBlastError) as unknown:
        client.get_balance_sheet("7")
    assert unknown.value.status_code == 404
    with pytest.raises(secblast.ValidationError) as foreign:
        client.get_raw_financials("7", "0000320193-23-000106")
    assert foreign.value.message.startswith("accession_number 0000320193-23-000106 is a filing of")
