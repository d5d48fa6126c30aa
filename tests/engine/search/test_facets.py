"""Facets over several shards: years of filings in indices of their own."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import chain
from random import Random
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search import facets
from edgar_search.search import facets as bodies
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
SEED = 16
FORMS = ("10-K", "10-Q", "8-K", "8-K/A")
STATES = ("NY", "CA", "VT", "")
COMPANIES = [
    MadeUpEntity(
        f"000999{number:04d}",
        f"FACET {number} CORP",
        sic=f"{2000 + number % 7}",
        address=Address("1 ROAD", "TOWN", STATES[number % 4]),
    )
    for number in range(24)
]


def made_up(number: int, choose: Random) -> MadeUp:
    """Return a filing of one or two companies, the first of which file most."""
    entities = {choose.randrange(1 + choose.randrange(24)) for _ in range(choose.choice([1, 1, 2]))}
    form = choose.choice(FORMS)
    documents = [MadeUpDocument("Facets of granite.\n", form)]
    for exhibit in range(choose.randrange(3)):
        words = choose.choice(["granite", "marble", "granite and marble"])
        documents.append(MadeUpDocument(f"Slabs of {words}.\n", f"EX-99.{exhibit + 1}"))
    day = date(2019 + choose.randrange(4), 1 + choose.randrange(12), 5)
    return MadeUp(
        f"0009990400-21-{number:06d}",
        tuple(COMPANIES[place] for place in sorted(entities)),
        tuple(documents),
        form,
        day,
    )


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """An index for each of the four years."""
    return msgspec.structs.replace(settings, partition="year")


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> list[MadeUp]:
    """The filings, loaded."""
    choose = Random(SEED)
    made = [made_up(number, choose) for number in range(60)]
    files = {f"{each.accession_number}.txt": txt(each) for each in made}
    load_now(settings, tmp_path_factory.mktemp("files"), files)
    return made


@pytest.fixture(params=[1_000, 10, 4])
def told(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The number of values that a shard returns."""
    monkeypatch.setattr(bodies, "MOST_VALUES", request.param)
    yield request.param


def matching(filings: list[MadeUp], word: str) -> list[tuple[MadeUp, MadeUpDocument]]:
    return [(f, d) for f in filings for d in f.documents if word in d.body.lower()]


def counted(found: list[tuple[MadeUp, MadeUpDocument]]) -> dict[str, Counter[str]]:
    """Return the number of documents of each value, by the names of facets."""

    def each(values: Any) -> Counter[str]:
        return Counter(chain.from_iterable({*values(f)} for f, _ in found))

    return {
        "form_type": each(lambda f: [f.form_type]),
        "document_type": Counter(document.form_type for _, document in found),
        "year": each(lambda f: [f"{f.filing_date:%Y}"]),
        "month": each(lambda f: [f"{f.filing_date:%Y-%m}"]),
        "company": each(lambda f: [e.cik for e in f.entities]),
        "sic": each(lambda f: [e.sic for e in f.entities]),
        "state": each(lambda f: [e.address.state for e in f.entities if e.address.state]),
    }


@pytest.mark.parametrize("word", ["granite", "marble", "facets"])
@pytest.mark.parametrize("limit", [1, 3, 500])
async def test_counts_are_exact_and_what_is_not_sure_is_marked(
    client: Client, filings: list[MadeUp], told: int, word: str, limit: int
) -> None:
    print(f"seed {SEED}")
    found = matching(filings, word)
    reply = await client.facets(query=word, limit=limit)
    assert reply["total_count"] == len(found)
    assert reply["filing_count"] == len({f.accession_number for f, _ in found})
    assert reply["filing_count_exact"]
    for name, counts in counted(found).items():
        facet = reply["facets"][name]
        shown = {value["value"]: value["count"] for value in facet["values"]}
        assert shown.items() <= counts.items()
        assert facet["sum_other"] == counts.total() - sum(shown.values())
        assert facet["value_count"] <= len(counts)
        assert not facet["value_count_exact"] or facet["value_count"] == len(counts)
        best = sorted(counts, key=lambda value: (-counts[value], value))[: min(limit, told)]
        if name in ("year", "month"):
            best = sorted(counts)
        assert not facet["values_exact"] or list(shown) == best


async def test_all_is_exact_where_shards_tell_of_all_values(client: Client) -> None:
    reply = await client.facets(query="granite", limit=2)
    assert {facet["values_exact"] for facet in reply["facets"].values()} == {True}
    assert {facet["value_count_exact"] for facet in reply["facets"].values()} == {True}


async def test_what_was_left_out_by_shards_can_be_known_to_be_rarer(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MOST_VALUES", 10)
    reply = await client.facets(query="facets", by="company", limit=10)
    company = reply["facets"]["company"]
    assert not company["value_count_exact"]
    assert not company["values_exact"]
    reply = await client.facets(query="facets", by="company", limit=1)
    assert reply["facets"]["company"]["values_exact"]


async def test_companies_have_the_names_that_are_known_now(client: Client) -> None:
    reply = await client.facets(query="granite", by="company", limit=500)
    names = {company.cik: company.name for company in COMPANIES}
    values = reply["facets"]["company"]["values"]
    assert values != []
    assert [value["name"] for value in values] == [names[value["value"]] for value in values]


async def test_filings_are_counted_up_to_a_bound(
    client: Client, filings: list[MadeUp], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = len({f.accession_number for f, _ in matching(filings, "granite")})
    monkeypatch.setattr(bodies, "MOST_COUNTED", exact - 1)
    reply = await client.facets(query="granite", by="form_type")
    assert (reply["filing_count"], reply["filing_count_exact"]) == (exact - 1, False)
    monkeypatch.setattr(bodies, "MOST_COUNTED", len(matching(filings, "granite")))
    reply = await client.facets(query="granite", by="form_type")
    assert (reply["filing_count"], reply["filing_count_exact"]) == (exact, True)


async def test_filters_alone_count_all_documents_and_primary_the_first(
    client: Client, filings: list[MadeUp]
) -> None:
    reports = [filing for filing in filings if filing.form_type == "10-K"]
    reply = await client.facets(form_type="10-K", by="document_type")
    assert reply["total_count"] == sum(len(filing.documents) for filing in reports)
    assert reply["filing_count"] == len(reports)
    reply = await client.facets(form_type="10-K", primary="true", by="document_type")
    assert reply["total_count"] == len(reports)


async def test_most_operands_are_counted_as_they_are_found(client: Client) -> None:
    asked = {"query": "granite marble nowhere", "operands": "most"}
    pages = [await client.search(**asked, limit=100, offset=start) for start in (0, 100)]
    items = [item for page in pages for item in page["items"]]
    reply = await client.facets(**asked, by="form_type")
    assert reply["total_count"] == pages[0]["total_count"] == len(items)
    forms = Counter(item["form_type"] for item in items)
    values = reply["facets"]["form_type"]["values"]
    assert {value["value"]: value["count"] for value in values} == forms


async def test_nothing_found_has_empty_facets_and_warnings(client: Client) -> None:
    reply = await client.facets(query="granit", by="company,year")
    empty = {"values": [], "values_exact": True, "sum_other": 0}
    counts = {"value_count": 0, "value_count_exact": True}
    assert reply == {
        "total_count": 0,
        "filing_count": 0,
        "filing_count_exact": True,
        "facets": {"company": {**empty, **counts}, "year": {**empty, **counts}},
        "warnings": ["query: no document has `granit`; the nearest word is `granite`"],
    }


async def test_filings_that_are_not_shown_are_not_sent(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    send = engine._requests.send

    async def noting(*args: Any, **kwargs: Any) -> bytes:
        sent.append(await send(*args, **kwargs))
        return sent[-1]

    monkeypatch.setattr(engine._requests, "send", noting)
    counted = await facets.count_filings(engine, {"match_all": {}})
    assert counted == (60, True)
    assert b"0009990400-21" not in sent[-1]
