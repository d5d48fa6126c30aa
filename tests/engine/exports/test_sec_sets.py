"""Sets in the layout of the SEC's own data sets: of financial statements, of insiders."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from edgar_search.cli import main
from edgar_search.settings import Settings
from tests.support.commands import Run, runner
from tests.support.loading import load_now
from tests.support.made_up_xbrl import MadeUpFact, report, report_facts
from tests.support.sets import rows
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
CIK, OWNER = "0009991901", "0009991902"
FIRST, SECOND = "0009991900-24-000001", "0009991900-24-000002"
FORM = "0009991900-24-000003"
NOTHING = "0009991900-24-000004"
NORTH = (("us-gaap:StatementBusinessSegmentsAxis", "moss:NorthMember"),)
_AFTER = (
    "<postTransactionAmounts><sharesOwnedFollowingTransaction><value>{}</value>"
    "</sharesOwnedFollowingTransaction></postTransactionAmounts><ownershipNature>"
    "<directOrIndirectOwnership><value>I</value></directOrIndirectOwnership><natureOfOwnership>"
    "<value>By trust</value></natureOfOwnership></ownershipNature>"
)
_DONE = (
    "<transactionDate><value>2024-03-05</value></transactionDate><transactionCoding>"
    "<transactionFormType>4</transactionFormType><transactionCode>{}</transactionCode>"
    "</transactionCoding><transactionAmounts><transactionShares><value>{}</value>"
    "</transactionShares><transactionPricePerShare><value>1.5</value></transactionPricePerShare>"
    "<transactionAcquiredDisposedCode><value>{}</value></transactionAcquiredDisposedCode>"
    "</transactionAmounts>"
)
_OPTION = (
    "<securityTitle><value>Option</value></securityTitle><conversionOrExercisePrice>"
    "<value>1.5</value></conversionOrExercisePrice>{}<exerciseDate><value>2023-01-01</value>"
    "</exerciseDate><expirationDate><value>2030-12-31</value></expirationDate><underlyingSecurity>"
    "<underlyingSecurityTitle><value>Common Stock</value></underlyingSecurityTitle>"
    "<underlyingSecurityShares><value>70</value></underlyingSecurityShares></underlyingSecurity>"
)
_STOCK = "<securityTitle><value>Common Stock</value></securityTitle>"


def form_4() -> str:
    """Return a form with a transaction and a holding, of stock and of options."""
    return (
        "<ownershipDocument><documentType>4</documentType>"
        f"<issuer><issuerCik>{CIK}</issuerCik><issuerName>MOSS QUARRIES CORP</issuerName>"
        "<issuerTradingSymbol>MOSS</issuerTradingSymbol></issuer><reportingOwner>"
        f"<reportingOwnerId><rptOwnerCik>{OWNER}</rptOwnerCik><rptOwnerName>Fern Ada</rptOwnerName>"
        "</reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector>"
        "<isOfficer>1</isOfficer><officerTitle>Chief Mason</officerTitle>"
        "</reportingOwnerRelationship></reportingOwner><aff10b5One>1</aff10b5One>"
        f"<nonDerivativeTable><nonDerivativeTransaction>{_STOCK}{_DONE.format('M', '70', 'A')}"
        f"{_AFTER.format('170')}</nonDerivativeTransaction><nonDerivativeHolding>{_STOCK}"
        f"{_AFTER.format('30')}</nonDerivativeHolding></nonDerivativeTable><derivativeTable>"
        f"<derivativeTransaction>{_OPTION.format(_DONE.format('M', '70', 'D'))}"
        f"{_AFTER.format('0')}</derivativeTransaction><derivativeHolding>{_OPTION.format('')}"
        f"{_AFTER.format('9')}</derivativeHolding></derivativeTable></ownershipDocument>"
    )


@pytest.fixture(scope="module")
def written(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load two reports of a company, and a form of an insider."""
    owned = MadeUp(
        FORM,
        (
            MadeUpEntity(CIK, "MOSS QUARRIES CORP", "ISSUER"),
            MadeUpEntity(OWNER, "FERN ADA", "REPORTING OWNER"),
        ),
        (MadeUpDocument(form_4(), "4", "form4.xml"),),
        "4",
        date(2024, 3, 7),
        date(2024, 3, 5),
    )
    plain = MadeUp(
        NOTHING,
        (MadeUpEntity(CIK, "MOSS QUARRIES CORP"),),
        (MadeUpDocument("Moss.\n"),),
        "8-K",
        date(2024, 4, 1),
    )
    north = MadeUpFact("us-gaap:Assets", "30000000", date(2023, 12, 31), members=NORTH)
    stones = MadeUpFact("moss:StonesInStock", "12", date(2023, 12, 31), unit="shares")
    files = {
        **report(FIRST, CIK, [*report_facts(2023), north, stones], date(2024, 2, 1)),
        **report(SECOND, CIK, [*report_facts(2023), stones], date(2024, 5, 1), "10-K/A"),
        "form.txt": txt(owned),
        "plain.txt": txt(plain),
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the installation of the test."""
    return runner(settings, monkeypatch, capsys)


async def table(run: Run, folder: Path, name: str) -> list[dict[str, Any]]:
    """Write a set, and return its rows of 2024."""
    done = await run(main, "sets", "write", str(folder), "--only", name)
    assert done.status == 0, done.error
    return rows(folder, f"{name}/2024.parquet")


@pytest.mark.usefixtures("written")
async def test_filings_with_statements(run: Run, tmp_path: Path) -> None:
    first, second = await table(run, tmp_path, "sec_financial_sub")
    assert (first["adsh"], second["adsh"]) == (FIRST, SECOND)
    shown = ("cik", "name", "sic", "fye", "form", "period", "fy", "fp", "filed", "instance")
    assert [first[name] for name in shown] == [
        *(9991901, "MOSS QUARRIES CORP", 1400, "1231", "10-K", 20231231, 2023, "FY", 20240201),
        "moss.xml",
    ]
    assert (first["nciks"], first["aciks"], second["form"]) == (1, None, "10-K/A")


@pytest.mark.usefixtures("written")
async def test_values_lines_and_concepts_fit_together(run: Run, tmp_path: Path) -> None:
    for name in ("num", "pre", "tag"):
        await table(run, tmp_path, f"sec_financial_{name}")

    def ask(question: str) -> Sequence[tuple[Any, ...]]:
        # As programs ask the SEC's tables.
        for name in ("num", "pre", "tag"):
            file = f"'{tmp_path}/sec_financial_{name}/2024.parquet'"
            question = question.replace(f"[{name}]", f"{file} as {name}")
        found = duckdb.sql(question)
        assert found is not None
        return found.fetchall()

    asked = (
        "select stmt, line, plabel, negating, qtrs, ddate, uom, value::double from [num]"
        f" join [pre] using (adsh, tag, version) where adsh = '{FIRST}' and ddate = 20231231"
        " and segments is null and tag in ('Revenues', 'CostOfRevenue', 'EarningsPerShareBasic')"
        " order by report, line"
    )
    assert ask(asked) == [
        ("IS", 3, "Sales of slate", 0, 4, 20231231, "USD", 50e6),
        ("IS", 4, "Cost of slate", 1, 4, 20231231, "USD", 30e6),
        ("IS", 6, "Earnings per share", 0, 4, 20231231, "USD", 0.7),
    ]
    assert ask("select count(*) from [pre] anti join [num] using (adsh, tag, version)") == [(0,)]
    assert ask("select count(*) from [num] anti join [tag] using (tag, version)") == [(0,)]
    key = "adsh, tag, version, ddate, qtrs, uom, segments, coreg"
    assert ask(f"select 1 from [num] group by {key} having count(*) > 1") == []
    assert ask("select 1 from [tag] group by tag, version having count(*) > 1") == []
    own = ask("select tag, version, custom, iord from [tag] where custom = 1 order by version")
    assert own == [("StonesInStock", number, 1, "I") for number in (FIRST, SECOND)]


@pytest.mark.usefixtures("written")
async def test_tables_of_insiders(run: Run, tmp_path: Path) -> None:
    (form,) = await table(run, tmp_path, "sec_insider_submission")
    assert form == {
        "ACCESSION_NUMBER": FORM,
        "FILING_DATE": "07-MAR-2024",
        "PERIOD_OF_REPORT": "05-MAR-2024",
        "DATE_OF_ORIG_SUB": None,
        "DOCUMENT_TYPE": "4",
        "ISSUERCIK": CIK,
        "ISSUERNAME": "MOSS QUARRIES CORP",
        "ISSUERTRADINGSYMBOL": "MOSS",
        "AFF10B5ONE": "1",
    }
    (owner,) = await table(run, tmp_path, "sec_insider_reportingowner")
    assert list(owner.values()) == [FORM, OWNER, "Fern Ada", "Director,Officer", "Chief Mason"]
    kept = {"DIRECT_INDIRECT_OWNERSHIP": "I", "NATURE_OF_OWNERSHIP": "By trust"}
    done = {"TRANS_DATE": "05-MAR-2024", "TRANS_CODE": "M", "TRANS_SHARES": 70}
    on = {"EXPIRATION_DATE": "31-DEC-2030", "UNDLYNG_SEC_SHARES": 70, "CONV_EXERCISE_PRICE": 1.5}
    for name, expected in (
        ("nonderiv_trans", {**done, "TRANS_ACQUIRED_DISP_CD": "A", "SHRS_OWND_FOLWNG_TRANS": 170}),
        ("nonderiv_holding", {"SECURITY_TITLE": "Common Stock", "SHRS_OWND_FOLWNG_TRANS": 30}),
        ("deriv_trans", {**done, **on, "EXCERCISE_DATE": "01-JAN-2023"}),
        ("deriv_holding", {**on, "EXERCISE_DATE": "01-JAN-2023", "SHRS_OWND_FOLWNG_TRANS": 9}),
    ):
        (row,) = await table(run, tmp_path, f"sec_insider_{name}")
        assert row["ACCESSION_NUMBER"] == FORM
        assert {field: row[field] for field in {**expected, **kept}} == {**expected, **kept}, name
