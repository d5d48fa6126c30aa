"""The pages over the samples: what they show is what the API answers."""

import html
import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import httpx
import pytest

from edgar_search.document.text import document_text
from edgar_search.engine.engine import Engine
from edgar_search.search.coverage import CorpusStatistics, count_corpus
from edgar_search.stored.installation import MissingDay
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.one_client,
    pytest.mark.usefixtures("samples"),
]
# What pages ask for where an address says nothing of it.
ASKED = {"word_forms": "related", "operands": "most", "reading": "person"}
QUERIES = [
    "goodwill impairment",
    '"material weakness" NOT restatement',
    "paper*",
    "impaired tariff felts nowhere",
]


# A filing in the list of a company's page.
LISTED = re.compile(r'class="filed" href="/filing/([^"#]+)"')


def accession_numbers(text: str) -> list[str]:
    """Return the filing of the document that each hit's heading leads to, in order."""
    found = re.findall(r'<h2><a href="/document/([^"?]+)', text)
    return [document_id.rpartition("-")[0] for document_id in found]


@pytest.mark.parametrize("query", QUERIES)
async def test_search_page_has_the_hits_of_the_api(
    browser: httpx.AsyncClient, client: Client, query: str
) -> None:
    page = await browser.get("/search", params={"query": query})
    reply = await client.search(query, **ASKED)
    assert page.status_code == 200
    assert accession_numbers(page.text) == [item["accnum"] for item in reply["items"]]
    assert f'<strong class="num">{reply["total_count"]} document' in page.text
    shown = [item["snippet"].removeprefix("...").removesuffix("...") for item in reply["items"]]
    assert [snippet for snippet in shown if snippet not in page.text] == []


async def test_what_is_loaded_is_counted(engine: Engine, client: Client) -> None:
    held = await count_corpus(engine)
    companies = ",".join(f"{9990101 + number:010d}" for number in range(200))
    found = await client.lookup(cik=companies)
    assert held.filings == found["response_details"]["filings_found"] == 25
    assert held.last_day is not None
    assert held.last_day.isoformat() == found["filings"][0]["filing_date"]
    assert isinstance(held, CorpusStatistics)


async def test_company_page_has_the_filings_of_the_api(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/company/9990101")
    wanted = await client.looked_up(cik="0009990101")
    assert LISTED.findall(page.text) == wanted


EVENT = re.compile(r'<a href="([^"]+)">Item 5\.02 [^<]+</a> <a class="soft" href="/filing/([^"]+)"')


async def test_company_page_lists_changes_of_officers_in_their_place(
    browser: httpx.AsyncClient, client: Client
) -> None:
    wanted = await client.looked_up(cik="0009990103", item="5.02")
    page = await browser.get("/company/9990103")
    place, number = EVENT.findall(page.text)[0]
    assert number == wanted[0]
    report = await browser.get(html.unescape(place).removesuffix("#m1"))
    assert re.search(r'<mark[^>]+id="m1"[^>]*>Item', report.text, re.IGNORECASE)


async def test_company_page_keeps_to_filings_with_an_item(
    browser: httpx.AsyncClient, client: Client
) -> None:
    wanted = await client.looked_up(cik="0009990103", item="5.02,4.01")
    page = await browser.get("/company/9990103?item=5.02,4.01")
    assert LISTED.findall(page.text) == wanted != []
    refused = await browser.get("/company/9990103?item=first")
    assert refused.status_code == 400


async def test_filing_page_has_documents_and_sections(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/filing/0009990101-25-000004")
    assert "qlfp-20241231.htm" in page.text
    assert "Item 1A" in page.text
    assert "QUILLFEATHER PAPER MILLS CORP" in page.text
    headings = re.findall(r"<h2[^>]*>([^<]+)", page.text)
    assert headings == ["Sections", "Documents"]


async def test_items_of_an_8k_lead_to_their_text_and_exhibits(browser: httpx.AsyncClient) -> None:
    listed = LISTED.findall((await browser.get("/company/9990103?item=5.02")).text)[0]
    page = (await browser.get(f"/filing/{listed}")).text
    assert re.findall(r"<h2[^>]*>([^<]+)", page)[0] == "Items"
    assert f'href="/document/{listed}-1?section=item5.02#item5.02"' in page


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("quill", "QUILLFEATHER PAPER MILLS CORP"),
        ("paper mi", "QUILLFEATHER PAPER MILLS CORP"),
        ("mrzp", "MARZIPAN THERAPEUTICS, INC."),
        ("SLTB", "SALTMARSH SAVINGS BANCORP INC /NC/"),
    ],
)
async def test_company_is_offered_while_its_name_is_typed(
    browser: httpx.AsyncClient, typed: str, first: str
) -> None:
    reply = await browser.get("/companies", params={"name": typed})
    assert reply.json()["companies"][0]["name"] == first


async def test_company_is_offered_under_a_former_name(browser: httpx.AsyncClient) -> None:
    page = html.unescape((await browser.get("/company/9990106")).text)
    former = re.findall(r"<dt>Former names</dt>\s*<dd>([^<]+?) *<", page)[0]
    reply = await browser.get("/companies", params={"name": former})
    assert reply.json()["companies"][0]["former"] == former


REPORT = "0009990101-25-000004-1"


def marked_texts(page: str) -> list[str]:
    """Return the text of each match, in order, joined over cells and lines."""
    found: list[str] = []
    for number, text in re.findall(r"<mark(?: id=\"m(\d+)\")?[^>]*>([^<]*)</mark>", page):
        if number:
            found.append(text)
        else:
            found[-1] += f" {text}"
    return [" ".join(html.unescape(text).split()) for text in found]


@pytest.mark.parametrize(
    "query",
    [
        "impairment",
        '"chief executive officer" OR tariffs',
        '"revenue paper"~5',
        "mach*",
        "tariff felt nowhere",
    ],
)
async def test_document_page_has_the_matches_of_the_api(
    browser: httpx.AsyncClient, client: Client, query: str
) -> None:
    page = await browser.get(f"/document/{REPORT}", params={"query": query})
    sent = {"document_id": REPORT, "query": query, "limit": "100", **ASKED}
    reply = (await client.http.get("/v1/matches", params=sent)).json()
    assert marked_texts(page.text) == [" ".join(m["text"].split()) for m in reply["items"]]
    assert f"1 / {reply['total_count']}</a>" in page.text


async def test_link_to_a_match_opens_at_it(browser: httpx.AsyncClient) -> None:
    page = await browser.get(f"/document/{REPORT}?query=impairment&match=3")
    assert re.findall(r'<mark id="(m\d+)" class=now>', page.text) == ["m3"]
    assert "match=4#m4" in page.text
    assert "match=2#m2" in page.text


OTHER = "0" * 64


@pytest.mark.parametrize(
    ("change", "note", "marked"),
    [
        ({}, "they are where they were cited", ["impairment"]),
        ({"text_sha256": OTHER, "cited": "9"}, "have moved", ["impairment"]),
        (
            {"text_sha256": OTHER, "quote": "xylophone"},
            "What is there now",
            ["impairment"],
        ),
        ({"text_sha256": OTHER, "prefix": "x" * 40, "suffix": ""}, "are not in it any more", []),
    ],
)
async def test_lasting_link_of_a_citation_marks_what_was_cited(
    browser: httpx.AsyncClient, change: dict[str, str], note: str, marked: list[str]
) -> None:
    page = await browser.get(f"/document/{REPORT}?query=impairment&match=3")
    (link,) = re.findall(r'<a href="([^"]+)">lasting link</a>', page.text)
    cited = httpx.URL(html.unescape(link))
    shown = await browser.get(cited.copy_merge_params(change))
    assert shown.status_code == 200
    assert note in shown.text
    assert re.findall('<mark id="m0" class=now>(.*?)</mark>', shown.text) == marked


async def test_hit_leads_to_the_document_with_its_marks(browser: httpx.AsyncClient) -> None:
    found = await browser.get("/search?query=impairment&word_forms=all&form_type=10-K")
    (place, *_) = re.findall(r'<h2><a href="([^"]+)"', found.text)
    assert re.search(
        r"\?query=impairment&amp;word_forms=all&amp;filters=form_type%3D10-K&amp;at=\d+#at$", place
    )
    page = await browser.get(html.unescape(place))
    assert '<mark id="m1"' in page.text


async def test_document_page_without_a_query_has_the_text(browser: httpx.AsyncClient) -> None:
    page = await browser.get(f"/document/{REPORT}")
    assert "We make fine writing paper, label papers and blotting paper" in page.text
    assert "<mark" not in page.text
    assert 'href="/document/0009990101-25-000004-1?section=item1a#item1a"' in page.text


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        (f"/document/{REPORT}?query=AND", 400, 'role="alert">AND'),
        (f"/document/{REPORT}?match=0", 400, "match must be at least 1, not 0"),
        (f"/document/{REPORT}?nope=1", 400, "nope is not a parameter"),
        ("/document/nope", 404, "is not a document id"),
        ("/document/0009990101-25-999999-1", 404, "there is no"),
        (f"/document/{REPORT}?query=impairment&word_forms=exact&match=9", 200, "4 / 4"),
        (f"/document/{REPORT}?query=xylophones", 200, "no match in this document"),
        (f"/document/{REPORT}?start=99999999", 200, "FORM 10-K"),
    ],
)
async def test_document_that_cannot_be_shown_so_is_said(
    browser: httpx.AsyncClient, address: str, status: int, said: str
) -> None:
    page = await browser.get(address)
    assert (page.status_code, said in page.text) == (status, True)


@pytest.mark.parametrize("query", QUERIES)
async def test_facets_of_a_search_are_those_of_the_api(
    browser: httpx.AsyncClient, client: Client, query: str
) -> None:
    page = await browser.get("/search", params={"query": query})
    asked = {"query": query, "limit": "8", **ASKED}
    reply = (await client.http.get("/v1/facets", params=asked)).json()
    for name, title in (("form_type", "Form"), ("document_type", "Document")):
        section = re.search(rf"<h2>{title}</h2>(.*?)</section>", page.text, re.S)
        values = reply["facets"][name]["values"]
        rows = re.findall(r">([^<]+)</a><span>([\d,]+)</span>", section[1]) if section else []
        wanted = [(value["value"], str(value["count"])) for value in values] if section else []
        assert rows == wanted
        assert section or len(values) < 2


async def test_facet_narrows_the_search_to_its_number(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/search?query=paper")
    links = re.findall(r'<li><a href="([^"]+)">[^<]+</a><span>([\d,]+)</span>', page.text)
    assert len(links) > 5
    for place, number in links:
        narrowed = await browser.get(html.unescape(place))
        assert f'<strong class="num">{number} document' in narrowed.text, place


async def answer_of(browser: httpx.AsyncClient, query: str, **others: str) -> str:
    """Return the card above the hits of a question, "" if there is none."""
    page = (await browser.get("/search", params={"query": query, **others})).text
    card = re.search(r'<section class="answer".*?</section>', page, re.S)
    return html.unescape(card[0]) if card else ""


async def test_question_for_a_filed_number_has_a_card_with_its_position(
    browser: httpx.AsyncClient,
) -> None:
    card = await answer_of(browser, "what was bramblewick's revenue in fiscal 2021?")
    assert "BRAMBLEWICK SOFTWARE INC</a>: revenue</h2>" in card
    assert '<strong class="num">$74,496,000</strong>' in card
    assert "12 months to June 30, 2021, filed August 26, 2021" in card
    (place,) = re.findall(r'href="([^"]+)">in the filed text', card)
    assert re.search(r"<mark[^>]*>74,496</mark>", (await browser.get(place)).text)


async def test_question_for_trades_has_a_card_with_their_sum(browser: httpx.AsyncClient) -> None:
    card = await answer_of(browser, "insider buying at Saltmarsh Savings Bancorp in March 2025")
    assert "purchases by insiders</h2>" in card
    assert "1 trade, 1,500 shares, $32,025" in card
    assert "/filing/0009990202-25-000001" in card


@pytest.mark.parametrize(
    ("query", "others"),
    [
        ("bramblewick revenue growth fiscal 2021", {}),
        ("bramblewick revenue", {}),
        ("bramblewick revenue fiscal 2021", {"offset": "20"}),
        ("bramblewick revenue fiscal 2021", {"company": "quillfeather"}),
        ("bramblewick revenue fiscal 2021", {"reading": "exact"}),
    ],
)
async def test_no_card_where_nothing_is_certain(
    browser: httpx.AsyncClient, query: str, others: dict[str, str]
) -> None:
    assert await answer_of(browser, query, **others) == ""


def facet_of(page: str, title: str) -> dict[str, tuple[str, int, bool]]:
    """Return the values of a facet with their addresses, numbers, and whether they are chosen."""
    section = re.search(rf"<h2>{title}</h2>(.*?)</section>", page, re.S)
    assert section is not None
    row = r'<li><a href="([^"]+)"( aria-current="true")?>([^<]+)</a><span>([\d,]+)</span>'
    return {
        text: (html.unescape(place), int(number.replace(",", "")), bool(chosen))
        for place, chosen, text, number in re.findall(row, section[1])
    }


@pytest.mark.parametrize("title", ["Form", "Document", "State"])
async def test_second_value_of_a_facet_is_added_and_taken_away(
    browser: httpx.AsyncClient, title: str
) -> None:
    offered = facet_of((await browser.get("/search?query=paper")).text, title)
    (one, first), (other, second), *_ = offered.items()
    both = (await browser.get(first[0])).text
    # The others keep their numbers: they can be added.
    assert facet_of(both, title)[other][1:] == (second[1], False)
    both = (await browser.get(facet_of(both, title)[other][0])).text
    assert {text for text, value in facet_of(both, title).items() if value[2]} == {one, other}
    if title in ("Form", "Document"):
        # A document has one form.
        assert f'<strong class="num">{first[1] + second[1]} document' in both
    left = (await browser.get(facet_of(both, title)[one][0])).text
    assert f'<strong class="num">{second[1]} document' in left


async def test_years_make_one_range_that_grows_and_shrinks(browser: httpx.AsyncClient) -> None:
    offered = facet_of((await browser.get("/search?query=paper")).text, "Filed")
    last, first = max(offered), min(offered)
    page = (await browser.get(offered[first][0])).text
    page = (await browser.get(facet_of(page, "Filed")[last][0])).text
    assert all(chosen for _, _, chosen in facet_of(page, "Filed").values())
    page = (await browser.get(facet_of(page, "Filed")[first][0])).text
    chosen = {year for year, value in facet_of(page, "Filed").items() if value[2]}
    assert chosen == set(offered) - {first}


async def test_industries_have_names_in_facets_and_filters(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/search?query=paper&sic=2621")).text
    assert "2621 Paper mills" in facet_of(page, "Industry")
    assert 'aria-label="Remove the filter: 2621 Paper mills"' in page


def frame_of(page: str) -> str:
    (frame,) = re.findall(r'<iframe src="([^"]+)" sandbox=', page)
    return html.unescape(frame)


async def test_document_as_filed_is_shown_in_a_frame_with_its_matches(
    browser: httpx.AsyncClient, client: Client
) -> None:
    asked = {"query": "impairment", **ASKED}
    matches = await client.get("/v1/matches", document_id=REPORT, limit=1_000, **asked)
    page = await browser.get(f"/document/{REPORT}/as-filed?query=impairment&match=3")
    address, _, name = frame_of(page.text).partition("#")
    content = await browser.get(address)
    assert content.status_code == 200
    assert content.headers["content-type"] == "text/html; charset=utf-8"
    rules = content.headers["content-security-policy"]
    assert rules.startswith("sandbox allow-top-navigation-by-user-activation; default-src 'none'")
    marks = re.findall(r'<mark class="(n[0-9a-f]{16})m" id="([^"]+)">([^<]+)</mark>', content.text)
    assert [text for _, _, text in marks] == [match["text"] for match in matches["items"]]
    assert [identity for _, identity, _ in marks] == [
        f"{nonce}-m{number}" for number, (nonce, _, _) in enumerate(marks, 1)
    ]
    assert name == marks[2][1]
    assert f"3 / {len(marks)}</a>" in page.text


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda frame: frame.replace("impairment", "goodwill"), 403),
        (lambda frame: frame.partition("&key=")[0], 403),
        (lambda frame: frame.replace("part=1", "part=2"), 404),
        (lambda frame: frame.replace("part=1", "part=x"), 400),
        (lambda frame: f"{frame}&more=1", 400),
    ],
    ids=["query", "no key", "part", "no part", "parameter"],
)
async def test_frame_answers_what_its_page_asked_and_nothing_else(
    browser: httpx.AsyncClient, change: Callable[[str], str], status: int
) -> None:
    page = await browser.get(f"/document/{REPORT}/as-filed?query=impairment")
    frame = frame_of(page.text).partition("#")[0]
    assert (await browser.get(change(frame))).status_code == status


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("part=0", 400),
        ("part=99", 200),
        ("section=item99", 404),
        ("query=a&operands=some", 400),
        ("nothing=1", 400),
        ("at=x", 400),
    ],
)
async def test_page_of_a_document_as_filed_refuses_what_it_does_not_know(
    browser: httpx.AsyncClient, asked: str, status: int
) -> None:
    assert (await browser.get(f"/document/{REPORT}/as-filed?{asked}")).status_code == status


# The income statement of a sample with inline XBRL, of this year and the one before.
SHOWN_NUMBERS = "52,904 39,117 14,380 18,204 7,212 10,093 74,496 67,414 3,118 1,960".split()


async def test_numbers_of_inline_xbrl_say_what_they_are_and_lead_to_their_series(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/document/0009990102-21-000044-1/as-filed")
    content = await browser.get(frame_of(page.text))
    numbers = re.findall(r'target="_top" href="([^"]+)" title="([^"]+)">([^<]+)</a>', content.text)
    assert [text for _, _, text in numbers] == SHOWN_NUMBERS
    place, meaning, _ = numbers[SHOWN_NUMBERS.index("74,496")]
    assert meaning == "us-gaap:Revenues · July 1, 2020 to June 30, 2021 · USD · in thousands"
    assert (await browser.get(html.unescape(place))).status_code == 200
    assert "hiddenheadertoken" not in content.text


async def test_sections_in_the_margin_lead_to_their_part_of_the_document(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get(f"/document/{REPORT}/as-filed")
    sections = re.findall(r'<a href="([^"]+)">Item', page.text)
    assert len(sections) > 3
    there = await browser.get(html.unescape(sections[1]))
    assert len(re.findall(r"<li class=now aria-current=true", there.text)) == 1
    address, _, name = frame_of(there.text).partition("#")
    assert f'id="{name}"' in (await browser.get(address)).text


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: [*parts[:3], "A" * 22, *parts[4:]],
        lambda parts: [*parts[:3], "\u00e9", *parts[4:]],
        lambda parts: [*parts[:2], "1", *parts[3:]],
        lambda parts: [*parts[:2], "99999999999", *parts[3:]],
        lambda parts: [*parts[:4], "0009990101-21-000005", *parts[5:]],
    ],
    ids=["signature", "no signature", "ended", "later", "another filing"],
)
async def test_address_that_was_not_given_out_is_refused(
    browser: httpx.AsyncClient, change: Callable[[list[str]], list[str]]
) -> None:
    page = await browser.get(f"/document/{REPORT}/as-filed")
    forged = "/".join(change(frame_of(page.text).split("/")))
    assert (await browser.get(forged)).status_code == 403


async def test_other_documents_of_the_submission_are_under_the_same_address(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get(f"/document/{REPORT}/as-filed")
    folder = frame_of(page.text).rpartition("/")[0]
    assert (await browser.get(f"{folder}/qlfp-ex97.htm")).status_code == 200
    assert (await browser.get(f"{folder}/nope.gif")).status_code == 404


async def test_filing_page_leads_to_the_text_of_what_has_one(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/filing/0009990102-21-000044")
    linked = set(re.findall(r'href="/document/([^"/#?]+)"', page.text))
    filed = set(re.findall(r'href="/document/([^"/]+)/as-filed"', page.text))
    assert linked < filed
    for document_id in linked:
        assert (await browser.get(f"/document/{document_id}")).status_code == 200
    sections = re.findall(r'href="(/document/[^"#]+)#(item[^"]+)"', page.text)
    assert len(sections) > 3
    for place, name in sections:
        assert f'<a id="{name}"></a>' in (await browser.get(html.unescape(place))).text


async def test_status_says_that_elasticsearch_answers(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/status")
    assert (page.status_code, "Elasticsearch answers." in page.text) == (200, True)


async def test_coverage_page_has_the_days_of_the_newest_filings(
    browser: httpx.AsyncClient, engine: Engine
) -> None:
    await engine.put("missing_days", "2025-03-07", MissingDay(date(2025, 3, 7), datetime.now(UTC)))
    page = await browser.get("/coverage?from_date=2025-03-01&to_date=2025-03-10")
    assert "<title>March 6, 2025: 1 of 1 searchable</title>" in page.text
    assert "EDGAR's indices list no filing of 1 business day: March 7, 2025." in page.text
    assert "<title>March 7, 2025: EDGAR lists nothing</title>" in page.text


@pytest.mark.parametrize(
    ("query", "said"), [("impairment tariffs nowhere", True), ("impairment tariffs", False)]
)
async def test_document_that_lacks_a_word_says_so(
    browser: httpx.AsyncClient, query: str, said: bool
) -> None:
    page = await browser.get(f"/document/{REPORT}", params={"query": query})
    assert ("This document lacks words, phrases or groups of the query" in page.text) is said


async def test_hit_leads_to_the_place_that_it_shows(
    browser: httpx.AsyncClient, client: Client
) -> None:
    sent = {"query": "tariffs", "include": "offsets", **ASKED}
    item = (await client.get("/v1/search", **sent))["items"][0]
    place = item["offsets"]["marks"][0][0]
    sent = {"document_id": item["document_id"], "query": "tariffs", **ASKED}
    found = (await client.get("/v1/matches", **sent))["items"]
    number = [each["start"] for each in found].index(place) + 1
    page = await browser.get("/search?query=tariffs")
    read = f"/document/{item['document_id']}?query=tariffs&at={place}"
    assert f'href="{html.escape(read)}#at"' in page.text
    document = await browser.get(read)
    assert f'<a id="at"></a><mark id="m{number}" class=now>' in document.text


async def test_hit_names_the_section_of_what_it_shows_and_counts_its_passages(
    browser: httpx.AsyncClient, engine: Engine
) -> None:
    query = '"audit committee hears her report"'
    page = await browser.get("/search", params={"query": query, "ids": REPORT})
    assert "· Item 1C Cybersecurity</p>" in page.text
    assert "matches in" not in page.text
    text = await document_text(engine, REPORT)
    page = await browser.get("/search", params={"query": "the", "ids": REPORT})
    assert f"matches in {text.passages} passages" in page.text


async def test_hits_are_filings_where_asked_for(browser: httpx.AsyncClient, client: Client) -> None:
    sent = {"query": "goodwill impairment", "group_by": "filing"}
    reply = await client.get("/v1/search", **sent, **ASKED)
    page = await browser.get("/search", params=sent)
    assert f"{reply['total_count']} filings</strong>" in page.text
    assert accession_numbers(page.text) == [item["accnum"] for item in reply["items"]]
    for item in reply["items"]:
        for each in item["other_documents"]:
            assert f'<li><a href="/document/{each["document_id"]}?' in page.text
    assert "2 documents of this filing" in page.text


@pytest.mark.parametrize(
    "sent",
    [
        {"query": "goodwill impairment", "form_type": "8-K", "company": "quillfeather"},
        {"query": "goodwill tariffs nowhere", "form_type": "S-1", "ticker": "QLFP"},
        {"query": "impaired tariffs", "word_forms": "exact", "to_date": "2001-01-01"},
    ],
)
async def test_nothing_found_is_counted_without_each_filter(
    browser: httpx.AsyncClient, client: Client, sent: dict[str, str]
) -> None:
    page = await browser.get("/search", params=sent)
    found = re.findall(
        r'<li>(?:<a href="([^"]+)">)?without ([^:<]+)(?:</a>)?: <b class="num">(\d+)</b>', page.text
    )
    assert len(found) == 3
    assert sum(int(number) for _, _, number in found) > 0
    for place, _, number in found:
        assert bool(place) is (number != "0")
        if place:
            asked = {**ASKED, **httpx.URL(html.unescape(place)).params}
            assert (await client.get("/v1/search", **asked))["total_count"] == int(number)


async def test_few_hits_link_to_near_queries_that_find_as_many_as_they_say(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/search", params={"query": '"goodwill impairments"'})
    near = page.text.partition("Near queries find more: ")[2].partition("</p>")[0]
    found = re.findall(r'<a href="([^"]+)">([^<]+)</a> <b class="num">(\d+)</b>', near)
    assert '"goodwill impairment"' in [html.unescape(text) for _, text, _ in found]
    for place, _, number in found:
        asked = {**ASKED, **httpx.URL(html.unescape(place)).params}
        assert (await client.get("/v1/search", **asked))["total_count"] == int(number)


NOTE = "No document has goodwil; the nearest word is goodwill."


def links_of(page: str) -> dict[str, dict[str, str]]:
    """Return the parameters of the addresses of links in notes, by their words."""
    notes = "".join(re.findall(r'<p class="note">(.*?)</p>', page))
    found = re.findall(r'<a href="([^"]+)">([^<]+)</a>', notes)
    return {html.unescape(text): dict(httpx.URL(html.unescape(a)).params) for a, text in found}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({"query": "goodwil impairment", "form_type": "10-K"}, "goodwill impairment"),
        ({"query": 'goodwil "a goodwil?"', "reading": "exact"}, 'goodwill "a goodwill?"'),
    ],
)
async def test_note_on_a_missing_word_leads_to_the_nearest(
    browser: httpx.AsyncClient, asked: dict[str, str], meant: str
) -> None:
    page = await browser.get("/search", params={**asked, "offset": "20"})
    assert links_of(page.text)[NOTE] == {**asked, "query": meant}


async def test_nearest_spelling_is_shown_and_taken_back_by_a_click(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/search", params={"query": "goodwil", "form_type": "10-K"})
    meant = await browser.get("/search", params={"query": "goodwill", "form_type": "10-K"})
    assert "no filing has <s>goodwil</s>; shown: <b>goodwill</b>" in page.text
    assert NOTE not in html.unescape(page.text)
    marked = re.compile(r'href="(/document/[^"]+query=goodwill[^"]+)"')
    assert marked.findall(page.text) == marked.findall(meant.text) != []
    assert facet_of(page.text, "Form").keys() == facet_of(meant.text, "Form").keys()
    exact = links_of(page.text)["Search for goodwil only"]
    assert exact == {"query": "goodwil", "form_type": "10-K", "reading": "exact"}
    back = await browser.get("/search", params=exact)
    assert "shown: <b>" not in back.text
    assert links_of(back.text)[NOTE] == {**exact, "query": "goodwill"}
    table = await browser.get("/search/matches", params={"query": "goodwil", "form_type": "10-K"})
    assert "shown: <b>goodwill</b>" in table.text
    assert "<mark>goodwill</mark>" in table.text.lower()


@pytest.mark.parametrize(
    "sent",
    [
        {"form_type": "8-K"},
        {"form_type": "10-K", "from_date": "2025-01-01"},
        {"company": "quillfeather", "sort": "oldest"},
        {"form_type": "8-K,10-K", "to_date": "2025-12-31", "group_by": "filing"},
        {"item": "5.02"},
    ],
)
async def test_filters_without_a_query_are_a_search(
    browser: httpx.AsyncClient, client: Client, sent: dict[str, str]
) -> None:
    page = await browser.get("/search", params=sent)
    filters = {name: sent[name] for name in sent if name not in ("sort", "group_by")}
    reply = await client.get("/v1/lookup", **filters, limit="100")
    found = accession_numbers(page.text)
    assert page.status_code == 200
    assert sorted(found) == sorted(each["accnum"] for each in reply["filings"])
    days = re.findall(r"</b>[^·]* · filed (\d+ \w+ \d+)", page.text)
    read = [datetime.strptime(day, "%d %B %Y").date() for day in days]
    assert read == sorted(read, reverse=sent.get("sort") != "oldest")


async def test_documents_of_a_type_are_found_without_a_query(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/search?document_type=EX-99.1&limit=100")
    counted = await client.get("/v1/facets", document_type="EX-99.1", by="form_type")
    assert f'<strong class="num">{counted["total_count"]} document' in page.text
    assert "· EX-99.1" in page.text
    assert "· 8-K" not in page.text.replace("<b>8-K</b> ·", "")


@pytest.mark.parametrize("sent", ["", "?query=", "?query=&company=+", "?sort=newest"])
async def test_neither_query_nor_filter_is_the_first_page(
    browser: httpx.AsyncClient, sent: str
) -> None:
    assert "Search the text of SEC filings" in (await browser.get(f"/search{sent}")).text


@pytest.mark.parametrize("sent", ["item=5.99x", "from_date=yesterday", "cik=x"])
async def test_wrong_filter_without_a_query_is_said(browser: httpx.AsyncClient, sent: str) -> None:
    page = await browser.get(f"/search?{sent}")
    name = sent.partition("=")[0]
    assert (page.status_code, name in page.text) == (400, True)


async def test_company_page_counts_by_form_and_year_and_leads_to_these(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/company/9990101")
    found = re.findall(
        r'<a href="(/company/[^"]+from_date[^"]+)" aria-label="[^"]+: (\d+)"', page.text
    )
    assert sum(int(number) for _, number in found) == len(await client.looked_up(cik="0009990101"))
    for place, number in found:
        years = await browser.get(html.unescape(place))
        assert len(LISTED.findall(years.text)) == int(number)
        asked = httpx.URL(html.unescape(place)).params
        wanted = await client.looked_up(cik="0009990101", **asked)
        assert LISTED.findall(years.text) == wanted


# What is recognised in a query, and can be taken off.
READ = re.compile(r'<a class="chip read" href="([^"]+)"')


async def test_quotes_take_a_recognition_back(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/search", params={"query": "net sales 2024 tariffs"})
    (place,) = READ.findall(page.text)
    assert httpx.URL(html.unescape(place)).params["query"] == 'net sales "2024" tariffs'
    assert READ.findall((await browser.get(html.unescape(place))).text) == []


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("quillfeather", "company", "/company/0009990101"),
        ("QLFP", "company", "/company/0009990101"),
        ("cik 9990101", "company", "/company/0009990101"),
        ("0009990101-25-000004", "filing", "/filing/0009990101-25-000004"),
        (REPORT, "filing", f"/document/{REPORT}"),
        ("8-K 5.02 leases", "item", "/search?query=leases&form_type=8-K&item=5.02"),
        ("Quillfeather Paper Mills impairment", "company", "/company/0009990101"),
    ],
)
async def test_one_box_recognises_what_is_typed_and_the_result_page_shows_it(
    browser: httpx.AsyncClient, query: str, kind: str, place: str
) -> None:
    found = (await browser.get("/found", params={"query": query})).json()["found"]
    assert (found[0]["kind"], found[0]["address"]) == (kind, place)
    page = await browser.get("/search", params={"query": query})
    assert f'<li><a href="{html.escape(place)}">' in page.text
    assert (await browser.get(place)).status_code == 200


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("8-K 5.02", {"form_type": "8-K", "item": "5.02"}),
        ("10k", {"form_family": "10-K"}),
        ("form 10-K", {"form_family": "10-K"}),
        ("quillfeather 10-K", {"cik": "0009990101", "form_family": "10-K"}),
        (
            "Quillfeather annual report 2024",
            {
                "cik": "0009990101",
                "form_family": "10-K",
                "period_from": "2024-01-08",
                "period_to": "2025-01-07",
            },
        ),
    ],
)
async def test_query_that_only_names_filings_becomes_a_list_of_them(
    browser: httpx.AsyncClient, query: str, listed: dict[str, str]
) -> None:
    page = await browser.get("/search", params={"query": query})
    assert page.status_code == 303
    place = httpx.URL(page.headers["location"])
    assert dict(place.params) == {**listed, "primary": "true"}
    shown = await browser.get(str(place))
    form = listed.get("form_type", listed.get("form_family"))
    forms = re.findall(r'<p class="what">(?:<[^>]+>)*([^ <]+)', shown.text)
    assert forms and {each.removesuffix("/A") for each in forms} == {form}


@pytest.mark.parametrize(
    "sent",
    [
        {"query": "annual report goodwill"},
        {"query": "10-K", "reading": "exact"},
        {"query": "10-K", "sort": "oldest"},
        # The company has no such filing here.
        {"query": "quillfeather 8-K 5.02"},
        {"query": "NT 10-K"},
    ],
)
async def test_query_with_other_words_or_without_such_filings_is_a_search(
    browser: httpx.AsyncClient, sent: dict[str, str]
) -> None:
    page = await browser.get("/search", params=sent)
    assert page.status_code == 200


@pytest.mark.parametrize("query", ["", "9" * 11, "nobody by this name", "x" * 900])
async def test_one_box_shows_nothing_for_what_it_does_not_know(
    browser: httpx.AsyncClient, query: str
) -> None:
    assert (await browser.get("/found", params={"query": query})).json() == {"found": []}


async def test_companies_page_finds_by_name_former_name_and_ticker(
    browser: httpx.AsyncClient,
) -> None:
    for name in ("quillf", "QLFP"):
        page = await browser.get(f"/companies?name={name}", headers={"Accept": "text/html"})
        assert '<a href="/company/0009990101">QUILLFEATHER PAPER MILLS CORP</a>' in page.text
    page = await browser.get("/companies?name=zzzz", headers={"Accept": "text/html"})
    assert "No name here" in page.text


async def test_companies_page_offers_the_nearest_name(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/companies?name=quillfaether", headers={"Accept": "text/html"})
    assert "The nearest name:" in page.text
    assert '<a href="/company/0009990101">QUILLFEATHER PAPER MILLS CORP</a>' in page.text


# A row has a sentence, in which each match is a link.
ROW = re.compile(r'<td class="num">([^<]+)</td><td>[^<]*</td><td>(.*?)</td></tr>', re.DOTALL)
MATCH = re.compile(r'<a href="([^"]+)"><mark>([^<]*)<')


async def test_match_table_has_the_matches_of_each_document_and_sorts_them(
    browser: httpx.AsyncClient, client: Client
) -> None:
    asked = {"query": "impairment", **ASKED}
    hits = await client.get("/v1/search", limit=10, **asked)
    wanted = []
    for hit in hits["items"]:
        sent = {"document_id": hit["document_id"], "limit": 25, **asked}
        found = await client.get("/v1/matches", **sent)
        place = f"/document/{hit['document_id']}?query=impairment&at="
        wanted += [(f"{place}{match['start']}#at", match["text"]) for match in found["items"]]
    page = await browser.get("/search/matches?query=impairment")
    rows = ROW.findall(page.text)
    linked = [MATCH.findall(sentence) for _, sentence in rows]
    assert [(html.unescape(a), html.unescape(text)) for row in linked for a, text in row] == wanted
    assert all(linked)
    assert len(rows) < len(wanted)
    sorted_rows = ROW.findall((await browser.get(f"{page.url}&by=filed")).text)
    filed = [datetime.strptime(f"{day} Z", "%B %d, %Y %z").date() for day, _ in sorted_rows]
    assert filed == sorted(filed, reverse=True)
    assert len(filed) == len(rows)


@pytest.mark.parametrize(
    "asked", ["", "query=a&by=x", "query=a&limit=5", "query=a&cursor=x", "query=a&no=1"]
)
async def test_match_table_refuses_what_it_does_not_know(
    browser: httpx.AsyncClient, asked: str
) -> None:
    assert (await browser.get(f"/search/matches?{asked}")).status_code == 400


async def test_years_of_a_search_are_links_from_the_first_to_the_last(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/search?query=paper")
    bars = re.findall(r'<a href="([^"]+)" tabindex="-1"><title>(\d{4}): ([\d,]+)<', page.text)
    assert [int(year) for _, year, _ in bars] == list(range(1996, 2026))
    place, _, number = next(bar for bar in bars if bar[2] != "0")
    narrowed = await browser.get(html.unescape(place))
    assert f'<strong class="num">{number} document' in narrowed.text


async def test_change_of_auditor_leads_to_its_words_if_the_report_has_text(
    browser: httpx.AsyncClient, loads: Loads, new_number: Callable[[], str]
) -> None:
    words = "<html><p>Item 4.01 Changes in Registrant's Certifying Accountant</p></html>"
    items = ("Changes in Registrant's Certifying Accountant",)
    filings = [
        MadeUp(new_number(), (MadeUpEntity("0009990141", "SEDGE CORP"),), (document,), items=items)
        for document in (MadeUpDocument(words, "8-K", "a.htm"), MadeUpDocument("<PDF>", "8-K"))
    ]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    page = await browser.get("/company/9990141")
    assert page.text.count("Item 4.01 ") == len(filings)
    (place,) = re.findall(r'<a href="([^"]+)">Item 4\.01 ', page.text)
    assert place.startswith(f"/document/{filings[0].accession_number}-1?")
    assert (await browser.get(html.unescape(place))).status_code == 200


@pytest.mark.parametrize("page", ["", "/as-filed"])
@pytest.mark.parametrize(
    ("section", "status", "said"),
    [
        ("item9", 404, "there is no item9; it has 10-K item 1"),
        ("x" * 61, 404, f"there is no {'x' * 60};"),
    ],
)
async def test_section_that_a_document_has_not_is_refused(
    browser: httpx.AsyncClient, page: str, section: str, status: int, said: str
) -> None:
    reply = await browser.get(f"/document/0009990101-25-000004-1{page}?section={section}")
    assert (reply.status_code, said in reply.text) == (status, True)
