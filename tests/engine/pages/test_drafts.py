"""Drafts that someone pastes, over the samples."""

import html
import logging
import re
import tempfile
import zipfile
from io import BytesIO

import docx
import httpx
import pytest
from docx.enum.text import WD_UNDERLINE
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from edgar_search.text.word_documents import word_text

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
    assert "Check the next claims" not in rest.text


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


ALTERED = QUOTE.replace("8.1", "1.8")


async def send_file(browser: httpx.AsyncClient, data: bytes, text: str = "") -> httpx.Response:
    """Return the page of a file, as a browser sends the form without scripts."""
    files = {"file": ("memo.docx", data, "application/octet-stream")}
    return await browser.post("/drafts", data={"text": text}, files=files, headers=OWN)


def word_file(*paragraphs: str) -> bytes:
    made = docx.Document()
    for each in paragraphs:
        made.add_paragraph(each)
    file = BytesIO()
    made.save(file)
    return file.getvalue()


async def test_a_text_or_word_file_is_checked_as_a_pasted_draft(browser: httpx.AsyncClient) -> None:
    text = f'It says "{QUOTE}" ({REPORT}).'
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), word_file(text)):
        page = await send_file(browser, data)
        assert page.status_code == 200, page.text
        assert claims(page.text) == [(f'"{QUOTE}"', "good"), (REPORT, "good")]
    # The form without a file, and a file beside a text, which it replaces.
    page = await send_file(browser, b"", text)
    assert len(claims(page.text)) == 2
    page = await send_file(browser, text.encode(), "Nothing here.")
    assert len(claims(page.text)) == 2


async def test_a_file_is_never_on_a_disk_or_in_a_log(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file is written to a disk")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    secret = "zanzibarian"
    page = await send_file(browser, f"{secret} {REPORT}".encode() + b" " * 3_000_000)
    assert page.status_code == 413
    page = await send_file(browser, f"{secret} {REPORT}".encode())
    assert (page.status_code, secret in page.text) == (200, True)
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (b"%PDF\xff\xfe", 400, "the file cannot be read: it is neither a text in UTF-8 nor a Word"),
        (b"PK\x03\x04 no zip", 400, "it is a broken or encrypted zip"),
        (b" \n", 400, "a draft is needed"),
        (b"kiln " * 200_000, 413, "1,000,000 characters, of at most 200,000"),
        (b"k" * 9_000_000, 413, "the body has more than"),
        (b"PK\x03\x04" + b"PK\x01\x02" * 6_000, 400, "it is a zip of more than 5,000 files"),
    ],
    ids=["PDF", "no zip", "blank", "long", "larger than a body", "files"],
)
async def test_files_that_cannot_be_checked_are_refused(
    browser: httpx.AsyncClient, data: bytes, status: int, said: str
) -> None:
    page = await send_file(browser, data)
    assert (page.status_code, said in html.unescape(page.text)) == (status, True)


async def test_a_word_document_that_unpacks_to_much_more_is_refused(
    browser: httpx.AsyncClient,
) -> None:
    bomb = BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("word/document.xml", b"<d>" + b" " * 60_000_000)
    page = await send_file(browser, bomb.getvalue())
    assert (page.status_code, "more than 20,000,000 bytes of XML" in page.text) == (400, True)


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b"--b\r\nno form", "multipart/form-data; boundary=b"),
        (b"text=x", "multipart/form-data"),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n' * 2,
            "multipart/form-data; boundary=b",
        ),
    ],
    ids=["malformed", "without a boundary", "two files"],
)
async def test_malformed_forms_are_refused(
    browser: httpx.AsyncClient, body: bytes, form: str
) -> None:
    page = await browser.post("/drafts", content=body, headers=OWN | {"Content-Type": form})
    assert page.status_code == 400


async def test_a_checked_draft_is_kept_as_html_with_footnotes(browser: httpx.AsyncClient) -> None:
    text = f'# <Memo>\n\nIt says "{QUOTE}" ({REPORT}), not "{ALTERED}".'
    reply = await send(browser, text, **{"as": "html"})
    assert reply.headers["content-disposition"] == 'attachment; filename="draft.html"'
    page = etree.HTML(reply.text)
    draft = page.find(".//div[@class='draft']")
    assert draft is not None
    numbers = [number.text for number in draft.iter("a")]
    for each in draft.iter("sup"):
        each.remove(each[0])
    assert "".join(map(str, draft.itertext())) == text
    notes = {
        note.get("id"): " ".join("".join(map(str, note.itertext())).split())
        for note in page.iter("li")
    }
    assert numbers == ["1", "2", "3"]
    assert notes["note-1"] == "as filed what is filed"
    assert "altered: the filed words are others Filed: We recorded" in notes["note-3"]
    assert "$8.1 million" in notes["note-3"]
    links = [link.get("href") for link in page.iterfind(".//li//a")]
    assert all(str(link).startswith(f"{browser.base_url}/") for link in links)


async def test_a_checked_draft_is_kept_as_a_word_document_with_footnotes(
    browser: httpx.AsyncClient,
) -> None:
    text = f'Memo & <more>\x00\n\nIt says "{QUOTE}" ({REPORT}),\nnot "{ALTERED}".'
    reply = await send(browser, text, **{"as": "docx"})
    assert reply.headers["content-disposition"] == 'attachment; filename="draft.docx"'
    made = docx.Document(BytesIO(reply.content))
    written = text.replace("\x00", "")
    assert "\n\n".join(each.text for each in made.paragraphs) == written
    looks = [(run.text, run.font.underline) for each in made.paragraphs for run in each.runs]
    assert (f'"{QUOTE}"', True) in looks
    assert (f'"{ALTERED}"', WD_UNDERLINE.WAVY) in looks
    notes = made.part.part_related_by(RELATIONSHIP_TYPE.FOOTNOTES).blob
    said = [" ".join(map(str, each.itertext())) for each in list(etree.fromstring(notes))[2:]]
    assert len(said) == 3
    assert "$8.1 million" in said[2]
    # The command reads it back with each note where it is cited.
    again = word_text(reply.content, 10_000)
    assert re.search(rf'"{re.escape(ALTERED)}" \(altered: .*8\.1 million.*\)\.', again)


async def test_no_other_file_is_made_of_a_draft(browser: httpx.AsyncClient) -> None:
    reply = await send(browser, REPORT, **{"as": "pdf"})
    assert (reply.status_code, "html or docx" in reply.text) == (400, True)
