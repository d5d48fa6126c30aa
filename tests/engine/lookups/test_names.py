"""Names of entities as `name_includes` finds them, at any place in the name."""

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredEntity, StoredFormerName
from tests.support.asking import Client

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
]
NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "wolf": ("WOLF JEFFREY ALAN", ()),
    "wolfe": ("WOLFE JEFFREY", ()),
    "bank": ("BANK OF SALTMARSH CORP /DE/", ("SALTMARSH SAVINGS BANCORP INC /NC/",)),
    "former": ("GRAVEL LTD", ("STONE & MOSS INC", "MOSS-QUARRY CORP")),
    "fund": ("Harbour Fund IX, L.P.", ()),
    "accent": ("CAF\u00c9 HOLDING", ()),
    "joined": ("GRAN MART STORES INC", ()),
    "nickname": ("ALPHABET INC.", ()),
    "signs": ("LICHEN & LOAM CO", ()),
}
CIKS = {key: f"00099902{place:02d}" for place, key in enumerate(NAMES)}


@pytest.fixture(scope="module", autouse=True)
async def entities(anyio_backend: str, made_settings: Settings) -> None:
    engine = Engine.from_settings(made_settings)
    for key, (name, former) in NAMES.items():
        names = [StoredFormerName(each) for each in former]
        entity = StoredEntity(CIKS[key], name=name, former_names=names)
        await engine.put("entities", entity.cik, entity)
    await engine.close()


async def found(client: Client, *texts: str) -> set[str]:
    body = {"ciks": list(CIKS.values()), "name_includes": texts}
    reply = await client.http.post("/v2/entity_lookup", json=body)
    assert reply.status_code == 200, reply.text
    keys = {cik: key for key, cik in CIKS.items()}
    return {keys[entity["cik"]] for entity in reply.json()["entities"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jeffrey Wolf", {"wolf"}),
        ("alan WOLF jeffrey", {"wolf"}),
        ("jeffrey, wolf", {"wolf"}),
        ("jeffrey jeffrey wolf", {"wolf"}),
        ("wolf jeff", {"wolf"}),  # as it stands
        ("jeff wolf", set()),
        ("Jeffrey Wolfe", {"wolfe"}),
        ("effrey", {"wolf", "wolfe"}),
        ("corp bank of saltmarsh", {"bank"}),
        ("saltmarsh of bank corp de", set()),  # five words
        ("de corp", {"bank"}),
        ("inc bancorp", {"bank"}),
        ("nc saltmarsh", {"bank"}),
        ("moss stone", {"former"}),
        ("quarry moss", {"former"}),
        ("stone corp", set()),  # of two former names
        ("gravel moss", set()),  # of the current and a former one
        ("L.P. harbour", {"fund"}),
        ("fund harbour", {"fund"}),
        ("caf holding", set()),
        ("holding caf\u00e9", {"accent"}),
        ("harbour .*", set()),
        ("& moss stone", {"former"}),
        ("Granmart", {"joined"}),
        ("granmar", set()),
        ("Google", {"nickname"}),
        ("Lichen and Loam Incorporated", {"signs"}),
    ],
)
async def test_text_of_a_name(client: Client, text: str, expected: set[str]) -> None:
    assert await found(client, text) == expected


async def test_all_texts_are_to_be_met(client: Client) -> None:
    assert await found(client, "jeffrey wolf", "alan") == {"wolf"}
    assert await found(client, "jeffrey wolf", "jeffrey wolfe") == set()


@pytest.mark.parametrize(
    "text",
    [
        " ".join(letter * 24 for letter in "abcd"),
        " ".join("x" * (24 - place) for place in range(4)),
        "x" * 48 + "y " + "x" * 48 + "z",
        "x" * 30 + "y " + "x" * 30 + "z " + "x" * 30,
        "\u6771\u4eac \u4eac",
        "~1 @2 <3-4> (5",
        ".* .+ [a-z] {9}",
    ],
)
async def test_dearest_texts_are_looked_for(client: Client, text: str) -> None:
    """Twenty at once, which is as many as there may be."""
    assert await found(client, *(f"{text[: -len(str(n))]}{n}" for n in range(20))) == set()


async def test_entities_of_a_search_are_found_alike(client: Client) -> None:
    """The object `entity_query` is resolved to CIKs by the same clauses."""
    body = {"entity_query": {"name_includes": ["Jeffrey Wolf"]}}
    reply = await client.http.post("/v2/filing_lookup", json=body)
    assert (reply.status_code, reply.json()["count"]) == (200, 0)
