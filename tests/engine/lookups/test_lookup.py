"""Look-ups of filings: order, bounds, exact totals, and the reply's form."""

from datetime import date, timedelta

import msgspec
import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import counts, load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
MANY = 1005
TINY = (MadeUpDocument("Moss.\n"),)
SUBJECT = MadeUpEntity("0009990111", "MARBLE", role="SUBJECT COMPANY", sic="3281")
OWNER = MadeUpEntity("0009990112", "GRAVEL", role="FILED BY")
FIRST_DAY = date(2001, 1, 1)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Many filings of one company, three a day, and one of two others."""
    many = MadeUpEntity("0009990110", "MANY")
    made = [MadeUp(number(n), (many,), TINY, "4", FIRST_DAY + day(n)) for n in range(MANY)]
    documents = (MadeUpDocument("Moss.\n", "SC 13D", "a.txt", "A"), MadeUpDocument("", "EX-1"))
    made.append(
        MadeUp(
            number(MANY),
            (OWNER, SUBJECT),
            documents,
            "SC 13D",
            date(2010, 1, 2),
            period=date(2009, 12, 31),
        )
    )
    files = {f"{filing.accession_number}.txt": txt(filing) for filing in made}
    bare = msgspec.structs.replace(settings, archive=False)
    summary = load_now(bare, tmp_path_factory.mktemp("files"), files)
    assert counts(summary) == (MANY + 1, 0, 0, 0)


def day(place: int) -> timedelta:
    return timedelta(days=place // 3)


def number(place: int) -> str:
    return f"0009990110-01-{place:06d}"


async def test_total_is_exact_above_the_thousand_that_are_given(client: Client) -> None:
    reply = await client.lookup(cik="0009990110")
    assert reply["response_details"] == {"filings_found": MANY, "errors": []}
    assert len(reply["filings"]) == 1000


async def test_newest_come_first_and_on_one_day_the_highest_number(client: Client) -> None:
    filings = (await client.lookup(form_type="4"))["filings"]
    assert [filing["accnum"] for filing in filings] == [
        number(place) for place in range(MANY - 1, MANY - 1001, -1)
    ]


async def test_limit_takes_the_newest(client: Client) -> None:
    reply = await client.lookup(cik="0009990110", limit=4)
    assert reply["response_details"]["filings_found"] == MANY
    assert [filing["accnum"] for filing in reply["filings"]] == [
        number(place) for place in (1004, 1003, 1002, 1001)
    ]


async def test_dates_are_included(client: Client) -> None:
    found = await client.looked_up(cik="0009990110", from_date="2001-01-02", to_date="2001-01-03")
    assert found == [number(place) for place in (8, 7, 6, 5, 4, 3)]


@pytest.mark.parametrize("cik", ["0009990111", "0009990112", "0009990111,0009990112"])
async def test_every_entity_of_a_filing_counts(client: Client, cik: str) -> None:
    assert await client.looked_up(cik=cik) == [number(MANY)]


async def test_filters_combine(client: Client) -> None:
    assert await client.looked_up(sic="3281", form_type="sc 13d") == [number(MANY)]
    assert await client.looked_up(sic="3281", form_type="4") == []


async def test_filing_has_every_field_of_the_specification(client: Client) -> None:
    assert await client.lookup(sic="3281") == {
        "response_details": {"filings_found": 1, "errors": []},
        "filings": [
            {
                "accnum": number(MANY),
                "form_type": "SC 13D",
                "filing_date": "2010-01-02",
                "period": "2009-12-31",
                "tickers": [],
                "filer_details": {"cik": "0009990111", "name": "MARBLE", "tickers": []},
                "documents": [
                    {
                        "document_id": f"{number(MANY)}-1",
                        "form_type": "SC 13D",
                        "description": "A",
                        "size": 6,
                        "file_name": "a.txt",
                    },
                    {
                        "document_id": f"{number(MANY)}-2",
                        "form_type": "EX-1",
                        "description": "",
                        "size": 0,
                        "file_name": "",
                    },
                ],
            }
        ],
    }


async def test_filing_without_a_period_has_null(client: Client) -> None:
    (filing,) = (await client.lookup(cik="0009990110", limit=1))["filings"]
    assert filing["period"] is None
