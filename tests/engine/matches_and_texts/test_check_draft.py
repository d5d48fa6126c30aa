"""A draft checked: verdicts of its quotes and citations, pages, limits, and what is kept of it."""

import json
import logging
from datetime import date
from typing import Any

import httpx
import pytest

from edgar_search.api import draft as module
from edgar_search.api import draft_quotes, quote
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.stopwatch import stopwatch
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
KILN = MadeUpEntity("0009991701", "KILN CORP")
FIRST, SECOND, THIRD, FOURTH, FIFTH = (f"0009991700-21-00000{number}" for number in range(1, 6))
NEXT = date(2021, 12, 31)
# After which no further claim is begun, in tests of that.
MOST_SECONDS = 2.0
TEXT = (
    "The kiln at Burlington burned for 38 days in the spring of 2020. The company's revenue"
    " was $3,812 million in 2020, and it did not pay a dividend. Its clay is dug in Vermont.\n"
)
FAR = "The kiln is closed in winter. " + "Nothing else is said of it. " * 60
TEXT += f"{FAR}The kiln is closed in winter. It opens in spring, the board said. {FAR}\n"
OTHER = "The glaze of the second kiln contains cobalt from a mine in Ontario.\n"
FILINGS = (
    MadeUp(
        FIRST,
        (KILN,),
        (MadeUpDocument(TEXT, "10-K", "a.htm"),),
        "10-K",
        period=date(2020, 12, 31),
    ),
    MadeUp(SECOND, (KILN,), (MadeUpDocument(OTHER, "8-K", "b.htm"),), "8-K"),
    MadeUp(THIRD, (KILN,), (MadeUpDocument(OTHER, "10-K", "c.htm"),), "10-K", period=NEXT),
    MadeUp(FOURTH, (KILN,), (MadeUpDocument(OTHER, "10-K", "d.htm"),), "10-K", period=NEXT),
    # Exhibits that differ in a word far from the beginning.
    MadeUp(
        FIFTH,
        (KILN,),
        tuple(
            MadeUpDocument(
                f"The glaze of the third kiln is blue. It was mixed in {place} by a potter.\n",
                f"EX-4.{number}",
                f"e{number}.htm",
            )
            for number, place in enumerate(("Ohio", "Maine", "Iowa", "Texas", "Quebec"), 1)
        ),
        "8-K",
    ),
)


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"{each.accession_number}.txt": txt(each) for each in FILINGS}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def check(client: Client, text: str, **more: str) -> httpx.Response:
    """Return the answer to a draft."""
    return await client.http.post("/v1/check_draft", json={"text": text, **more})


async def quotes(client: Client, text: str) -> list[dict[str, Any]]:
    """Return the quotes of a draft, as they are checked."""
    reply = await check(client, text)
    assert reply.status_code == 200, reply.text
    return [claim for claim in reply.json()["claims"] if claim["kind"] == "quote"]


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("The kiln at Burlington burned for 38 days in the spring of 2020.", "exact"),
        ("burned for 38 days in the spring", "exact"),
        ("burned  for\n38 days in the spring", "normalised"),
        ("The company\u2019s revenue was $3,812 million in 2020", "normalised"),
        ("burned **for 38 days** in _the spring_", "exact"),
        ("revenue was \\$3,812 *million* in 2020", "exact"),
        ("burned **for 83 days** in _the spring_", "altered"),
        ("burned for 83 days in the spring of 2020", "altered"),
        ("The company's revenue was $3,812 thousand in 2020", "altered"),
        ("and it did pay a dividend. Its clay is dug", "altered"),
        ("The company's revenue was $3,81", "altered"),
        ("The kiln at Burlington burned ... and it did not pay a dividend", "exact"),
        ("[t]he kiln at Burlington burned for 38 days", "exact"),
        ("Its clay is dug in Vermont ... burned for 38 days in the spring", "altered"),
        ("The kiln is closed in winter ... It opens in spring", "exact"),
        ("Its clay is dug in Vermont ... The kiln is closed in winter", "exact"),
        # A part that is too short to be found is near the others.
        ("The kiln is closed in winter ... in spring", "exact"),
        ("The kiln ... closed in winter. It opens in spring", "exact"),
        ("The kiln is closed in winter ... in autumn", "altered"),
        ("it [...] pay a dividend. Its clay", "exact"),
        ("it did ... pay a revenue. Its clay", "altered"),
        ("Pandas prefer bamboo shoots grown in the shade of mountains", "absent"),
        ("it is so ... as was", "unchecked"),
    ],
)
async def test_verdicts_of_quotes(client: Client, quote: str, verdict: str) -> None:
    for cited in (f" ({FIRST})", f" ({FIRST}-1)", ""):
        (claim,) = await quotes(client, f'They wrote "{quote}"{cited}.')
        assert (claim["verdict"], claim["cited"]) == (verdict, cited.strip(" ()") or None)


@pytest.mark.parametrize(
    "marks", ["'{}'", "\u2018{}\u2019", '**"{}"**', "_\u201c{}\u201d_", "\u201e{}\u201c"]
)
async def test_marks_of_quotes_and_of_markdown_do_not_alter_them(
    client: Client, marks: str
) -> None:
    for words, verdict in (("for 38 days in the spring", "exact"), ("for 83 days in", "altered")):
        (claim,) = await quotes(client, f"It says {marks.format(words)} ({FIRST}).")
        assert claim["verdict"] == verdict


async def test_parts_of_a_quote_are_of_the_document_that_has_all_of_them(client: Client) -> None:
    quote = "The glaze of the third kiln ... was mixed in Quebec by a potter"
    (claim,) = await quotes(client, f'"{quote}" ({FIFTH})')
    assert (claim["verdict"], claim["document_id"]) == ("exact", f"{FIFTH}-5")


async def test_an_altered_quote_shows_what_differs_numbers_first(client: Client) -> None:
    draft = f'"The kilns at Burlington burned for 83 days in the spring of 2020" ({FIRST})'
    (claim,) = await quotes(client, draft)
    assert claim["differences"] == [
        {"draft": "83", "filed": "38"},
        {"draft": "kilns", "filed": "kiln"},
    ]
    assert claim["document_id"] == f"{FIRST}-1"
    assert TEXT[claim["found_start"] : claim["found_end"]] == claim["found"]


async def test_a_quote_that_another_filing_has_is_elsewhere(client: Client) -> None:
    (claim,) = await quotes(client, f'"contains cobalt from a mine in Ontario" ({FIRST})')
    assert (claim["verdict"], claim["document_id"]) == ("elsewhere", f"{SECOND}-1")
    assert claim["reason"] == f"{FIRST} does not have it"


async def test_citations_are_here_or_unknown(client: Client) -> None:
    edgar = "https://www.sec.gov/Archives/edgar/data/9991701/000999170021000001"
    cited = {
        FIRST: ("same", None),
        f"{FIRST}-1": ("same", f"{FIRST}-1"),
        f"{FIRST}-9": ("unknown", None),
        f"{edgar}/a.htm": ("same", f"{FIRST}-1"),
        f"{edgar}/{FIRST}-index.htm": ("same", None),
        FIRST.replace("-", ""): ("same", None),
        f"{edgar}/z.htm": ("unknown", None),
        "0009991700-21-999999": ("unknown", None),
    }
    reply = (await check(client, "\n\n".join(cited))).json()
    found = [(claim["verdict"], claim["document_id"]) for claim in reply["claims"]]
    assert found == list(cited.values())
    assert reply["counts"] == {"same": 5, "unknown": 3}


@pytest.mark.parametrize(
    ("draft", "verdict", "number", "reason"),
    [
        ("Kiln's 10-K for 2020", "same", FIRST, ""),
        ("Kiln Corp.'s 10-K for the year ended December 31, 2020", "same", FIRST, ""),
        ("Kiln's 10-K for 2020, Item 7", "same", FIRST, "the filing is here; Item 7 was not"),
        ("Kiln's 10-K for 2021", "ambiguous", None, "several filings are meant"),
        ("Kiln's 10-K says", "ambiguous", None, "it names no period"),
        ("Kiln's 10-K for 2014", "unknown", None, "no 10-K of Kiln for this period is loaded"),
        ("Kiln's 10-Q for 2020", "unknown", None, "no 10-Q of Kiln is loaded"),
        ("Oven's 10-K for 2020", "unknown", None, "no company here has this name"),
    ],
)
async def test_citations_in_words(
    client: Client, draft: str, verdict: str, number: str | None, reason: str
) -> None:
    (claim,) = (await check(client, draft)).json()["claims"]
    assert (claim["verdict"], claim["cited"]) == (verdict, number)
    assert claim["reason"].startswith(reason)


async def test_a_citation_in_words_that_is_not_certain_has_its_candidates(client: Client) -> None:
    (claim,) = (await check(client, "Kiln's 10-K for 2021")).json()["claims"]
    assert {each["accnum"] for each in claim["candidates"]} == {THIRD, FOURTH}
    assert claim["candidates"][0]["period"] == "2021-12-31"


async def test_a_quote_is_of_the_filing_that_is_cited_in_words(client: Client) -> None:
    quote = "burned for 38 days in the spring"
    (claim,) = await quotes(client, f'Kiln\u2019s 10-K for 2020 says "{quote}".')
    assert (claim["verdict"], claim["cited"]) == ("exact", FIRST)
    (claim,) = await quotes(client, f'Kiln\u2019s 10-K for 2020 says "{OTHER[:50]}".')
    assert (claim["verdict"], claim["cited"]) == ("elsewhere", FIRST)


async def test_further_claims_by_cursor_of_the_same_draft(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CLAIMS", 2)
    draft = " ".join(f"{FIRST} {SECOND} {FIRST}-{number}" for number in (1, 2))
    found: list[dict[str, Any]] = []
    cursor = before = None
    while cursor or not found:
        reply = (await check(client, draft, **({"cursor": cursor} if cursor else {}))).json()
        assert reply["claim_count"] == 6
        found += reply["claims"]
        before, cursor = cursor, reply["next_cursor"]
    assert [claim["start"] for claim in found] == sorted({claim["start"] for claim in found})
    assert len(found) == 6
    assert before is not None
    for wrong, said in ((before, "of another draft"), ("x", "must be the `next_cursor`")):
        refused = await check(client, draft + ".", cursor=wrong)
        assert (refused.status_code, said in refused.json()["error"]) == (400, True)


async def test_time_ends_an_answer_and_loses_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_SECONDS", 0.0)
    reply = (await check(client, f"{FIRST} {SECOND}")).json()
    assert len(reply["claims"]) == 1
    rest = (await check(client, f"{FIRST} {SECOND}", cursor=reply["next_cursor"])).json()
    assert rest["claims"][0]["cited"] == SECOND


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("x" * 200_001, 413, "`text` has 200,001 characters, of at most 200,000"),
        ("", 400, "text"),
        ("   ", 400, "text"),
    ],
    ids=["long", "empty", "blank"],
)
async def test_bad_drafts(client: Client, text: str, status: int, said: str) -> None:
    reply = await check(client, text)
    assert reply.status_code == status
    assert said in reply.json()["error"]


async def test_a_draft_in_the_address_is_refused(client: Client) -> None:
    reply = await client.http.post("/v1/check_draft", params={"text": "a draft"})
    assert reply.status_code == 400
    assert reply.json()["error"] == "`text` must be in the body: addresses are logged on their way"


async def test_a_draft_of_escaped_characters_is_read(client: Client) -> None:
    body = json.dumps({"text": "\U0001f600" * 200_000})
    assert len(body) > 2_400_000
    reply = await client.http.post("/v1/check_draft", content=body)
    assert (reply.status_code, reply.json()["claim_count"]) == (200, 0)


async def test_nothing_of_a_draft_is_kept(
    settings: Settings, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "zanzibarian"
    caplog.set_level(logging.INFO)
    reply = await check(client, f'"the {secret} kiln is merging with us" {secret}', cursor="x")
    assert reply.status_code == 400
    reply = await check(client, f'"the {secret} kiln is merging with us" {secret}')
    assert reply.status_code == 200
    assert secret not in caplog.text
    async with httpx.AsyncClient(base_url=settings.es_url or "") as es:

        async def stored(word: str) -> int:
            await es.post(f"/{settings.prefix}*/_refresh")
            found = await es.get(f"/{settings.prefix}*/_search", params={"q": f"*{word}*"})
            total: int = found.json()["hits"]["total"]["value"]
            return total

        async def are_logged() -> bool:
            return await stored("check_draft") >= 2

        await until(are_logged)
        assert await stored(secret) == 0


@pytest.mark.parametrize("text", ['"' * 200_000, "\u202e\u0000\ud83d\ude00" * 9, "[" * 9_000])
async def test_hostile_drafts_have_no_claims(client: Client, text: str) -> None:
    reply = await check(client, text.encode("utf-8", "replace").decode())
    assert (reply.status_code, reply.json()["claim_count"]) == (200, 0)


async def test_a_quote_that_comes_again_is_looked_for_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    check_words = quote.check_words

    async def noted(*given: Any) -> Any:
        asked.append(given)
        return await check_words(*given)

    monkeypatch.setattr(draft_quotes, "check_words", noted)
    found = await quotes(client, '"burned for 38 days in the spring". ' * 30)
    assert {claim["verdict"] for claim in found} == {"exact"}
    assert (len(found), len(asked)) == (30, 1)


@pytest.mark.parametrize(
    ("text", "status", "claims"),
    [
        ("kiln " * 200_000, 413, None),
        ('"' * 200_000, 200, 0),
        ("“" * 200_000, 200, 0),
        ("\u0000\u0001\ufffd" * 60_000, 200, 0),
        (
            "\u202e“\u05e9\u05dc\u05d5\u05dd \u05e2\u05dc \u05db\u05dc \u05d4\u05d5”\u202c\n\n",
            200,
            1,
        ),
        ("".join(f"“kiln in it {number:05}” " for number in range(10_000)), 200, 10_000),
    ],
    ids=["a million", "straight marks", "open marks", "binary", "right to left", "many quotes"],
)
async def test_hostile_drafts_are_answered_in_bounded_time(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    status: int,
    claims: int | None,
) -> None:
    monkeypatch.setattr(module, "_MOST_SECONDS", MOST_SECONDS)
    async with stopwatch() as watch:
        reply = await check(client, text)
    # The claims under way are finished, and reading a draft of any kind takes less than a second.
    assert watch.seconds < MOST_SECONDS + 3
    assert reply.status_code == status
    assert reply.json().get("claim_count") == claims
    if claims and claims > module.MAX_CLAIMS:
        assert 0 < len(reply.json()["claims"]) <= module.MAX_CLAIMS
        assert reply.json()["next_cursor"]
    if status == 413:
        assert "1,000,000 characters, of at most 200,000" in reply.json()["error"]
