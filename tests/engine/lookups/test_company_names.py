"""Companies as people call them, by `company`, `name_includes` and questions, and the nearest."""

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
NAMES = {
    "0009991921": "WAL MART STORES INC",
    "0009991922": "MERCK & CO., INC.",
    "0009991923": "LICHEN & LOAM CO",
}


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {}
    for cik, name in NAMES.items():
        number = f"{cik}-24-000001"
        text = MadeUpDocument("The dividend was paid.\n", "10-K")
        files[f"{number}.txt"] = txt(MadeUp(number, (MadeUpEntity(cik, name),), (text,), "10-K"))
    load_now(settings, tmp_path_factory.mktemp("files"), files)


@pytest.mark.parametrize(
    ("text", "cik"),
    [
        ("Walmart", "0009991921"),
        ("Walmart Inc", "0009991921"),
        ("merck and company", "0009991922"),
        ("Lichen and Loam Incorporated", "0009991923"),
    ],
)
async def test_one_name_is_read_alike_everywhere(client: Client, text: str, cik: str) -> None:
    filtered = await client.search("dividend", company=text)
    assert [item["accnum"][:10] for item in filtered["items"]] == [cik]
    looked_up = await client.http.post("/v2/entity_lookup", json={"name_includes": [text]})
    assert [each["cik"] for each in looked_up.json()["entities"]] == [cik]
    asked = await client.search(f"dividend of {text}", reading="person", operands="most")
    assert asked["items"][0]["accnum"][:10] == cik
    (company,) = [each for each in asked["reading"] if each["kind"] == "company"]
    assert cik in company["meaning"]


async def test_wrong_letters_have_the_nearest_name(client: Client) -> None:
    reply = await client.search("dividend", company="merk")
    said = "company: no filing of merk is loaded; the nearest is MERCK & CO., INC."
    assert (reply["items"], reply["warnings"]) == ([], [said])
