"""Stated numbers against a loaded report: `/v1/check_number`, and the numbers of a draft."""

from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import (
    BALANCE_SHEET,
    ROLES,
    MadeUpFact,
    MadeUpLine,
    report,
    report_facts,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
CIK, NUMBER = "0009991901", "0009991900-24-000001"
REGION, PRODUCT = "moss:RegionAxis", "us-gaap:ProductOrServiceAxis"
PARTS = [
    MadeUpFact(
        "us-gaap:Revenues", f"{millions}000000", date(year, 12, 31), date(year, 1, 1), members=of
    )
    for year, millions, of in (
        (2023, 60, ((REGION, "moss:NorthAmericaMember"),)),
        (2022, 48, ((REGION, "moss:NorthAmericaMember"),)),
        (2023, 25, ((PRODUCT, "moss:SlateMember"),)),
        (2023, 15, ((PRODUCT, "moss:SlateMember"), (REGION, "moss:NorthAmericaMember"))),
        (2023, 70, ((PRODUCT, "moss:MarbleMember"),)),
        (2023, 71, ((REGION, "moss:MarbleMember"),)),
    )
]
DEBTS = [
    MadeUpFact(f"us-gaap:{name}", f"{millions}000000", date(year, 12, 31))
    for name, year, millions in (
        ("ShortTermBorrowings", 2023, 10),
        ("LongTermDebtNoncurrent", 2023, 20),
        ("ShortTermBorrowings", 2022, 5),
        ("LongTermDebtNoncurrent", 2022, 20),
    )
]
LINES = [MadeUpLine(fact.concept, fact.concept.removeprefix("us-gaap:")) for fact in DEBTS[:2]]
WITH_DEBTS = (BALANCE_SHEET._replace(lines=[*BALANCE_SHEET.lines, *LINES]), *ROLES[1:])
ASKED = {"company": "Moss Quarries", "item": "net sales", "period": "2023"}


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    facts = [*report_facts(2023, 2, 1), *PARTS, *DEBTS]
    files = report(NUMBER, CIK, facts, date(2024, 2, 1), roles=WITH_DEBTS)
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_a_number_is_checked_with_the_filed_one(client: Client) -> None:
    reply = await client.get("/v1/check_number", **ASKED, value="$100 million")
    filed = reply.pop("filed")
    assert reply == {
        "verdict": "supported",
        "reason": "of the 365 days to 2023-12-31",
        "base": None,
        "earlier": [],
        "candidates": [],
    }
    assert filed.pop("document_id").startswith(NUMBER)
    assert filed == {
        "cik": CIK,
        "name": "MOSS QUARRIES CORP",
        "item": "revenue",
        "value": 100_000_000,
        "unit": "USD",
        "start": "2023-01-01",
        "end": "2023-12-31",
        "accnum": NUMBER,
        "filing_date": "2024-02-01",
        "place": None,
        "dimensions": [],
    }


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ({"value": "$101 million"}, "contradicted"),
        ({"value": "100%", "change": "rise"}, "supported"),
        ({"value": "$200 million", "item": "total_assets"}, "supported"),
        ({"value": "14%", "item": "net margin"}, "supported"),
        ({"value": "41%", "item": "net_margin"}, "contradicted"),
        ({"value": "14%", "item": "operating margin"}, "not_found"),
        ({"value": "$200 million", "item": "goodwill"}, "not_found"),
        ({"value": "$1 million", "company": "Nobody Here"}, "not_found"),
        ({"value": "$60 million", "part": "North America"}, "supported"),
        ({"value": "$60 million", "company": "Moss Quarries' North America"}, "supported"),
        ({"value": "25%", "part": "north america", "change": "rise"}, "supported"),
        ({"value": "$25 million", "part": "Slate"}, "supported"),
        ({"value": "$15 million", "part": "Slate"}, "contradicted"),
        ({"value": "$100 million", "part": "Slate"}, "contradicted"),
        # Two axes have such a member.
        ({"value": "$70 million", "part": "Marble"}, "ambiguous"),
        ({"value": "$60 million", "part": "America"}, "not_found"),
        ({"value": "$60 million", "part": "North America", "item": "net income"}, "not_found"),
        ({"value": "$30 million", "item": "total debt"}, "supported"),
        ({"value": "20%", "item": "total_debt", "change": "rise"}, "supported"),
        ({"value": "20%", "item": "total_debt", "change": "fall"}, "ambiguous"),
        ({"value": "$20 million", "item": "total debt"}, "ambiguous"),
        ({"value": "$30 million", "item": "total debt", "period": "2021"}, "not_found"),
    ],
)
async def test_verdicts(client: Client, asked: dict[str, Any], verdict: str) -> None:
    reply = await client.get("/v1/check_number", **{**ASKED, **asked})
    assert reply["verdict"] == verdict


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cik": CIK}, "exactly one of `cik`, `ticker` and `company`"),
        ({"company": ""}, "exactly one of `cik`, `ticker` and `company`"),
        ({"item": "profits"}, "`item`: profits is no standard item"),
        ({"item": "net debt"}, "`item`: net debt is no standard item"),
        (
            {"item": "total debt", "part": "Slate"},
            "`part` cannot be combined with `item` total_debt",
        ),
        ({"part": "x" * 201}, "`part`"),
        ({"item": "x" * 201}, "`item` may have at most 200 characters, not 201"),
        ({"period": "x" * 201}, "`period` may have at most 200 characters, not 201"),
        ({"value": "x" * 201}, "`value` may have at most 200 characters, not 201"),
        ({"company": "x" * 201}, "`company`"),
        ({"item": "net margin"}, "`value` of a margin must be in percent, without `change`"),
        ({"period": "soon"}, "`period` must be as `2023`"),
        ({"value": "12"}, "`value` must have its unit"),
        ({"value": "12%"}, "`change` is needed for a `value` in percent"),
        ({"change": "rise"}, "`change` is needed for a `value` in percent"),
    ],
)
async def test_bad_requests_say_what_would_be_right(
    client: Client, asked: dict[str, str], said: str
) -> None:
    parameters = {**ASKED, "value": "$1 million", **asked}
    reply = await client.http.get("/v1/check_number", params=parameters)
    assert (reply.status_code, said in reply.json()["error"]) == (400, True)


async def test_numbers_of_a_draft(client: Client) -> None:
    draft = (
        "In 2023, Moss Quarries Corp. had revenue of $100 million and net income of $15 million."
        " Its sales were $9 million in 2022. Moss Quarries' revenue rose 100% in 2023."
        ' "Moss Quarries\' revenue was $7 million in 2023."'
        " Granite Works had revenue of $3 million in 2023."
    )
    reply = await client.http.post("/v1/check_draft", json={"text": draft})
    claims = [each for each in reply.json()["claims"] if each["kind"] == "number"]
    assert [(claim["text"], claim["verdict"], claim["found"]) for claim in claims] == [
        ("$100 million", "supported", "100,000,000 USD"),
        ("$15 million", "contradicted", "14,000,000 USD"),
        ("$9 million", "unchecked", ""),
        ("100%", "supported", "100,000,000 USD"),
        ("$3 million", "not_found", ""),
    ]
    assert claims[3]["number"]["base"]["value"] == 50_000_000
    assert claims[2]["reason"] == "the sentence names no company"


async def test_numbers_of_parts_and_of_totals_in_a_draft(client: Client) -> None:
    draft = (
        "Moss Quarries' North America revenue was $60 million in 2023."
        " In 2023, Moss Quarries had revenue in North America of $61 million."
        " Moss Quarries' Slate segment had revenue of $25 million in 2023."
        " Moss Quarries' Granite segment had revenue of $25 million in 2023."
        " Moss Quarries' segment revenue was $25 million in 2023."
        " Moss Quarries' revenue from Granite was $25 million in 2023."
        " Moss Quarries' total debt was $30 million as of December 31, 2023."
        " Moss Quarries' total debt rose 20% in 2023."
        " Moss Quarries' total debt was $40 million in 2023."
    )
    reply = await client.http.post("/v1/check_draft", json={"text": draft})
    claims = reply.json()["claims"]
    assert [(claim["text"], claim["verdict"], claim["found"]) for claim in claims] == [
        ("$60 million", "supported", "60,000,000 USD"),
        ("$61 million", "contradicted", "60,000,000 USD"),
        ("$25 million", "supported", "25,000,000 USD"),
        ("$25 million", "unchecked", ""),
        ("$25 million", "unchecked", ""),
        ("$25 million", "unchecked", ""),
        ("$30 million", "supported", "30,000,000 USD"),
        ("20%", "supported", "30,000,000 USD"),
        ("$40 million", "ambiguous", "30,000,000 USD"),
    ]
    assert claims[0]["number"]["filed"]["dimensions"] == [f"{REGION}=moss:NorthAmericaMember"]
    filed = [each["item"] for each in claims[6]["number"]["candidates"]]
    assert filed == ["short_term_debt", "long_term_debt"]
