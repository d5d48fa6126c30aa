"""/v1/quote: documents given or found, long texts, refusals."""

from collections.abc import Callable

import pytest

from tests.support.alerting import filing
from tests.support.asking import Client
from tests.support.loading import Loads

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.usefixtures("made_settings"),
]
NewNumber = Callable[[], str]
SENTENCE = "Ernst & Young LLP has audited the amethyst ledgers of the Company since 1998."


async def test_quote_is_found_in_a_long_text_and_can_be_cited(
    client: Client, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    filler = "Quartz was sorted by size and hue. " * 3_000
    await loads(filing(number, f"{filler}{SENTENCE} {filler}"))
    asked = {"document_id": f"{number}-1", "quote": SENTENCE.replace(" has", "  has")}
    found = await client.get("/v1/quote", **asked)
    assert found["verdict"] == "normalised"
    assert (found["text"], found["similarity"]) == (SENTENCE, 1.0)
    cited = {"start": found["start"], "length": found["end"] - found["start"]}
    text = await client.get("/v1/text", document_id=f"{number}-1", **cited)
    assert (text["text"], text["text_sha256"]) == (SENTENCE, found["text_sha256"])
    assert found["prefix"].endswith("hue. ") and found["suffix"].startswith(" Quartz")
    other = await client.get(
        "/v1/quote", document_id=f"{number}-1", quote="The lapis was sold to a museum in Oslo."
    )
    assert (other["verdict"], other["start"], other["text"]) == ("absent", None, "")
    assert other["text_sha256"] == found["text_sha256"]


async def test_sentence_over_a_page_break_is_searched_and_quoted(
    client: Client, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    pages = (
        "The amethyst ledgers were audited in the year by accountants of the consoli-\n"
        "dated company, who may not be told of the sub-\n\n            - 12 -\n<PAGE>\n"
        "                 AMETHYST HOLDINGS INC.\n"
        "sidiary miners that the self-\ninsured fund has.\n"
    )
    await loads(filing(number, pages, cik="0009990613"))
    told = "accountants of the consolidated company, who may not be told of the subsidiary miners"
    assert await client.found(f'"{told}"', cik="9990613") == [f"{number}-1"]
    for quote in (told, "subsidiary miners that the self-insured fund has."):
        quoted = await client.get("/v1/quote", quote=quote, document_id=f"{number}-1")
        assert quoted["verdict"] == "normalised"
        assert quoted["text"].split() == quote.split()


async def test_document_is_found_by_the_quote_and_a_false_one_is_found_false(
    client: Client, loads: Loads, new_number: NewNumber
) -> None:
    number, elsewhere = new_number(), new_number()
    await loads(filing(number, f"Beryl. {SENTENCE} Opal.", cik="0009990611"))
    await loads(filing(elsewhere, "The amethyst ledgers were lost.", cik="0009990612"))
    found = await client.get("/v1/quote", quote=SENTENCE, cik="9990611")
    assert (found["verdict"], found["document_id"]) == ("exact", f"{number}-1")
    false = await client.get("/v1/quote", quote=SENTENCE.replace("1998", "1989"), cik="9990611")
    assert (false["verdict"], false["text"]) == ("nearest", SENTENCE)
    assert 0.9 < false["similarity"] < 1
    cut = await client.get("/v1/quote", quote=SENTENCE.replace("1998.", "199"), cik="9990611")
    assert (cut["verdict"], cut["text"]) == ("nearest", SENTENCE)
    for filters in ({"cik": "0009990612"}, {"cik": "0009990611", "fiscal_year": "1950"}):
        absent = await client.get("/v1/quote", quote=SENTENCE, **filters)
        assert absent["verdict"] == "absent"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"quote": "too short"}, "`quote` must have 12 to 2,000 characters, not 9"),
        ({}, "`quote` is missing"),
        *(
            (
                {"quote": "long enough to be one", "document_id": "0009990611-26-000001-1", **each},
                "`document_id` may not be given with filters",
            )
            for each in ({"cik": "1"}, {"period_from": "2020-01-01"})
        ),
    ],
)
async def test_refusal_says_what_would_be_right(
    client: Client, parameters: dict[str, str], words: str
) -> None:
    reply = await client.http.get("/v1/quote", params=parameters)
    assert (reply.status_code, words in reply.json()["error"]) == (400, True)
