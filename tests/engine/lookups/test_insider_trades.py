"""Rows of Forms 3, 4 and 5: loaded, found, walked, exported, replaced and deleted."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import Loads, load_now, stored
from tests.support.ownership_forms import FORM_4
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
TRADES, HOLDINGS = "/v1/insider_trades", "/v1/insider_holdings"
SALE, PURCHASE, NEITHER = (f"0009990091-25-{place:06d}" for place in range(3))
FIRST, AMENDING = (f"0009990094-25-{place:06d}" for place in range(2))
PURCHASE_FORM = (
    FORM_4.replace("<transactionCode>S<", "<transactionCode>P<")
    .replace("<value>D</value></transactionAcq", "<value>A</value></transactionAcq")
    .replace("<value>2590</value>", "<value>10</value>")
    .replace("<value>182.00</value>", "<value></value>")
    .replace("Fern Ada", "Bracken Bea")
    .replace("0009990002", "0009990003")
    .replace("<isDirector>1", "<isDirector>0")
    .replace("2025-04-30", "2025-05-02")
)
HOLDING_FORM = (
    FORM_4.replace("nonDerivativeTransaction", "nonDerivativeHolding")
    .replace("<transactionDate><value>2025-04-30</value></transactionDate>", "")
    .replace("<transactionCode>S</transactionCode>", "")
)


def filing(number: str, xml: str, form_type: str = "4") -> bytes:
    """Return a submission whose one document is the form."""
    document = MadeUpDocument(f"<XML>\n{xml}</XML>\n", form_type, "form.xml")
    issuer = MadeUpEntity("0009990001", "MOSS & SONS", role="ISSUER")
    return txt(MadeUp(number, (issuer,), (document,), form_type))


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A sale, a purchase without a price, and a holding."""
    files = {
        "sale.txt": filing(SALE, FORM_4),
        "purchase.txt": filing(PURCHASE, PURCHASE_FORM),
        "holding.txt": filing(NEITHER, HOLDING_FORM, "3"),
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def found(client: Client, **parameters: Any) -> list[str]:
    """Return the accession numbers of the trades, in order."""
    reply = await client.get(TRADES, **parameters)
    numbers = [item["accnum"] for item in reply["items"]]
    assert (reply["total_count"], reply["warnings"]) == (len(numbers), [])
    return numbers


async def test_row_has_everything_as_filed(client: Client, settings: Settings) -> None:
    reply = await client.http.get(TRADES, params={"accnum": SALE})
    (row,) = reply.json()["items"]
    place = row.pop("place")
    assert row == {
        "accnum": SALE,
        "form_type": "4",
        "filing_date": "2021-01-05",
        "issuer": {"cik": "0009990001", "name": "MOSS & SONS", "ticker": "MOSS"},
        "owners": [{"cik": "0009990002", "name": "Fern Ada", "roles": ["director"], "title": None}],
        "trade_date": "2025-04-30",
        "security": "Common Stock",
        "derivative": False,
        "code": "S",
        "code_text": "open market or private sale",
        "acquired": "D",
        "shares": 2590,
        "price": 182.0,
        "value": 471380.0,
        "shares_after": 1234567,
        "value_after": None,
        "direct": False,
        "nature": "By trust",
        "underlying": None,
        "plan_10b5_1": None,
        "plan_named_by": None,
        "footnotes": [
            {"field": "code", "text": "By plan."},
            {"field": "shares", "text": "Sold in two lots."},
        ],
        "amends": None,
        "amended_by": None,
        "not_read": [],
    }
    assert '"price":182.00,"value":471380.00,' in reply.text
    body = FORM_4.encode()
    part = body[place["start"] : place["end"]]
    assert place["document_id"] == f"{SALE}-1"
    assert part.startswith(b"<nonDerivativeTransaction>")
    assert part.endswith(b"</nonDerivativeTransaction>")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [PURCHASE, SALE]),
        ({"sort": "oldest"}, [SALE, PURCHASE]),
        ({"sort": "earliest_trade"}, [SALE, PURCHASE]),
        ({"sort": "largest"}, [SALE, PURCHASE]),
        ({"issuer_cik": "9990001"}, [PURCHASE, SALE]),
        ({"owner_cik": "9990002"}, [SALE]),
        ({"owner": "bea BRACKEN"}, [PURCHASE]),
        ({"role": "director"}, [SALE]),
        ({"role": "officer"}, []),
        ({"code": "S,F"}, [SALE]),
        ({"acquired": "A"}, [PURCHASE]),
        ({"derivative": "true"}, []),
        ({"derivative": "false", "code": "P"}, [PURCHASE]),
        ({"plan_10b5_1": "true"}, []),
        ({"trade_from": "2025-05-01"}, [PURCHASE]),
        ({"trade_to": "2025-05-01"}, [SALE]),
        ({"min_value": "471380"}, [SALE]),
        ({"min_value": "471380.01"}, []),
        ({"max_value": "471380"}, [SALE]),
        ({"accnum": PURCHASE}, [PURCHASE]),
        ({"from_date": "2021-01-06"}, []),
    ],
)
async def test_filters_and_orders(
    client: Client, parameters: dict[str, str], expected: list[str]
) -> None:
    assert await found(client, **parameters) == expected


async def test_owner_whom_nobody_is_called_is_named(client: Client) -> None:
    reply = await client.get(TRADES, owner="bea fern")
    assert (reply["total_count"], reply["warnings"]) == (0, ["unknown owner: bea fern"])


async def test_unknown_issuer_is_named(client: Client) -> None:
    reply = await client.get(TRADES, issuer_cik="9990002")
    assert (reply["total_count"], reply["warnings"]) == (0, ["unknown issuer_cik: 0009990002"])


async def test_ticker_on_the_form_finds_and_unknown_one_is_named(client: Client) -> None:
    assert (await client.get(TRADES, ticker="moss"))["total_count"] == 2
    reply = await client.get(TRADES, ticker="FERN")
    assert (reply["total_count"], reply["warnings"]) == (0, ["unknown ticker: FERN"])


async def test_holdings_are_apart_from_trades(client: Client) -> None:
    (row,) = (await client.get(HOLDINGS, sort="largest"))["items"]
    assert (row["accnum"], row["code"], row["shares_after"]) == (NEITHER, None, 1234567)


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        (TRADES, {"code": "Q"}, "`code` may have P, S,"),
        (TRADES, {"acquired": "B"}, "`acquired` must be one of A, D, not `B`"),
        (TRADES, {"min_value": "2", "max_value": "1"}, "`min_value` is 2, which is more than"),
        (TRADES, {"min_value": "-1"}, "`min_value` must be an amount such as 1000000 or 0.25"),
        (TRADES, {"derivative": "yes"}, "`derivative` must be one of true, false, not `yes`"),
        (TRADES, {"owner": "!"}, "`owner` has no word"),
        (TRADES, {"role": "king"}, "`role` may have director, officer,"),
        (TRADES, {"limit": "1001"}, "`limit` must be from 1 to 1000, not 1001"),
        (HOLDINGS, {"code": "S"}, "`code` is not a parameter; known are api_key,"),
        ("/v1/export", {"what": "insider_trades", "query": "moss"}, "`query` is not a parameter"),
        ("/v1/export", {"what": "insider_trades", "limit": "5"}, "`limit` is not a parameter"),
        ("/v1/export", {"query": "moss", "sort": "largest"}, "`sort=largest` needs `what` of"),
        ("/v1/export", {"query": "moss", "code": "S"}, "`code` is not a parameter"),
    ],
)
async def test_wrong_parameters_are_refused(
    client: Client, path: str, parameters: dict[str, str], message: str
) -> None:
    reply = await client.http.get(path, params=parameters)
    assert reply.status_code == 400
    assert reply.json()["error"].startswith(message)


@pytest.mark.parametrize("snapshot", ["true", "false"])
@pytest.mark.parametrize("sort", ["newest", "largest"])
async def test_walk_has_every_row_once(client: Client, snapshot: str, sort: str) -> None:
    reply = await client.get(TRADES, cursor="*", limit=1, snapshot=snapshot, sort=sort)
    numbers = [reply["items"][0]["accnum"]]
    while reply["next_cursor"]:
        reply = await client.get(TRADES, cursor=reply["next_cursor"])
        numbers += [item["accnum"] for item in reply["items"]]
        assert reply["total_count"] == 2
    assert sorted(numbers) == [SALE, PURCHASE]


async def test_export_has_all_rows_in_each_format(client: Client) -> None:
    async def exported(format_: str) -> bytes:
        reply = await client.http.get(
            "/v1/export", params={"what": "insider_trades", "sort": "oldest", "format": format_}
        )
        assert (reply.status_code, reply.headers["x-total-count"]) == (200, "2")
        return reply.content

    listed = (await client.get(TRADES, sort="oldest"))["items"]
    *lines, last = (await exported("jsonl")).splitlines()
    assert [json.loads(line) for line in lines] == listed
    assert json.loads(last) == {"records": 2, "complete": True}
    rows = list(csv.DictReader(io.StringIO((await exported("csv")).decode())))
    assert rows[0]["price"] == "182.00"
    assert json.loads(rows[0]["owners"]) == listed[0]["owners"]
    assert (rows[1]["price"], rows[1]["plan_10b5_1"]) == ("", "")
    table = pyarrow.parquet.read_table(io.BytesIO(await exported("parquet"))).to_pylist()
    assert [row["accnum"] for row in table] == [SALE, PURCHASE]
    assert (table[0]["value"], table[1]["value"]) == (471380, None)


async def test_rows_of_a_replaced_form_go(engine: Engine, loads: Loads) -> None:
    number = "0009990091-25-000009"
    table = FORM_4[FORM_4.index("<nonDerivativeTransaction>") : FORM_4.index("</nonDerivativeTab")]
    await loads({"two.txt": filing(number, FORM_4.replace(table, table * 2))})
    assert len(await stored(engine, "insider_trades", number)) == 2
    await loads({"one.txt": filing(number, FORM_4)})
    assert len(await stored(engine, "insider_trades", number)) == 1
    await loads({"none.txt": filing(number, FORM_4.replace(table, ""))})
    assert await stored(engine, "insider_trades", number) == []


async def test_amendment_of_holdings_only_deletes_no_trade(client: Client, loads: Loads) -> None:
    before = await client.get(TRADES, issuer_cik="9990001")
    number = "0009990091-25-000010"
    amended = "</documentType><dateOfOriginalSubmission>2021-01-05</dateOfOriginalSubmission>"
    xml = HOLDING_FORM.replace("</documentType>", amended)
    await loads({"amendment.txt": filing(number, xml, "4/A")})
    (row,) = (await client.get(HOLDINGS, accnum=number))["items"]
    assert (row["form_type"], row["amends"]) == ("4/A", "2021-01-05")
    assert await client.get(TRADES, issuer_cik="9990001") == before


async def test_amended_row_says_which_form_has_another(client: Client, loads: Loads) -> None:
    other = FORM_4.replace("0009990002", "0009990094").replace("0009990001", "0009990095")
    day = "<dateOfOriginalSubmission>2021-01-05</dateOfOriginalSubmission>"
    amended = other.replace("182.00", "183.00").replace("</documentType>", f"</documentType>{day}")
    await loads({"a.txt": filing(FIRST, other), "b.txt": filing(AMENDING, amended, "4/A")})
    reply = await client.get(TRADES, owner_cik="9990094", sort="oldest")
    assert [(row["accnum"], row["amended_by"]) for row in reply["items"]] == [
        (FIRST, AMENDING),
        (AMENDING, None),
    ]
