"""Citations that someone pastes, over the samples."""

import html
import json
import re

import httpx
import pytest

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.usefixtures("samples")]
REPORT = "0009990101-25-000004-1"
OTHER_HASH = "0" * 64


async def copied(browser: httpx.AsyncClient, form: str) -> str:
    """Return the citation of a match, as the document's page copies it in this form."""
    page = (await browser.get(f"/document/{REPORT}?query=impairment&match=3")).text
    found = re.search(rf'<code id="cite-{form}"[^>]*>(.*?)</code>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


async def check(browser: httpx.AsyncClient, citation: str) -> tuple[str, str]:
    """Return the verdict about a citation, and the words that are marked; "" if none are."""
    reply = await browser.get("/cite", params={"citation": citation})
    assert reply.status_code == 200, reply.text
    verdict = re.search(r'<h2 id="verdict"[^>]*>(\w+)', reply.text)
    marked = re.search(r"<mark>(.*?)</mark>", reply.text, re.DOTALL)
    assert verdict is not None
    return verdict[1], html.unescape(marked[1]) if marked else ""


@pytest.mark.parametrize("form", ["text", "html", "json"])
async def test_each_form_that_a_page_copies_is_verified(
    browser: httpx.AsyncClient, form: str
) -> None:
    quote = json.loads(await copied(browser, "json"))["quote"]
    assert await check(browser, await copied(browser, form)) == ("Verified", quote)


async def test_address_of_a_citation_opens_and_is_verified(browser: httpx.AsyncClient) -> None:
    fields = json.loads(await copied(browser, "json"))
    assert (await check(browser, fields["url"]))[0] == "Verified"
    assert "they are where they were cited" in (await browser.get(fields["url"])).text


async def test_plain_text_without_its_address_is_verified(browser: httpx.AsyncClient) -> None:
    text = (await copied(browser, "text")).partition(", lasting link")[0]
    assert (await check(browser, text))[0] == "Verified"


async def test_words_without_a_place_are_found_by_those_around_them(
    browser: httpx.AsyncClient,
) -> None:
    fields = json.loads(await copied(browser, "json"))
    sides = {name: fields[name] for name in ("document_id", "prefix", "suffix")}
    words = {
        **sides,
        "quote": fields["quote"] + fields["suffix"][:10],
        "suffix": fields["suffix"][10:],
    }
    assert await check(browser, json.dumps(words)) == ("Verified", words["quote"])


async def test_words_at_another_place_have_moved(browser: httpx.AsyncClient) -> None:
    fields = json.loads(await copied(browser, "json"))
    moved = {"start": fields["start"] + 40, "end": fields["end"] + 40, "text_sha256": OTHER_HASH}
    assert await check(browser, json.dumps(fields | moved)) == ("Moved", fields["quote"])


async def test_true_hash_does_not_verify_other_words(browser: httpx.AsyncClient) -> None:
    fields = json.loads(await copied(browser, "json"))
    forged = json.dumps(fields | {"quote": "a profit"})
    assert await check(browser, forged) == ("Changed", fields["quote"])


async def test_words_that_end_within_a_word_are_changed(browser: httpx.AsyncClient) -> None:
    fields = json.loads(await copied(browser, "json"))
    cut = {"quote": fields["quote"][:-2], "end": fields["end"] - 2}
    assert await check(browser, json.dumps(fields | cut)) == ("Changed", fields["quote"])


async def test_true_address_does_not_verify_other_words_beside_it(
    browser: httpx.AsyncClient,
) -> None:
    text = await copied(browser, "text")
    words, _, rest = text.partition("”\n")
    forged = words.replace(" the ", " no ", 1) + "”\n" + rest
    assert forged != text
    assert (await check(browser, forged))[0] == "Changed"
    page = (await browser.get("/cite", params={"citation": forged})).text
    differing = re.search(r'<p class="cite" id="differing">(.*?)</p>', page, re.DOTALL)
    assert differing is not None
    assert re.findall("<(del|ins)>(.*?)</", differing[1]) == [("del", "no"), ("ins", "the")]


async def test_words_that_are_nowhere_are_gone(browser: httpx.AsyncClient) -> None:
    cited = f"{REPORT} “The zebra of Zanzibar plays the xylophone by moonlight.”"
    assert await check(browser, cited) == ("Gone", "")


async def test_place_without_words_in_another_text_is_gone(browser: httpx.AsyncClient) -> None:
    cited = f"document {REPORT}, characters 1,000–1,020 of sha256 {OTHER_HASH}"
    assert await check(browser, cited) == ("Gone", "")


async def test_document_and_words_are_enough(browser: httpx.AsyncClient) -> None:
    fields = json.loads(await copied(browser, "json"))
    words = (fields["prefix"] + fields["quote"] + fields["suffix"]).split(" ")
    assert (await check(browser, f"{REPORT} “{' '.join(words[1:-1])}”"))[0] == "Verified"
    assert (await check(browser, f"{REPORT} “{' '.join(words)}”"))[0] == "Changed"


async def test_another_hosts_address_is_named_and_not_linked(browser: httpx.AsyncClient) -> None:
    text = await copied(browser, "text")
    pasted = text.replace("http://127.0.0.1:8000", "https://filings.example")
    page = (await browser.get("/cite", params={"citation": pasted})).text
    assert "names another host, filings.example, which was not asked" in page
    assert 'href="https://filings.example' not in page


async def test_document_that_is_not_here_is_named(browser: httpx.AsyncClient) -> None:
    cited = "0009990101-25-999999-1 “words that somebody has cited”"
    reply = await browser.get("/cite", params={"citation": cited})
    assert (reply.status_code, "there is no filing 0009990101-25-999999" in reply.text) == (
        404,
        True,
    )
