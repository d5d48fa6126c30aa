"""Passages like selected words of both viewers, and drafts that are files."""

from io import BytesIO
from pathlib import Path

import docx
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit

REPORT = "0009990101-25-000004"
QUOTE = "We recorded an impairment charge of $8.1 million"
_SELECT = """element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return range.toString();
}"""


def given(page: Page) -> str:
    """Return the text that passages are like, with single blanks."""
    return " ".join((page.locator(".given .draft").text_content() or "").split())


def test_passages_like_selected_words_of_the_text(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}-1?query=impairment")
    like = page.get_by_role("button", name="similar to selection")
    expect(like).not_to_be_visible()
    words = page.locator("article.text p:has(mark)").first.evaluate(_SELECT)
    like.click()
    expect(page.locator("h1")).to_have_text("Passages like this")
    assert given(page) == " ".join(words.split())
    expect(page.locator(".passage").first).to_be_visible()
    assert "?" not in page.url
    assert visit.wrong == []


def test_passages_like_words_of_the_document_as_filed(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}-1/as-filed?query=impairment")
    # Its frame has no scripts and no origin, so words are carried to the page by hand.
    words = page.frame_locator("iframe").locator(":has(> mark)").first.text_content() or ""
    page.locator("summary", has_text="similar to words").click()
    page.get_by_label("Select words of the document, and drop or paste them here").fill(words)
    page.get_by_role("button", name="Find passages like them").click()
    assert given(page) == " ".join(words.split())
    expect(page.locator(".passage").first).to_be_visible()
    assert visit.wrong == []


def test_a_word_document_is_checked_and_kept_without_javascript(
    chromium: Browser, url: str, tmp_path: Path
) -> None:
    memo = docx.Document()
    memo.add_paragraph(f"It says “{QUOTE}” ({REPORT}).")
    memo.save(str(tmp_path / "memo.docx"))
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/drafts")
    page.locator("input[type=file]").set_input_files(tmp_path / "memo.docx")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".claim.good")).to_have_text([f"“{QUOTE}”", REPORT])
    with page.expect_download() as download:
        page.get_by_role("button", name="Word", exact=True).click()
    assert download.value.suggested_filename == "draft.docx"
    kept = docx.Document(BytesIO(download.value.path().read_bytes()))
    assert kept.paragraphs[0].text == f"It says “{QUOTE}” ({REPORT})."
    context.close()


def test_a_printed_draft_has_numbered_claims_and_no_form(visit: Visit) -> None:
    page = visit.go("/drafts")
    page.fill("textarea", f"It says “{QUOTE}” ({REPORT}).")
    page.get_by_role("button", name="Check", exact=True).click()
    claim = page.locator(".claim").nth(1)
    number = "element => getComputedStyle(element, '::after').content"
    assert claim.evaluate(number) == "none"
    page.emulate_media(media="print")
    assert claim.evaluate(number) == '"2"'
    expect(page.locator("textarea")).not_to_be_visible()
    expect(page.locator(".claims li")).to_have_count(2)
    assert page.locator(".claims").evaluate("element => getComputedStyle(element).position") == (
        "static"
    )
