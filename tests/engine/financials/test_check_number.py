"""Stated numbers against a loaded report: `/v1/check_number`, and the numbers of a draft."""

from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
CIK, NUMBER = "0009991901", "0009991900-24-000001"
ASKED = {"company": "Moss Quarries", "item": "net sales", "period": "2023"}


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = report(NUMBER, CIK, report_facts(2023, 2, 1), date(2024, 2, 1))
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
        ({"item": "total debt"}, "`item`: total debt is no standard item"),
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
