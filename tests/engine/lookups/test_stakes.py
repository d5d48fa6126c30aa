"""Schedules 13D and 13G as rows: loaded, found, exported, replaced."""

import csv
import io
import json
from typing import Any

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import Loads, load_now, stored
from tests.support.ownership_forms import SCHEDULE_13D, SCHEDULE_13G
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
STAKES = "/v1/stakes"
ACTIVE, PASSIVE = "0009990093-25-000001", "0009990093-25-000002"


def filing(number: str, xml: str, form_type: str) -> bytes:
    """Return a submission whose one document is the schedule."""
    document = MadeUpDocument(f"<XML>\n{xml}</XML>\n", form_type, "primary_doc.xml")
    issuer = MadeUpEntity("0009990001", "MOSS & SONS", role="SUBJECT COMPANY")
    return txt(MadeUp(number, (issuer,), (document,), form_type))


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A schedule of each kind."""
    files = {
        "active.txt": filing(ACTIVE, SCHEDULE_13D, "SCHEDULE 13D/A"),
        "passive.txt": filing(PASSIVE, SCHEDULE_13G, "SCHEDULE 13G"),
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_row_of_a_13d_has_everything_as_filed(client: Client) -> None:
    reply = await client.http.get(STAKES, params={"accnum": ACTIVE})
    (row,) = reply.json()["items"]
    place = row.pop("place")
    assert row == {
        "accnum": ACTIVE,
        "form_type": "SCHEDULE 13D/A",
        "filing_date": "2021-01-05",
        "event_date": "2024-12-31",
        "issuer": {"cik": "0009990001", "name": "MOSS & SONS"},
        "class": "Common stock",
        "cusips": ["999000101"],
        "persons": [
            {
                "cik": "0009990011",
                "name": "Lichen Partners, L.P.",
                "type": ["PN"],
                "shares": 2100000,
                "percent": 8.5,
                "voting": {"sole": 0, "shared": 2100000},
                "dispositive": {"sole": 0, "shared": 2100000},
            },
            {
                "cik": None,
                "name": "Fern Ada",
                "type": ["IN"],
                "shares": 2435000.5,
                "percent": 9.9,
                "voting": {"sole": None, "shared": None},
                "dispositive": {"sole": None, "shared": None},
            },
        ],
        "amends": "0009990093-24-000001",
        "not_read": [],
    }
    assert '"shares":2435000.50,' in reply.text
    part = SCHEDULE_13D.encode()[place["start"] : place["end"]]
    assert part == SCHEDULE_13D[SCHEDULE_13D.index("<edgarSub") :].rstrip().encode()


async def test_row_of_a_13g_has_what_it_spells_otherwise(client: Client) -> None:
    (row,) = (await client.get(STAKES, accnum=PASSIVE))["items"]
    assert (row["event_date"], row["cusips"]) == ("2025-01-15", ["999000202", "999000210"])
    assert row["issuer"] == {"cik": "0009990002", "name": "FERN INC"}
    assert row["persons"] == [
        {
            "cik": None,
            "name": "Bracken Advisers LLC",
            "type": ["IA", "HC"],
            "shares": 15,
            "percent": 5.1,
            "voting": {"sole": 7, "shared": 8},
            "dispositive": {"sole": 9, "shared": 10},
        }
    ]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"sort": "oldest"}, [ACTIVE, PASSIVE]),
        ({"sort": "latest_event"}, [PASSIVE, ACTIVE]),
        ({"issuer_cik": "9990002"}, [PASSIVE]),
        ({"cusip": "999000210"}, [PASSIVE]),
        ({"cusip": "9990002"}, [PASSIVE]),
        ({"person_cik": "9990011"}, [ACTIVE]),
        ({"person_cik": "9990012"}, [PASSIVE]),
        ({"person": "ada fern"}, [ACTIVE]),
        ({"from_date": "2021-01-06"}, []),
    ],
)
async def test_filters_and_orders(
    client: Client, parameters: dict[str, Any], expected: list[str]
) -> None:
    reply = await client.get(STAKES, **parameters)
    assert [item["accnum"] for item in reply["items"]] == expected
    assert (reply["total_count"], reply["warnings"]) == (len(expected), [])


async def test_person_whom_nobody_is_called_is_named(client: Client) -> None:
    reply = await client.get(STAKES, person="moss")
    assert (reply["total_count"], reply["warnings"]) == (0, ["unknown person: moss"])


async def test_unknown_one_of_several_cusips_is_named(client: Client) -> None:
    reply = await client.get(STAKES, cusip="999000210,999000999")
    assert (reply["total_count"], reply["warnings"]) == (1, ["unknown cusip: 999000999"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cusip": "12345"}, "`cusip` must be a CUSIP of 6 to 12 letters and digits, not 12345"),
        ({"person": "!"}, "`person` has no word; give words of a name"),
        ({"sort": "largest"}, "`sort` must be one of newest, oldest, latest_event, earliest_event"),
    ],
)
async def test_wrong_parameters_are_refused(
    client: Client, parameters: dict[str, str], message: str
) -> None:
    reply = await client.http.get(STAKES, params=parameters)
    assert reply.status_code == 400
    assert reply.json()["error"].startswith(message)


async def test_export_has_all_rows(client: Client) -> None:
    async def exported(format_: str) -> bytes:
        asked = {"what": "stakes", "sort": "oldest", "format": format_}
        reply = await client.http.get("/v1/export", params=asked)
        assert (reply.status_code, reply.headers["x-total-count"]) == (200, "2")
        return reply.content

    listed = (await client.get(STAKES, sort="oldest"))["items"]
    *lines, _ = (await exported("jsonl")).splitlines()
    assert [json.loads(line) for line in lines] == listed
    first, *_ = csv.DictReader(io.StringIO((await exported("csv")).decode()))
    assert (first["class"], first["cusips"]) == ("Common stock", "999000101")
    assert json.loads(first["persons"]) == listed[0]["persons"]
    assert (await exported("parquet"))[:4] == b"PAR1"


async def test_schedule_that_is_cut_off_is_read_and_named(engine: Engine, loads: Loads) -> None:
    number = "0009990093-25-000009"
    cut = SCHEDULE_13D[: SCHEDULE_13D.index("<soleDispositivePower>") + 8]
    await loads({"cut.txt": filing(number, cut, "SCHEDULE 13D")})
    (hit,) = await stored(engine, "stakes", number)
    assert hit.source["persons"][0]["voting"] == {"sole": "0", "shared": "2100000"}
    assert hit.source["not_read"] == ["end of the form"]
    await loads({"other.txt": filing(number, "<unknown/>", "SCHEDULE 13D")})
    assert await stored(engine, "stakes", number) == []
