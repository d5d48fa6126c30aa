"""Matches of several documents at once are those that each has by itself."""

import random
from datetime import date

import pytest

from edgar_search.document import first_matches as together
from edgar_search.document.first_matches import FirstMatch, first_matches
from edgar_search.document.matches import match_page
from edgar_search.engine.engine import Engine
from edgar_search.search.criteria import Window
from edgar_search.search.language import parse_query
from edgar_search.settings import Settings
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
SEED, DOCUMENTS = 48, 12
COMMON = "granite slate basalt".split()
RARE = "marble chalk flint".split()
IDS = [f"0009990410-24-{number:06d}-1" for number in range(DOCUMENTS)]
QUERIES = (
    "flint",
    '"marble chalk"',
    '"granite slate"',
    "mar*",
    '"chalk flint" OR basalt',
    "gneiss",
)


def made_text(chance: random.Random, number: int) -> str:
    """Return up to 20 passages of words, of which some are rare."""
    words = [
        chance.choice(RARE if chance.random() < 0.01 * (number % 3) else COMMON)
        for _ in range(chance.choice([3, 300, 6_000]))
    ]
    return " ".join(words)


@pytest.fixture(scope="module", autouse=True)
def documents(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    print("seed", SEED)
    chance, files = random.Random(SEED), dict[str, bytes]()
    entity = (MadeUpEntity("0009990410", "MOSS QUARRIES CORP"),)
    for number, document_id in enumerate(IDS):
        accession = document_id.removesuffix("-1")
        document = MadeUpDocument(made_text(chance, number))
        made = MadeUp(accession, entity, (document,), filing_date=date(2018 + number % 4, 3, 1))
        files[f"{accession}.txt"] = txt(made)
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def alone(engine: Engine, document_id: str, query: str) -> FirstMatch:
    page = await match_page(engine, document_id, parse_query(query), Window(0, 1))
    return FirstMatch(page.text, page.total, next(iter(page.items), None))


@pytest.mark.parametrize("read_at_once", [500, 3])
@pytest.mark.parametrize("query", QUERIES)
async def test_matches_are_those_of_each_document(
    engine: Engine, query: str, read_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "READ_AT_ONCE", read_at_once)
    found = await first_matches(engine, IDS, parse_query(query))

    assert found == {each: await alone(engine, each, query) for each in IDS}
    assert any(each.total for each in found.values()) == (query != "gneiss")


async def test_document_that_needs_more_passages_is_left_out(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "token_count", lambda text, most: 0)
    found = await first_matches(engine, IDS, parse_query('"marble chalk"'))
    assert 0 < len(found) < DOCUMENTS


async def test_document_without_text_is_left_out(engine: Engine) -> None:
    assert await first_matches(engine, ["0009990410-24-999999-1"], parse_query("flint")) == {}
