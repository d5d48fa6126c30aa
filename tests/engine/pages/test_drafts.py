"""Drafts that someone pastes, over the samples."""

import html
import re

import httpx
import pytest

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.usefixtures("samples")]
REPORT = "0009990101-25-000004"
QUOTE = "We recorded an impairment charge of $8.1 million"
OWN = {"Sec-Fetch-Site": "same-origin"}


async def send(browser: httpx.AsyncClient, text: str, **more: str) -> httpx.Response:
    """Return the page of a draft."""
    return await browser.post("/drafts", data={"text": text, **more}, headers=OWN)


def claims(page: str) -> list[tuple[str, str]]:
    """Return the underlined words of a page and their looks."""
    found = re.findall(r'<a class="claim (\w+)"[^>]*>(.*?)</a>', page, re.DOTALL)
    return [(html.unescape(words), look) for look, words in found]


async def test_a_draft_is_shown_as_written_with_its_claims_underlined(
    browser: httpx.AsyncClient,
) -> None:
    text = f'# <Memo>\r\n\r\nIt says "{QUOTE}" ({REPORT}),\nnot "{QUOTE.replace("8.1", "1.8")}".'
    reply = await send(browser, text)
    assert reply.status_code == 200, reply.text
    assert claims(reply.text) == [
        (f'"{QUOTE}"', "good"),
        (REPORT, "good"),
        (f'"{QUOTE.replace("8.1", "1.8")}"', "bad"),
    ]
    draft = re.search(r'<div class="draft">(.*?)</div>', reply.text, re.DOTALL)
    assert draft is not None
    shown = html.unescape(re.sub(r"</?a\b[^>]*>", "", draft[1]))
    assert shown == text.replace("\r\n", "\n")
    assert "3 of 3 claims, 1 exact, 1 same, 1 altered" in reply.text


async def test_both_sides_of_a_claim_are_a_click_away(browser: httpx.AsyncClient) -> None:
    page = (await send(browser, f'"{QUOTE.replace("8.1", "1.8")}" ({REPORT})')).text
    assert 'href="#claim-1"' in page
    card = re.search(r'<li id="claim-1">(.*?)</li>', page, re.DOTALL)
    assert card is not None
    assert "$1.8 million" in html.unescape(card[1])
    assert "<ins>8.1</ins>" in card[1] or "<ins>$8.1</ins>" in card[1]
    place = re.search(r'<p class="acts"><a href="(.*?)">', card[1])
    assert place is not None
    document = await browser.get(html.unescape(place[1]).partition("#")[0])
    assert (document.status_code, "they are where they were cited" in document.text) == (200, True)


async def test_the_next_claims_are_a_form_away(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.api.draft.MAX_CLAIMS", 1)
    page = (await send(browser, f"{REPORT} and {REPORT}")).text
    cursor = re.search(r'name="cursor" value="(.*?)"', page)
    assert cursor is not None
    rest = await send(browser, f"{REPORT} and {REPORT}", cursor=cursor[1])
    assert len(claims(rest.text)) == 1
    assert 'name="cursor"' not in rest.text


async def test_what_cannot_be_checked_is_said_on_the_page(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/drafts")).status_code == 200
    empty = await send(browser, "Nothing here.")
    assert "no quotation of four words" in empty.text
    long = await send(browser, "\U0001f600" * 200_001)
    assert (long.status_code, "200,001 characters" in long.text) == (413, True)
    blank = await send(browser, " ")
    assert blank.status_code == 400
    other = await browser.post(
        "/drafts", data={"text": "x"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert other.status_code == 403
