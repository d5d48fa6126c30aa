"""Passages like one that is selected in a document, or like a pasted text, over the samples."""

import html
import re

import httpx
import pytest

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.usefixtures("samples")]
REPORT = "0009990101-25-000004-1"
TEXT = "We recorded an impairment charge of $8.1 million in the fourth quarter."
OWN = {"Sec-Fetch-Site": "same-origin"}


async def test_pasted_text_is_shown_beside_passages_with_their_redlines(
    browser: httpx.AsyncClient,
) -> None:
    data = {"text": TEXT, "form_type": "10-K", "sort": "newest"}
    reply = await browser.post("/similar", data=data, headers=OWN)
    assert reply.status_code == 200, reply.text
    passages = re.findall(r'<p class="passage">(.*?)</p>', reply.text, re.DOTALL)
    assert passages
    assert all("<del>" in each or "<ins>" in each for each in passages)
    assert "newest first" in reply.text
    forms = re.findall(r'<p class="soft">(.*?), ', reply.text)
    assert {*forms} == {"10-K"}
    # Nothing of the text is in an address.
    addresses = re.findall(r'(?:href|action)="([^"]*)"', reply.text)
    assert not any("impairment" in each for each in addresses)


async def test_link_at_a_match_of_both_viewers_leads_to_passages_like_it(
    browser: httpx.AsyncClient,
) -> None:
    for viewer in ("", "/as-filed"):
        page = await browser.get(f"/document/{REPORT}{viewer}?query=impairment")
        link = re.search(r'href="(/similar\?[^"]*)"[^>]*>similar', page.text)
        assert link is not None
        found = await browser.get(html.unescape(link[1]))
        assert found.status_code == 200, found.text
        assert "passages like this" in found.text.lower()


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("document_id=0009990101-99-000001-1&start=0", 404, "0009990101-99-000001"),
        (f"document_id={REPORT}&start=99999999", 400, "is not in the text"),
        (f"document_id={REPORT}&length=x", 400, "length"),
        ("text=We+recorded+an+impairment+charge", 400, "must be in the body"),
    ],
)
async def test_wrong_addresses_are_refused_on_the_page(
    browser: httpx.AsyncClient, query: str, status: int, words: str
) -> None:
    reply = await browser.get(f"/similar?{query}")
    assert reply.status_code == status
    assert words in html.unescape(reply.text)
