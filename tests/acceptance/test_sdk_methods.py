"""Every method of the official client, in both forms, against the real corpus and its files."""

import inspect
import io
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

import pytest
import secblast
from secblast.endpoints.filings import FilingLookupResult

from tests.acceptance import sdk
from tests.acceptance.service import Service
from tests.acceptance.submissions import File

SERVED = {
    "export_financials_excel",
    "fulltext_search",
    "get_8k_items",
    "get_all_financials",
    "get_balance_sheet",
    "get_cash_flow",
    "get_document",
    "get_entity",
    "get_filing_info",
    "get_filing_sections",
    "get_financial_history",
    "get_income_statement",
    "get_pdf",
    "get_raw_financials",
    "health_check",
    "list_financial_filings",
    "lookup_entities",
    "lookup_filings",
}
APPLE = "0000320193"


@pytest.fixture(scope="module")
def by_number(files: list[File]) -> dict[str, File]:
    """Every submission by accession number."""
    return {file.number: file for file in files}


@pytest.fixture(scope="module", params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[sdk.Methods]:
    with sdk.client(request.param, service.url, service.key) as client:
        yield client


def numbers(result: FilingLookupResult) -> list[str]:
    return [filing.accession_number for filing in result.filings]


@pytest.mark.parametrize("kind", [secblast.SecBlastClient, secblast.AsyncSecBlastClient])
def test_these_are_all_methods_of_the_client(kind: type[object]) -> None:
    methods = {name for name, _ in inspect.getmembers(kind, inspect.isfunction)}
    assert {name for name in methods if not name.startswith("_")} - {"close"} == SERVED


def test_pdf_of_a_document_and_of_a_filing(client: sdk.Methods) -> None:
    reader = pytest.importorskip("pypdf", reason="the extra `pdf` is not installed").PdfReader
    number = "0000037996-17-000084"
    document = reader(io.BytesIO(client.get_pdf(document_id=f"{number}-1")))
    filing = reader(io.BytesIO(client.get_pdf(accession_number=number)))
    assert "FORD MOTOR COMPANY" in document.pages[0].extract_text()
    assert [(mark.title, filing.get_destination_page_number(mark)) for mark in filing.outline] == [
        ("8-K", 0),
        ("EX-99 EXHIBIT 99", len(document.pages)),
    ]


@pytest.mark.long
@pytest.mark.parametrize("tenth", range(10))
def test_every_filing_has_a_pdf(service: Service, by_number: dict[str, File], tenth: int) -> None:
    reader = pytest.importorskip("pypdf", reason="the extra `pdf` is not installed").PdfReader
    with sdk.client("async" if tenth % 2 else "sync", service.url, service.key) as client:
        for number in sorted(by_number)[tenth::10]:
            printed = reader(io.BytesIO(client.get_pdf(accession_number=number)))
            pages = [printed.get_destination_page_number(mark) for mark in printed.outline]
            assert pages[0] == 0 and pages == sorted(set(pages)), number
            assert pages[-1] < len(printed.pages), number
            words = printed.pages[0].extract_text()
            assert words.strip() or printed.pages[0].images, number


def test_health(client: sdk.Methods) -> None:
    assert client.health_check() is True


def test_wrong_key_is_an_authentication_error(service: Service) -> None:
    with sdk.client("sync", service.url, "sk_live_wrong") as stranger:
        with pytest.raises(secblast.AuthenticationError) as refusal:
            stranger.get_entity(cik=APPLE)
    assert refusal.value.message == "Invalid or missing API key"


def test_unknown_ids_are_a_404(client: sdk.Methods) -> None:
    number = "0000000001-99-000001"
    for method, argument in (
        ("get_filing_info", number),
        ("get_document", f"{number}-1"),
        ("get_filing_sections", f"{number}-1"),
    ):
        with pytest.raises(secblast.SecBlastError) as refusal:
            getattr(client, method)(argument)
        assert (refusal.value.status_code, refusal.value.message) == (
            404,
            f"there is no filing {number}",
        )
    with pytest.raises(secblast.SecBlastError) as refusal:
        client.get_document("0000320193-24-000061-77")
    assert refusal.value.message == "there is no document 0000320193-24-000061-77"


def test_entity_has_what_its_latest_header_says(client: sdk.Methods) -> None:
    entity = client.get_entity(ticker="aapl")
    assert (entity.cik, entity.name, entity.conformed_name) == (APPLE, "Apple Inc.", "Apple Inc.")
    assert (entity.sic, entity.ein, entity.state_of_incorporation) == ("3571", "942404110", "CA")
    assert (entity.fiscal_year_end, entity.tickers, entity.exchanges) == (
        "0928",
        ["AAPL"],
        ["Nasdaq"],
    )
    assert entity.addresses["business"].city == "CUPERTINO"
    assert [name.name for name in entity.former_names] == ["APPLE INC", "APPLE COMPUTER INC"]
    assert (entity.former_names[1].from_date, entity.former_names[1].to_date) == (
        "1997-08-08",
        "2007-01-09",
    )


def test_unknown_entity_is_none(client: sdk.Methods) -> None:
    assert client.get_entity(ticker="NOPE") is None


def test_filings_are_all_and_have_what_their_files_say(
    client: sdk.Methods, by_number: dict[str, File]
) -> None:
    result = client.lookup_filings(to=10_000)
    assert (result.count, result.truncated) == (len(by_number), False)
    newest = sorted(by_number.values(), key=lambda file: (file.filed, file.number), reverse=True)
    assert numbers(result) == [file.number for file in newest]
    for filing, file in zip(result.filings, newest, strict=True):
        facts = file.facts
        assert (filing.form_type, filing.filing_date.isoformat()) == (facts["form"], file.filed)
        assert (filing.size, filing.document_count) == (file.size, len(file.bodies))
        assert [document.id for document in filing.documents] == file.document_ids()
        assert [d.file_name or "" for d in filing.documents] == [
            facts.get(f"document[{n}].file", "") for n in range(len(file.bodies))
        ]
        assert [d.size for d in filing.documents] == [len(body) for body in file.bodies]
        assert filing.cik in file.ciks()
        assert (filing.acceptance_datetime is None) == ("accepted" not in facts)


def test_windows_join_to_the_whole(client: sdk.Methods, by_number: dict[str, File]) -> None:
    whole: list[str] = []
    for start in range(0, 600, 150):
        result = client.lookup_filings(from_=start, to=start + 150)
        assert (result.count, result.truncated) == (len(by_number), start + 150 < len(by_number))
        whole += numbers(result)
    assert len(whole) == len(set(whole)) == len(by_number)


def test_filing_filters(client: sdk.Methods, by_number: dict[str, File]) -> None:
    def expected(form: re.Pattern[str], first: str, last: str) -> set[str]:
        return {
            number
            for number, file in by_number.items()
            if form.fullmatch(file.facts["form"]) and first <= file.filed <= last
        }

    found = client.lookup_filings(
        form_types=["10-K", "8-K"], date_from=date(2000, 1, 1), date_to="2004-12-31", to=10_000
    )
    assert set(numbers(found)) == expected(re.compile("10-K|8-K"), "2000-01-01", "2004-12-31")
    found = client.lookup_filings(exclude_amendments=True, excluded_form_types=["4"], to=10_000)
    assert set(numbers(found)) == expected(re.compile("(?!4$)(?!.*/A$).*"), "1990", "2100")
    found = client.lookup_filings(tickers=["aapl"], to=10_000)
    assert set(numbers(found)) == {n for n, file in by_number.items() if APPLE in file.ciks()}
    assert found.count > 10
    assert client.lookup_filings(tickers=["NOPE"]).count == 0


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize(
    "field", ["filing_date", "acceptance_date_time", "report_date", "form", "size", "entity_name"]
)
def test_sorts(client: sdk.Methods, field: str, order: str) -> None:
    names = {"acceptance_date_time": "acceptance_datetime", "form": "form_type"}
    result = client.lookup_filings(sort_by=field, sort_order=order, to=10_000)
    values = [getattr(filing, names.get(field, field)) for filing in result.filings]
    known = [value for value in values if value is not None]
    assert values[: len(known)] == known, "what has no value comes last"
    # Names are in the order of a register, whatever is written in capitals.
    key = str.casefold if field == "entity_name" else None
    assert known == sorted(known, key=key, reverse=order == "desc")


def test_items_filter_finds_what_has_the_item(client: sdk.Methods) -> None:
    every = client.lookup_filings(form_types=["8-K"], to=10_000).filings
    with_item = {
        f.accession_number for f in every if "2.02" in {i.item_type for i in f.eightk_items}
    }
    assert len(with_item) > 3
    assert set(numbers(client.lookup_filings(items=["2.02"], to=10_000))) == with_item


def test_filing_info(client: sdk.Methods, by_number: dict[str, File]) -> None:
    file = by_number["0000320193-24-000061"]
    detail = client.get_filing_info(file.number)
    assert (detail.filing.form_type, detail.filing.cik) == (file.facts["form"], APPLE)
    assert detail.filing.acceptance_datetime.isoformat() == "2024-04-29T13:00:18+00:00"
    assert detail.filer["name"] == "Apple Inc."
    assert [document.id for document in detail.documents] == file.document_ids()


def test_eight_k_items(client: sdk.Methods, by_number: dict[str, File]) -> None:
    eight_ks = [number for number, file in by_number.items() if file.facts["form"] == "8-K"][:100]
    items = client.get_8k_items(eight_ks)
    assert list(items) == eight_ks
    with_items = {number: found for number, found in items.items() if found}
    assert len(with_items) > 0.9 * len(eight_ks)
    for number, found in with_items.items():
        assert {item.accession_number for item in found} == {number}
        assert all(re.fullmatch(r"\d{1,2}(\.\d\d)?", item.item_type) for item in found)
        assert all(item.item_name for item in found)


# Both clients ask for every section of each report.
@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.long)])
def test_sections_are_cut_from_the_document(
    client: sdk.Methods, by_number: dict[str, File], every: int
) -> None:
    counted: Counter[str] = Counter()
    reports = [file for file in by_number.values() if file.facts["form"] in ("10-K", "10-Q")]
    for file in reports[::every]:
        form = file.facts["form"]
        listed = client.get_filing_info(file.number).sections
        # By the id: the document of a section that leads to an exhibit is the exhibit.
        for document_id in {section.id.partition("#")[0] for section in listed}:
            sections = client.get_filing_sections(document_id, form)
            own = [each for each in listed if each.id.startswith(f"{document_id}#")]
            assert [(s.id, s.name, s.label) for s in sections] == [
                (s.id, s.name, s.label) for s in own
            ]
            assert all(section.content for section in sections)
            counted[form] += 1
    assert counted["10-K"] > 20 // every and counted["10-Q"] > 40 // every


def test_sections_of_the_other_form_are_refused(
    client: sdk.Methods, by_number: dict[str, File]
) -> None:
    file = next(file for file in by_number.values() if file.facts["form"] == "10-Q")
    with pytest.raises(secblast.ValidationError) as refusal:
        client.get_filing_sections(file.document_ids()[0])
    assert refusal.value.message == "`form_type` must be 10-Q, as of the filing, not 10-K"


def test_financial_methods(client: sdk.Methods) -> None:
    (newest, *_) = client.list_financial_filings(APPLE)
    number = newest.accession_number
    whole = client.get_all_financials(APPLE)
    balance = client.get_balance_sheet(APPLE)
    income = client.get_income_statement(APPLE, number)
    flow = client.get_cash_flow(APPLE, number, format="table")
    raw = client.get_raw_financials(APPLE, number)
    assert whole.balance_sheet.model_dump() == balance.model_dump()
    assert income.accession_number == raw.accession_number == number
    assert flow.to_dataframe().shape == (len(flow.rows), len(flow.columns))
    history = client.get_financial_history(APPLE, ["Assets"])
    assert balance.total_assets in [value.value for value in history.concepts["Assets"]]
    assert client.export_financials_excel(APPLE).startswith(b"PK\x03\x04")
