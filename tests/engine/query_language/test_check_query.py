"""The meaning of a query, with the hits of its parts."""

from collections.abc import Mapping
from typing import Any

import pytest

from edgar_search.search import explanation
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.one_client]
STONE = MadeUpEntity("0009990401", "STONE CORP")
SAND = MadeUpEntity("0009990402", "SAND INC")
TEXTS = ["Granite and marble", "Granite", "Marble slabs", "Granite slabs resigned", *["Moss"] * 8]


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A filing of one document for each text, in all of which is `quarry`."""
    files = {}
    for place, text in enumerate(TEXTS):
        number = f"0009990401-21-{place:06d}"
        document = MadeUpDocument(f"Quarry.\n{text}.\n")
        files[f"{number}.txt"] = txt(MadeUp(number, (SAND if place else STONE,), (document,)))
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def hits(part: Mapping[str, Any]) -> Any:
    """Return the text of each part with its hits, as nested as it is."""
    inner = [*part.get("operands", []), *part.get("excluded", [])]
    return (part["text"], part["hits"], *map(hits, inner))


async def test_each_part_has_its_hits(client: Client) -> None:
    reply = await client.check('(granite OR "marble slabs") NOT (marble granite)')
    assert reply["query"] == '(granite OR "marble slabs") NOT (marble AND granite)'
    assert reply["total_count"] == 3
    assert hits(reply["tree"]) == (
        reply["query"],
        3,
        ('granite OR "marble slabs"', 4, ("granite", 3), ('"marble slabs"', 1)),
        ("marble AND granite", 1, ("marble", 2), ("granite", 3)),
    )
    assert "warnings" not in reply


async def test_answer_whole(client: Client) -> None:
    word = {"kind": "word", "text": "resign", "hits": 1, "position": 1, "words": ["resign"]}
    forms = (await client.check("resign", word_forms="all"))["tree"]["forms"]
    assert "resigned" in forms
    said = " ".join(f"`{form}`" for form in forms)
    meaning = f"the word `resign` or a form of it ({said})"
    assert await client.check("resign", word_forms="all") == {
        "query": "resign",
        "meaning": meaning,
        "total_count": 1,
        "tree": {**word, "meaning": meaning, "forms": forms},
    }


async def test_related_words_are_named(client: Client) -> None:
    reply = await client.check("hotline", word_forms="related")
    related = ["helpline", "helplines", "helpline's"]
    said = " ".join(f"`{each}`" for each in related)
    assert reply["meaning"] == f"the word `hotline` or related words ({said})"
    assert (reply["tree"]["forms"], reply["tree"]["related"]) == ([], related)


@pytest.mark.parametrize("filters", [{"cik": "9990401"}, {"ids": "0009990401-21-000000-1"}])
async def test_hits_are_those_within_the_filters(
    client: Client, filters: Mapping[str, str]
) -> None:
    reply = await client.check("granite OR slabs", **filters)
    assert hits(reply["tree"]) == ("granite OR slabs", 1, ("granite", 1), ("slabs", 0))
    assert (
        reply["total_count"] == (await client.search("granite OR slabs", **filters))["total_count"]
    )


async def test_words_that_no_document_has_and_that_nearly_all_have_are_named(
    client: Client,
) -> None:
    reply = await client.check("granit OR quarr* quarry granite NEAR/5 title:x")
    assert reply["warnings"] == [
        "query: `NEAR/5` at character 33 is read as text to find; a distance comes after a"
        ' phrase, as in "granite title:x"~5',
        "query: `title:x` at character 40 is read as text to find; a query cannot name fields;"
        " filters such as ticker and form_type are parameters",
        "query: no document has `granit`; the nearest word is `granite`",
        "query: nearly all documents have `quarr*` (12 of 12), so it hardly narrows a search",
        "query: nearly all documents have `quarry` (12 of 12), so it hardly narrows a search",
    ]


async def test_words_of_a_phrase_are_not_called_common(client: Client) -> None:
    assert "warnings" not in await client.check('"quarry granite"')


async def test_filters_that_match_nothing_are_named_as_in_a_search(client: Client) -> None:
    found = await client.search("granite", form_type="10K")
    assert found["warnings"] == ["form_type: no filing here has 10K"]
    reply = await client.check("granite", form_type="10K")
    assert reply["warnings"] == found["warnings"]


async def test_parts_beyond_a_bound_are_not_counted(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanation, "MAX_PARTS", 3)
    reply = await client.check("(granite OR marble) slabs")
    assert hits(reply["tree"]) == (
        "(granite OR marble) AND slabs",
        2,
        ("granite OR marble", 4, ("granite", None), ("marble", None)),
        ("slabs", 2),
    )


async def test_dear_parts_beyond_a_bound_are_not_counted(client: Client) -> None:
    phrase = '"' + " ".join(["a b"] * 3) + '"~9'
    reply = await client.check(f"((({phrase}) OR granite) marble) OR slabs")
    groups, slabs = hits(reply["tree"])[2:]
    assert (groups[1], slabs) == (1, ("slabs", 2))
    assert groups[2][1:] == (None, (phrase, None), ("granite", 3))


@pytest.mark.parametrize("query", ['"granite', "a OR", "NOT a", "*a", "&"])
async def test_refused_query_is_refused_as_in_a_search(client: Client, query: str) -> None:
    replies = [
        await client.http.get(path, params={"query": query}) for path in ("/v1/check", "/v1/search")
    ]
    assert [reply.status_code for reply in replies] == [400, 400]
    assert replies[0].json() == replies[1].json()


async def near(client: Client, query: str, **asked: str) -> list[tuple[str, str, int]]:
    """Return the variants of a query, each of which finds as many documents as it says."""
    reply = await client.check(query, variants="true", **asked)
    for each in reply["variants"]:
        found = await client.search(each["query"], word_forms=each["word_forms"], **asked)
        assert found["total_count"] == each["hits"] > reply["total_count"]
    return [(each["kind"], each["query"], each["hits"]) for each in reply["variants"]]


async def test_near_queries_find_as_many_as_they_say(client: Client) -> None:
    assert await near(client, '"marble slab"') == [("spelling", '"marble slabs"', 1)]
    assert await near(client, '"granite slab" OR moss') == [
        ("number", '"granite slabs" OR moss', 9)
    ]
    assert await near(client, "resign") == [("forms", "resign", 1)]
    assert await near(client, "granit") == [("spelling", "granite", 3)]
    assert await near(client, "granit", cik="9990401") == [("spelling", "granite", 1)]
    assert await near(client, "quarry") == []


async def test_near_queries_are_there_only_if_asked_for(client: Client) -> None:
    assert "variants" not in await client.check("granit")
