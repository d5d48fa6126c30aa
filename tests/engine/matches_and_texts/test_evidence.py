"""Matches of a document and its text, as `/v1/matches` and `/v1/text` give them."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import write_alias
from edgar_search.settings import Settings
from edgar_search.text.words import tokens
from ingest.loading import session
from ingest.reading.transform import cut
from tests.support.asking import Client
from tests.support.loading import Loads, load_now, stored, text_of
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
]
MOSS = MadeUpEntity("0009990071", "MOSS QUARRIES CORP")
BUSINESS = (
    "<p>Item 1. Business</p>"
    "<p>Quarries of Moss &amp; Co. in K\u00f6ln \U0001f600 and 401(k) plans.</p>"
)
RISKS = (
    "<p>Item 1A. Risk Factors</p>"
    "<p>Quarries flood. The quarry's pumps fail, and a pump\u2019s repair is slow.</p>"
)
REPORT = f"<html>{BUSINESS}{RISKS}<p>SIGNATURES</p><p>Pursuant to the requirements of the Act.</p>"


def long_body() -> str:
    """Return some twenty passages, so that phrases reach from one into the next."""
    lines = (f"Line {number} tells of slate {number} and of moss." for number in range(1_000))
    return "\n".join(lines) + "\n"


def filed(number: str) -> Mapping[str, bytes]:
    """Return a report with two sections; the second document of its filing is long."""
    documents = (
        MadeUpDocument(REPORT, "10-K", "report.htm"),
        MadeUpDocument(long_body(), "EX-99", "long.txt"),
    )
    return {"report.txt": txt(MadeUp(number, (MOSS,), documents, "10-K"))}


@pytest.fixture(scope="module")
def report(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory, new_number: Callable[[], str]
) -> str:
    """The id of the report."""
    number = new_number()
    load_now(settings, tmp_path_factory.mktemp("files"), filed(number))
    return f"{number}-1"


def second(report: str) -> str:
    return f"{report[:-1]}2"


async def matches(client: Client, document_id: str, query: str, **more: Any) -> dict[str, Any]:
    return await answer(client, "/v1/matches", document_id=document_id, query=query, **more)


async def text(client: Client, document_id: str, **more: Any) -> dict[str, Any]:
    return await answer(client, "/v1/text", document_id=document_id, **more)


async def answer(client: Client, path: str, **parameters: Any) -> dict[str, Any]:
    response = await client.http.get(path, params=parameters)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def words(client: Client, document_id: str, query: str, **more: Any) -> list[str]:
    reply = await matches(client, document_id, query, **more)
    assert reply["total_count"] == len(reply["items"])
    return [item["text"] for item in reply["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("QUARRIES", ["Quarries", "Quarries"]),
        ("quarr*", ["Quarries", "Quarries", "quarry's"]),
        ("pump's OR 401(k)", ["401(k", "pump's"]),
        ("k\u00f6ln OR \U0001f600", ["K\u00f6ln", "\U0001f600"]),
        ('"a pump\u2019s repair"', ["a pump's repair"]),
        # Each shows its own place, also where one stands in the other.
        ('flood OR "quarries flood" OR flo*', ["Quarries flood", "flood"]),
        ('"pumps a"~3', ["pumps fail, and a"]),
        ('"fail pumps"~3', ["pumps fail"]),
        ("moss NOT nowhere", ["Moss"]),
        ("moss NOT flood", []),
        ("moss nowhere", []),
        ("flood OR (moss NOT flood)", ["Moss", "flood"]),
    ],
)
async def test_matches_are_what_is_wanted_as_it_stands(
    client: Client, report: str, query: str, found: list[str]
) -> None:
    assert await words(client, report, query) == found


async def test_forms_of_words_match_where_asked_for(client: Client, report: str) -> None:
    assert await words(client, report, "quarry") == []
    found = await words(client, report, "quarry", word_forms="all")
    assert found == ["Quarries", "Quarries", "quarry's"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("flood pumps nowhere", ["flood", "pumps"]),
        ("flood nowhere elsewhere", ["flood"]),
        ("nowhere elsewhere", []),
        ("flood pumps moss", ["Moss", "flood", "pumps"]),
        ("flood pumps nowhere NOT moss", []),
    ],
)
async def test_document_that_lacks_operands_matches_if_that_is_asked_for(
    client: Client, report: str, query: str, found: list[str]
) -> None:
    assert await words(client, report, query, operands="most") == found


async def test_match_has_its_place_surroundings_section_and_text(
    client: Client, engine: Engine, report: str
) -> None:
    whole = await text_of(engine, report)
    start = whole.index("pumps")
    reply = await matches(client, report, "pumps")
    assert reply == {
        "document_id": report,
        "total_count": 1,
        "items": [
            {
                "start": start,
                "end": start + 5,
                "text": "pumps",
                "before": whole[:start],
                "after": whole[start + 5 :],
                "section": "10-K item 1A",
            }
        ],
        "text_sha256": hashlib.sha256(whole.encode()).hexdigest(),
        "text_length": len(whole),
    }


async def test_hit_and_its_export_have_the_section_of_the_snippet(
    client: Client, report: str
) -> None:
    asked = {"query": "pumps OR slate", "cik": MOSS.cik, "include": "section"}
    found = await answer(client, "/v1/search", **asked)
    walked = await answer(client, "/v1/search", cursor="*", **asked)
    exported = await client.http.get("/v1/export", params={**asked, "snippet": "true"})
    *records, _ = map(json.loads, exported.text.splitlines())
    wanted = {report: "10-K item 1A", second(report): None}
    for items in (found["items"], walked["items"], records):
        sections = {item["document_id"]: item["section"] for item in items}
        assert {key: sections[key] for key in wanted} == wanted


async def test_pages_join_to_all_matches(client: Client, report: str) -> None:
    document = second(report)
    whole = await matches(client, document, "slate OR moss", limit=1_000)
    assert (whole["total_count"], len(whole["items"])) == (2_000, 1_000)
    pages = [
        await matches(client, document, "slate OR moss", limit=300, offset=offset)
        for offset in range(0, 2_100, 300)
    ]
    rows = [item for page in pages for item in page["items"]]
    assert rows[:1_000] == whole["items"]
    assert [row["text"] for row in rows] == ["slate", "moss"] * 1_000
    assert (await matches(client, document, "slate", offset=1_000))["items"] == []


async def test_phrases_are_found_across_all_passages(client: Client, report: str) -> None:
    reply = await matches(client, second(report), '"of moss line"', limit=1_000)
    assert reply["total_count"] == 999
    assert {item["text"] for item in reply["items"]} == {"of moss.\nLine"}
    # Of one rare word, beside which hardly anything is read.
    assert await words(client, second(report), '"moss line 500 tells"') == ["moss.\nLine 500 tells"]


async def test_slices_join_to_the_text(client: Client, engine: Engine, report: str) -> None:
    document = second(report)
    whole = await text_of(engine, document)
    joined, start = "", 0
    while start is not None:
        reply = await text(client, document, start=start, length=7_001)
        assert (reply["start"], reply["text_length"]) == (start, len(whole))
        joined, start = joined + reply["text"], reply["next_start"]
        assert reply["end"] == len(joined)
    assert joined == whole
    assert hashlib.sha256(joined.encode()).hexdigest() == reply["text_sha256"]


async def test_offsets_are_those_of_the_text(client: Client, report: str) -> None:
    for item in (await matches(client, report, "k\u00f6ln OR \U0001f600 OR quarr*"))["items"]:
        length = item["end"] - item["start"]
        reply = await text(client, report, start=item["start"], length=length)
        assert reply["text"] == item["text"]


@pytest.mark.parametrize("name", ["10-K item 1A", "10-k ITEM 1a", "item1a"])
async def test_section_is_the_text_from_its_heading_to_the_next(
    client: Client, engine: Engine, report: str, name: str
) -> None:
    whole = await text_of(engine, report)
    reply = await text(client, report, section=name)
    assert (reply["section"], reply["next_start"]) == ("10-K item 1A", None)
    assert reply["text"] == whole[reply["start"] : reply["end"]]
    assert reply["text"].startswith("Item 1A. Risk Factors")
    assert reply["text"].strip().endswith("repair is slow.")
    first = await text(client, report, section=name, length=10)
    rest = await text(client, report, section=name, start=first["next_start"])
    assert first["text"] + rest["text"] == reply["text"]


PROXY = (
    "<html><p>PROPOSAL 1</p><p>ELECTION OF DIRECTORS</p><p>The board asks for six quarrymen.</p>"
    "<p>PROPOSAL 2</p><p>A LARGER QUARRY</p><p>It is to be twice as large.</p><p>ANNEX A</p></html>"
)


@pytest.mark.parametrize("name", ["DEF 14A proposal 2", "proposal2"])
async def test_part_of_a_proxy_statement_is_a_section_by_its_title(
    loads: Loads, client: Client, new_number: Callable[[], str], name: str
) -> None:
    number = new_number()
    proxy = MadeUpDocument(PROXY, "DEF 14A", "proxy.htm")
    filing = MadeUp(number, (MOSS,), (proxy,), "DEF 14A")
    await loads({f"{number}.txt": txt(filing)})
    reply = await text(client, f"{number}-1", section=name)
    assert reply["section"] == "DEF 14A proposal 2"
    wanted = "PROPOSAL 2 A LARGER QUARRY It is to be twice as large."
    assert " ".join(reply["text"].split()) == wanted
    (_, match) = (await matches(client, f"{number}-1", "quarr*"))["items"][:2]
    assert match["section"] == "DEF 14A proposal 2"


async def test_text_alone_where_that_is_wanted(client: Client, report: str) -> None:
    parameters: dict[str, Any] = {"document_id": report, "start": 5, "length": 20}
    plain = await client.http.get(
        "/v1/text", params=parameters, headers={"Accept": "text/plain, application/json;q=0.5"}
    )
    reply = await text(client, report, start=5, length=20)
    assert plain.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert plain.content == reply["text"].encode()
    shown = {
        name: plain.headers[name]
        for name in plain.headers
        if name.startswith("x-text") or name == "x-next-start"
    }
    assert shown == {
        "x-text-start": "5",
        "x-text-end": "25",
        "x-text-length": str(reply["text_length"]),
        "x-text-sha256": reply["text_sha256"],
        "x-next-start": "25",
    }


async def test_what_a_client_has_is_not_sent_again(client: Client, report: str) -> None:
    parameters = {"document_id": report}
    first = await client.http.get("/v1/text", params=parameters)
    tag = {"If-None-Match": first.headers["ETag"]}
    again = await client.http.get("/v1/text", params=parameters, headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    for name in ("ETag", "Cache-Control", "Vary"):
        assert again.headers[name] == first.headers[name]
    other = await client.http.get("/v1/text", params={**parameters, "start": 1}, headers=tag)
    assert other.status_code == 200
    plain = await client.http.get(
        "/v1/text", params=parameters, headers={**tag, "Accept": "text/plain"}
    )
    assert plain.status_code == 200


async def test_answer_stays_for_ever_where_its_address_names_the_text(
    client: Client, report: str
) -> None:
    sha256 = (await text(client, report))["text_sha256"]
    kept = {
        name: await _cached(client, document_id=report, **more)
        for name, more in {
            "": {},
            "blank": {"text_sha256": " "},
            "named": {"text_sha256": sha256.upper()},
            # A later version may find it elsewhere in the same text.
            "section": {"text_sha256": sha256, "section": "item1"},
        }.items()
    }
    assert kept == {
        "": "private, no-cache",
        "blank": "private, no-cache",
        "named": "private, max-age=31536000, immutable",
        "section": "private, no-cache",
    }


async def _cached(client: Client, **parameters: str) -> str:
    return (await client.http.get("/v1/text", params=parameters)).headers["Cache-Control"]


async def test_citation_of_another_text_is_gone(
    client: Client, loads: Loads, new_number: Callable[[], str]
) -> None:
    def current(words: str, *exhibits: str) -> Mapping[str, bytes]:
        document = MadeUpDocument(f"Of {words}.\n", "8-K")
        others = (MadeUpDocument(exhibit, "EX-99") for exhibit in exhibits)
        return {"a.txt": txt(MadeUp(number, (MOSS,), (document, *others), "8-K"))}

    number = new_number()
    document = f"{number}-1"
    await loads(current("marble"))
    first = await text(client, document)
    await loads(current("granite and slate"))
    second = await text(client, document)
    assert (first["text"], second["text"]) == ("Of marble.", "Of granite and slate.")
    gone = await client.http.get(
        "/v1/text", params={"document_id": document, "text_sha256": first["text_sha256"]}
    )
    assert gone.status_code == 410
    assert gone.json() == {
        "error": f"text_sha256: the text of {document} has changed; it is now"
        f" {second['text_sha256']}, of 21 characters"
    }
    assert gone.headers["Cache-Control"] == "no-store"
    # Another version of the filing in which the document's text is the same.
    await loads(current("granite and slate", "An exhibit."))
    assert await client.found("exhibit", ids=f"{number}-2") == [f"{number}-2"]
    assert await text(client, document, text_sha256=second["text_sha256"]) == second


async def test_document_that_is_half_loaded_again_is_not_answered_for(
    client: Client,
    engine: Engine,
    settings: Settings,
    loads: Loads,
    new_number: Callable[[], str],
) -> None:
    number = new_number()
    await loads(filed(number))
    document = f"{number}-2"
    passage = next(
        hit for hit in await stored(engine, "passages", number) if hit.id == f"{document}#3"
    )
    alias = write_alias(settings.prefix, "passages", "all")
    newer = bulk_lines.index(alias, passage.id, passage.source, 2**52)
    assert await engine.bulk(newer) == []
    await engine.refresh("passages")
    for path, more in (("matches", {"query": "moss"}), ("text", {}), ("text", {"start": "5000"})):
        reply = await client.http.get(f"/v1/{path}", params={"document_id": document, **more})
        assert reply.status_code == 503
        assert reply.json()["error"].startswith(f"{document} is being loaded again")
        assert reply.headers["Retry-After"] == "30"
    # What is far from it is of one load, as far as anybody can tell.
    assert (await text(client, document, length=100))["text"].startswith("Line 0 tells")


@pytest.mark.parametrize(
    ("path", "parameters", "error"),
    [
        (
            "matches",
            {"query": "moss", "document_id": "0009990001-99-999999-1"},
            "there is no document 0009990001-99-999999-1",
        ),
        (
            "text",
            {"document_id": "0009990001-99-999999-1"},
            "there is no document 0009990001-99-999999-1",
        ),
        (
            "text",
            {"section": "item9"},
            "section: there is no item9; it has 10-K item 1, 10-K item 1A",
        ),
    ],
)
async def test_what_is_not_there_is_named(
    client: Client, report: str, path: str, parameters: dict[str, str], error: str
) -> None:
    reply = await client.http.get(f"/v1/{path}", params={"document_id": report, **parameters})
    assert (reply.status_code, reply.json()) == (404, {"error": error})


async def test_start_behind_the_end_is_refused(client: Client, report: str) -> None:
    length = (await text(client, report))["text_length"]
    end = await text(client, report, start=length)
    assert (end["text"], end["next_start"]) == ("", None)
    reply = await client.http.get("/v1/text", params={"document_id": report, "start": length + 1})
    assert (reply.status_code, reply.json()) == (
        400,
        {"error": f"start: {length + 1} is not in the text, which goes from 0 to {length}"},
    )


async def test_snippets_have_their_places_and_the_first_is_the_items(
    client: Client, engine: Engine, report: str
) -> None:
    plain = await client.search("slate moss", ids=second(report))
    asked = {"ids": second(report), "snippets": 3, "include": "offsets"}
    (item,) = (await client.search("slate moss", **asked))["items"]
    places, snippets = item.pop("offsets"), item.pop("snippets")
    whole = await text_of(engine, second(report))
    assert item.pop("text_sha256") == hashlib.sha256(whole.encode()).hexdigest()
    assert [item] == plain["items"]
    assert [snippet["snippet"] for snippet in snippets][0] == item["snippet"]
    assert places == {name: snippets[0][name] for name in ("start", "end", "marks")}
    assert len({snippet["start"] for snippet in snippets}) == 3
    for snippet in snippets:
        assert {whole[start:end] for start, end in snippet["marks"]} == {"slate", "moss"}
        shown = " \u2026 ".join(whole[snippet["start"] : snippet["end"]].split("\n"))
        assert re.sub("</?mark>|[.]{3}", "", snippet["snippet"]) == shown


async def test_document_of_one_passage_has_one_snippet(client: Client, report: str) -> None:
    (item,) = (await client.search("quarries flood", ids=report, snippets=5))["items"]
    assert [each["snippet"] for each in item["snippets"]] == [item["snippet"]]
    assert "offsets" not in item


async def test_phrase_across_passages_has_its_words_as_snippets(
    client: Client, engine: Engine, report: str
) -> None:
    whole = await text_of(engine, second(report))
    (_, border), *_ = cut(whole)
    phrase = f'"{" ".join(tokens(whole[:border])[-2:] + tokens(whole[border:])[:3])}"'
    (match,) = (await matches(client, second(report), phrase))["items"]
    assert match["start"] < border < match["end"]
    (item,) = (await client.search(phrase, ids=second(report), snippets=2))["items"]
    assert len(item["snippets"]) == 2
    marks = [mark for each in item["snippets"] for mark in each["marks"]]
    assert {whole[start:end].lower() for start, end in marks} <= set(tokens(phrase))


@pytest.mark.parametrize("snapshot", ["true", "false"])
async def test_walk_by_cursor_has_places_too(client: Client, report: str, snapshot: str) -> None:
    asked = {"ids": f"{report},{second(report)}", "snippets": 2, "include": "offsets", "limit": 1}
    pages = [await client.search("moss", **asked, offset=offset) for offset in (0, 1)]
    first = await client.search("moss", **asked, cursor="*", snapshot=snapshot)
    rest = await answer(client, "/v1/search", cursor=first["next_cursor"])
    assert [first["items"], rest["items"]] == [page["items"] for page in pages]
    assert [len(item["snippets"]) for page in pages for item in page["items"]] == [2, 1]


@pytest.mark.parametrize("target", ["matches", "text"])
async def test_document_that_is_listed_without_text_says_why(
    client: Client,
    settings: Settings,
    tmp_path: Path,
    new_number: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    number = new_number()
    documents = (
        MadeUpDocument("Moss grows.\n", "10-K", "report.txt"),
        MadeUpDocument("GIF89a", "GRAPHIC", "logo.gif"),
        MadeUpDocument("Slate and moss. " * 20, "EX-99", "long.txt"),
    )
    monkeypatch.setattr(session, "MAX_TEXT_CHARS", 100)
    filing = txt(MadeUp(number, (MOSS,), documents, "10-K"))
    await asyncio.to_thread(load_now, settings, tmp_path, {"one.txt": filing})
    query = {"query": "moss"} if target == "matches" else {}
    replies = [
        await client.http.get(f"/v1/{target}", params={"document_id": f"{number}-{place}", **query})
        for place in (1, 2, 3, 4)
    ]
    assert [reply.status_code for reply in replies] == [200, 404, 404, 404]
    assert [reply.json()["error"] for reply in replies[1:]] == [
        f"{number}-2 (logo.gif) is listed but has no text: graphics, PDF, spreadsheets, XBRL data"
        " and empty documents are not searched; /v2/document has it as filed",
        f"{number}-3 (long.txt) is listed but has no text: it is too large to be searched here;"
        " /v2/document has it as filed",
        f"there is no document {number}-4",
    ]


async def cited(client: Client, document_id: str, query: str) -> dict[str, Any]:
    """Return the parameters of a citation of the first match."""
    reply = await matches(client, document_id, query, include="citation")
    item = reply["items"][0]
    return {
        "text_sha256": reply["text_sha256"],
        "start": item["start"],
        "quote": item["text"],
        "prefix": item["prefix"],
        "suffix": item["suffix"],
    }


@pytest.mark.parametrize("query", ["pumps", "quarries", "slow"])
async def test_match_has_the_characters_beside_it_where_asked_for(
    client: Client, engine: Engine, report: str, query: str
) -> None:
    whole = await text_of(engine, report)
    (item, *_) = (await matches(client, report, query, include="citation"))["items"]
    start, end = item["start"], item["end"]
    assert (item["prefix"], item["suffix"]) == (
        whole[max(0, start - 40) : start],
        whole[end : end + 40],
    )
    part = await text(client, report, start=start, length=end - start, include="citation")
    assert (part["prefix"], part["text"], part["suffix"]) == (
        item["prefix"],
        item["text"],
        item["suffix"],
    )


async def test_snippets_have_the_characters_beside_them_where_asked_for(
    client: Client, engine: Engine, report: str
) -> None:
    whole = await text_of(engine, second(report))
    found = await answer(
        client, "/v1/search", query="slate", ids=second(report), include="citation", snippets=3
    )
    (item,) = found["items"]
    assert len(item["snippets"]) == 3
    for each in [item["offsets"], *item["snippets"]]:
        start, end = each["start"], each["end"]
        assert each["prefix"] == whole[max(0, start - 40) : start]
        assert each["suffix"] == whole[end : end + 40]


async def test_exported_matches_have_the_characters_beside_them_where_asked_for(
    client: Client, report: str
) -> None:
    response = await client.http.get(
        "/v1/export",
        params={"query": "pumps", "ids": report, "what": "matches", "include": "citation"},
    )
    record, _ = map(msgspec.json.decode, response.content.splitlines())
    item = (await matches(client, report, "pumps", include="citation"))["items"][0]
    assert {name: record[name] for name in item} == item


TAIL = "The end of what the quarry has to say in this year.\n"


@pytest.mark.parametrize(
    ("before", "after", "quote", "status", "found"),
    [
        (long_body() + TAIL, "New.\n" + long_body() + TAIL, "slate 500", "moved", "slate 500"),
        (long_body(), long_body() + TAIL, "slate 500", "same", "slate 500"),
        (
            long_body(),
            long_body().replace("slate 500 and", "marl 7 and"),
            "slate 500",
            "changed",
            "marl 7",
        ),
        (long_body(), TAIL, "slate 500", "gone", ""),
    ],
)
async def test_citation_of_an_older_text_is_found_again(
    client: Client,
    loads: Loads,
    new_number: Callable[[], str],
    before: str,
    after: str,
    quote: str,
    status: str,
    found: str,
) -> None:
    number = new_number()

    async def change(body: str) -> None:
        document = MadeUpDocument(body, "EX-99", "a.txt")
        await loads({"a.txt": txt(MadeUp(number, (MOSS,), (document,), "8-K"))})

    document = f"{number}-1"
    await change(before)
    citation = await cited(client, document, f'"{quote}"')
    assert (await text(client, document, **citation))["citation"] == "same"
    await change(after)
    reply = await text(client, document, **citation)
    assert (reply["citation"], reply["text"]) == (status, found)
    if status == "gone":
        assert (reply["start"], reply["end"]) == (None, None)
    else:
        assert after[reply["start"] : reply["end"]] == found
        assert after.startswith(reply["prefix"] + found, reply["start"] - 40)


async def test_citation_with_words_of_another_text_is_never_kept_for_ever(
    client: Client, report: str
) -> None:
    citation = await cited(client, report, "pumps")
    response = await client.http.get("/v1/text", params={"document_id": report, **citation})
    assert response.headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"quote": "a"}, "`quote` needs `text_sha256`, which says what was cited"),
        (
            {"suffix": "a", "text_sha256": "0" * 64},
            "`suffix` needs `start`, which says what was cited",
        ),
        (
            {"prefix": "a", "text_sha256": "0" * 64, "start": 1},
            "`prefix` needs `length` or `quote`, which say what was cited",
        ),
        ({"prefix": "a" * 41}, "`prefix` may have at most 40 characters, not 41"),
        (
            {"quote": "a", "text_sha256": "0" * 64, "start": 1, "section": "item1"},
            "`section` cannot be combined with `prefix`, `suffix` or `quote`",
        ),
    ],
)
async def test_citation_that_lacks_something_is_refused(
    client: Client, report: str, parameters: dict[str, Any], message: str
) -> None:
    response = await client.http.get("/v1/text", params={"document_id": report, **parameters})
    assert (response.status_code, response.json()) == (400, {"error": message})
