"""Notices on Form 144 as rows: loaded, found, exported."""

import csv
import io
import json
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.ownership_forms import FORM_144
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
SALES = "/v1/planned_sales"
NUMBER = "0009990094-25-000001"


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A notice of two classes."""
    document = MadeUpDocument(f"<XML>\n{FORM_144}</XML>\n", "144", "primary_doc.xml")
    issuer = MadeUpEntity("0009990001", "MOSS & SONS", role="SUBJECT COMPANY")
    files = {"notice.txt": txt(MadeUp(NUMBER, (issuer,), (document,), "144"))}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_rows_have_everything_as_filed(client: Client) -> None:
    reply = await client.http.get(SALES, params={"sort": "largest"})
    row, other = reply.json()["items"]
    place = row.pop("place")
    assert row == {
        "accnum": NUMBER,
        "form_type": "144",
        "filing_date": "2021-01-05",
        "issuer": {"cik": "0009990001", "name": "MOSS & SONS"},
        "seller": "Fern Ada",
        "relationship": ["Officer", "Director"],
        "class": "Common",
        "shares": 17087,
        "value": 1282000,
        "outstanding": 161514066,
        "date": "2022-08-27",
        "broker": "Peat Brokers",
        "exchange": "NYSE",
        "past_sales": [
            {
                "seller": "Fern Ada",
                "class": "Common",
                "date": "2022-07-01",
                "shares": 5,
                "proceeds": 370.5,
            }
        ],
        "plan_dates": ["2022-01-15"],
        "amends": None,
        "not_read": [],
    }
    assert '"value":1282000.00,' in reply.text
    assert FORM_144.encode()[place["start"] :].startswith(b"<securitiesInformation>")
    assert (other["class"], other["shares"], other["not_read"]) == (
        "Preferred",
        None,
        ["noOfUnitsSold"],
    )


@pytest.mark.parametrize(
    ("parameters", "number"),
    [
        ({"issuer_cik": "9990001"}, 2),
        ({"issuer_cik": "9990002"}, 0),
        ({"seller": "ADA"}, 2),
        ({"seller": "moss"}, 0),
        ({"accnum": NUMBER, "to_date": "2021-01-05"}, 2),
        ({"to_date": "2021-01-04"}, 0),
    ],
)
async def test_filters(client: Client, parameters: dict[str, Any], number: int) -> None:
    reply = await client.get(SALES, **parameters)
    assert (reply["total_count"], len(reply["items"])) == (number, number)


async def test_seller_without_a_word_is_refused(client: Client) -> None:
    reply = await client.http.get(SALES, params={"seller": "-"})
    assert reply.status_code == 400
    assert reply.json()["error"] == "`seller` has no word; give words of a name"


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet"])
async def test_export_has_all_rows(client: Client, format_: str) -> None:
    asked = {"what": "planned_sales", "sort": "largest", "format": format_}
    reply = await client.http.get("/v1/export", params=asked)
    assert (reply.status_code, reply.headers["x-total-count"]) == (200, "2")
    listed = (await client.get(SALES, sort="largest"))["items"]
    if format_ == "jsonl":
        assert [json.loads(line) for line in reply.text.splitlines()[:-1]] == listed
    elif format_ == "csv":
        first, *_ = csv.DictReader(io.StringIO(reply.text))
        assert (first["date"], first["value"]) == ("2022-08-27", "1282000.00")
        assert json.loads(first["plan_dates"]) == ["2022-01-15"]
    else:
        assert reply.content[:4] == b"PAR1"
