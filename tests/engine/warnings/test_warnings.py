"""Warnings on a real engine: what nothing here has, and the words that texts have instead."""

from datetime import date

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.entities import EntityWriter
from ingest.loading.retry import Retry
from ingest.loading.tickers import load_tickers
from tests.support.asking import Client
from tests.support.loading import Loads, load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE, GRAVEL, SLATE = "0009990161", "0009990162", "0009990163"
FILINGS = (
    ("10-K", MARBLE, "Goodwill impairment of the quarry. The recorded carrying amounts fell."),
    ("8-K", GRAVEL, "Goodwill stayed. Impairments of gravel pits, and recorded losses."),
    ("DEF 14A", GRAVEL, "Proxy for dei:quarries and goodwill."),
)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    made = [
        MadeUp(
            f"{cik}-21-{place:06d}",
            (MadeUpEntity(cik, "STONE"),),
            (MadeUpDocument(text + "\n", form),),
            form,
            date(2021, 1, 1),
        )
        for place, (form, cik, text) in enumerate(FILINGS, start=1)
    ]
    files = {f"{filing.accession_number}.txt": txt(filing) for filing in made}
    bare = msgspec.structs.replace(settings, archive=False)
    load_now(bare, tmp_path_factory.mktemp("files"), files)


@pytest.fixture
async def tickers(
    engine: Engine, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tickers") / "ticker.txt"
    path.write_text(f"mrbl\t{int(MARBLE)}\ngrvl\t{int(GRAVEL)}\nslte\t{int(SLATE)}\n")
    await load_tickers(engine, EntityWriter(engine, settings.prefix, Retry(5)), [path])


async def warnings(client: Client, query: str, **parameters: str) -> list[str]:
    reply = await client.search(query, **parameters)
    said = reply.get("warnings", [])
    assert ("warnings" in reply) == bool(said)
    return list(said)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("goodwil", ["`goodwil`; the nearest word is `goodwill`"]),
        (
            "Goodwil quary",
            ["`Goodwil`; the nearest word is `goodwill`", "`quary`; the nearest word is `quarry`"],
        ),
        (
            'goodwill "impairmnt charge"',
            ["`impairmnt`; the nearest word is `impairment`", "`charge`"],
        ),
        ("goodwill zebra", ["`zebra`"]),
        ("zebra-goodwill", ["`zebra`"]),
        ("zebr*", ["`zebr*`"]),
        ("goodwill 2031", ["`2031`"]),
        ("zebra OR zebras", ["`zebra`", "`zebras`"]),
        ("goodwill NOT (goodwill OR zebra)", []),
        ("quarry gravel", []),
        ("zebra1 zebra2 zebra3 zebra4", ["`zebra1`", "`zebra2`", "`zebra3`"]),
    ],
)
async def test_words_that_no_document_has(client: Client, query: str, said: list[str]) -> None:
    assert await warnings(client, query) == [f"query: no document has {each}" for each in said]


async def test_words_are_not_looked_up_where_something_is_found(client: Client) -> None:
    assert await warnings(client, "goodwill OR zebra") == []


async def test_word_with_a_colon_is_doubted_only_where_nothing_is_found(client: Client) -> None:
    assert await warnings(client, "dei:quarries") == []
    (said,) = await warnings(client, "dei:nothing")
    assert said.startswith("query: `dei:nothing` at character 1 is read as text to find; ")


async def test_operator_in_small_letters_is_named_beside_hits(client: Client) -> None:
    reply = await client.search("impairments and losses")
    assert reply["total_count"] == 1
    assert reply["warnings"] == [
        "query: `and` at character 13 is read as text to find; write AND, or nothing, if both"
        " sides are wanted"
    ]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"form_type": "10K"}, ["form_type: no filing here has 10K; the nearest is 10-K"]),
        (
            {"formType": "10-k, def14a ,20-F,,8-K"},
            [
                "form_type: no filing here has DEF14A; the nearest is DEF 14A",
                "form_type: no filing here has 20-F",
            ],
        ),
        ({"form_type": "8-K"}, []),
        (
            {"form_family": "10K/A,8-K,20-F"},
            [
                "form_family: no filing here has 10K; the nearest is 10-K",
                "form_family: no filing here has 20-F",
            ],
        ),
        ({"form_family": "/A"}, ["form_family: no filing here has /A"]),
        ({"form_family": "10-K/A,8-K"}, []),
        ({"company": "nosuch, Inc."}, ["company: no filing of nosuch, Inc. is loaded"]),
        (
            {"company": "stome"},
            ["company: no filing of stome is loaded; the nearest is STONE"],
        ),
        ({"company": "stone"}, []),
        # A ticker is a company's name too.
        ({"company": "MRBL"}, []),
        ({"state": "zz"}, ["state: no filing here has ZZ"]),
        ({"item": "9.99,8.88"}, [f"item: no filing here has {each}" for each in ("9.99", "8.88")]),
        (
            {"document_type": "10K,99,"},
            [
                "document_type: no document here has 10K; the nearest is 10-K",
                "document_type: no document here has 99",
            ],
        ),
        ({"document_type": "10-k"}, []),
        ({"form_type": " , "}, []),
        ({"cik": "7"}, ["cik: no filing of 0000000007 is loaded"]),
        ({"cik": f"7,{MARBLE},{GRAVEL}"}, ["cik: no filing of 0000000007 is loaded"]),
        ({"cik": MARBLE}, []),
        ({"ticker": "mrlb"}, ["ticker: no ticker file has MRLB; the nearest is MRBL"]),
        ({"ticker": "GRVL,mrbl,slte"}, ["ticker: no filing of SLTE is loaded"]),
        ({"ticker": "GRVL"}, []),
    ],
)
@pytest.mark.usefixtures("tickers")
async def test_values_that_nothing_here_has(
    client: Client, parameters: dict[str, str], said: list[str]
) -> None:
    # Known values are known too where nothing is found.
    for query in ("goodwill", "quarry gravel"):
        assert await warnings(client, query, **parameters) == said


@pytest.mark.usefixtures("tickers")
async def test_lookup_names_the_same_values(client: Client) -> None:
    reply = await client.lookup(ticker="MRLB,NOPE", form_type="10K,8-K", cik=f"0000000007,{GRAVEL}")
    assert reply["response_details"]["errors"] == [
        "unknown ticker: MRLB; the nearest is MRBL",
        "unknown ticker: NOPE",
        "unknown form type: 10K; the nearest is 10-K",
        "unknown CIK: 0000000007",
    ]


@pytest.mark.usefixtures("tickers")
async def test_lookup_of_known_values_has_no_errors(client: Client) -> None:
    for parameters in ({"ticker": "slte"}, {"form_type": "10-K,8-K", "cik": f"{MARBLE},{GRAVEL}"}):
        assert (await client.lookup(**parameters))["response_details"]["errors"] == []


async def test_lookup_names_values_of_further_filters(client: Client) -> None:
    said = {
        ("form_family", "10K"): "unknown form type: 10K; the nearest is 10-K",
        ("company", "nosuch"): "unknown company: nosuch",
        ("company", "stoen"): "unknown company: stoen; the nearest is STONE",
        ("state", "zz"): "unknown state: ZZ",
        ("item", "9.99"): "unknown item: 9.99",
    }
    for (name, value), error in said.items():
        assert (await client.lookup(**{name: value}))["response_details"]["errors"] == [error]
    for known in ({"form_family": "8-K/A"}, {"company": "sto"}):
        assert (await client.lookup(**known))["response_details"]["errors"] == []


async def test_coverage_names_a_form_type_that_was_never_known(client: Client) -> None:
    days = {"from_date": "2021-01-01", "to_date": "2021-01-31"}
    reply = await client.http.get("/v1/coverage", params={"form_type": "10K,8-K", **days})
    assert reply.json()["warnings"] == ["form_type: no known filing has 10K; the nearest is 10-K"]
    # In other days there is none, but the form type is known.
    reply = await client.http.get(
        "/v1/coverage", params={"form_type": "8-K", "to_date": "2020-01-31"}
    )
    assert (reply.json()["days"], "warnings" in reply.json()) == ([], False)


async def test_form_type_that_was_loaded_a_moment_ago_is_known(
    client: Client, loads: Loads
) -> None:
    assert await warnings(client, "goodwill", form_type="S-1,8-K") == [
        "form_type: no filing here has S-1"
    ]
    new = MadeUp(
        "0009990161-21-000099",
        (MadeUpEntity(MARBLE, "STONE"),),
        (MadeUpDocument("New.\n"),),
        "S-1",
        date(2021, 1, 2),
    )
    await loads({"new.txt": txt(new)})
    assert await warnings(client, "goodwill", form_type="S-1,8-K") == []
