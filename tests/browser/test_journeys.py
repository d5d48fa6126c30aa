"""Journeys through the pages: by keys only, without JavaScript, with an API key of one's own."""

import csv
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import VIEWPORTS, Visit, press

REPORT = "0009990101-25-000004-1"
# Of a search page, with its style sheet and scripts: bytes as sent, and requests.
MOST_BYTES, MOST_REQUESTS = 60_000, 5


def test_search_page_is_light(visit: Visit) -> None:
    sizes: list[int] = []
    visit.page.on(
        "requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"])
    )
    visit.go("/search?query=revenue")
    assert len(visit.requests) <= MOST_REQUESTS
    assert sum(sizes) <= MOST_BYTES


def test_keys_lead_from_the_search_to_a_match(visit: Visit) -> None:
    page = visit.go("/search?query=impairment")
    page.keyboard.press("/")
    expect(page.locator("input[name=query]").first).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("body").press("Tab")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".hit h2 a").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/document/.*at=[0-9]+#at"))
    expect(page.locator("mark.now")).to_be_in_viewport()
    assert visit.wrong == []


def test_nearest_word_is_searched_and_taken_back_by_a_click(visit: Visit) -> None:
    page = visit.go("/search?query=goodwil&form_type=10-K")
    expect(page.locator(".note").first).to_contain_text("no filing has goodwil; shown: goodwill")
    expect(page.locator(".hit .snip mark").first).to_have_text(re.compile("goodwill", re.I))
    page.get_by_role("link", name="Search for goodwil only").click()
    expect(page.locator(".hit")).to_have_count(0)
    page.get_by_role("link", name="the nearest word is goodwill").click()
    expect(page.get_by_role("searchbox").first).to_have_value("goodwill")
    expect(page.locator(".chip").first).to_contain_text("10-K")
    expect(page.locator(".hit .snip mark").first).to_have_text(re.compile("goodwill", re.I))
    assert visit.wrong == []


def test_list_of_keys_switches_them_off(visit: Visit) -> None:
    page = visit.go("/search?query=impairment")
    field = page.locator("input[name=query]").first
    for act in ("uncheck", "check"):
        page.keyboard.press("?")
        getattr(page.get_by_label("keyboard shortcuts are on"), act)()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("/")
        if act == "check":
            expect(field).to_be_focused()
        else:
            expect(field).not_to_be_focused()
    assert visit.wrong == []


def test_matches_are_stepped_through_by_keys(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}?query=impairment&word_forms=exact")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("mark.now")).to_have_attribute("id", "m3")
    expect(page.locator(".bar [data-count]")).to_have_text("3 / 4")
    assert page.url.endswith("match=3#m3")
    page.keyboard.press("p")
    expect(page.locator("mark.now")).to_have_attribute("id", "m2")
    expect(page.locator("mark.now")).to_be_in_viewport()


def test_link_to_a_match_opens_at_it(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}?query=impairment&word_forms=exact&match=4#m4")
    expect(page.locator("#m4")).to_be_in_viewport()
    expect(page.locator("mark.now")).to_have_attribute("id", "m4")


def test_document_opens_at_its_first_match_without_a_name_in_the_address(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}?query=impairment&word_forms=exact")
    expect(page.locator("#m1")).to_be_in_viewport()
    page.keyboard.press("n")
    expect(page.locator("mark.now")).to_have_attribute("id", "m2")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.click(".bar [data-count]")
    expect(page.locator("#m2")).to_be_in_viewport()


def test_search_in_a_document_leads_to_its_match(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}")
    page.fill("input[name=query]", "impairment")
    page.get_by_role("button", name="In this document").click()
    page.wait_for_url(re.compile("query=impairment.*#at"))
    expect(page.locator("mark.now")).to_be_in_viewport()
    page.fill(".bar input[name=match]", "3")
    page.click(".bar .to button")
    page.wait_for_url(re.compile("match=3#at"))
    expect(page.locator("#m3.now")).to_be_in_viewport()
    assert visit.wrong == []


@pytest.mark.parametrize("size", VIEWPORTS.values())
def test_head_of_a_document_stays_at_a_match(
    chromium: Browser, url: str, size: tuple[int, int]
) -> None:
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.goto(f"{url}/document/{REPORT}?query=impairment&word_forms=exact&match=4#m4")
    head = page.locator(".bar")
    expect(page.locator("#m4")).to_be_in_viewport()
    expect(head).to_be_in_viewport(ratio=1)
    for shown in ("QUILLFEATHER", "10-K", "4 / 4", "cite", "as filed", "compare"):
        expect(head).to_contain_text(shown)
    context.close()


@pytest.mark.parametrize("width", [1440, 1280])
def test_head_of_a_document_is_one_line_over_the_page(
    chromium: Browser, url: str, width: int
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{url}/document/{REPORT}?query=impairment&word_forms=exact&match=4#m4")
    head, side = page.locator(".bar").bounding_box(), page.locator(".side")
    assert head
    assert head["height"] < 50
    assert head["width"] > width - 100
    # What a reader asks next stays beside the text.
    expect(side.locator("text=Most matches")).to_be_in_viewport()
    page.goto(f"{url}/search?query=impairment")
    assert page.evaluate("document.querySelector('.sum').offsetHeight") < 50
    context.close()


def test_first_page_leads_to_filings_and_to_tasks(visit: Visit) -> None:
    page = visit.go("/")
    expect(page.locator("#held")).to_contain_text("filings, filed 1996 to")
    newest = page.locator("h2:has-text('Newest filings') + ul a")
    expect(newest).to_have_count(6)
    press(page, "text='Director and officer changes'")
    expect(page.locator(".hit").first).to_be_visible()
    page.go_back()
    press(page, "h2:has-text('Newest filings') + ul a")
    expect(page.locator("main h1")).to_be_visible()
    assert visit.wrong == []


def test_print_says_its_source_and_has_no_contents(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}")
    source, contents = page.locator(".source"), page.locator(".toc")
    expect(source).not_to_be_visible()
    expect(contents).to_be_visible()
    page.emulate_media(media="print")
    expect(source).to_contain_text(f"document {REPORT}, https://www.sec.gov/")
    expect(source).to_be_visible()
    expect(contents).not_to_be_visible()


def test_all_can_be_read_without_javascript(chromium: Browser, url: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(url)
    page.fill("input[name=query]", "impairment")
    page.get_by_role("button", name="Search", exact=True).click()
    page.click("aside >> text=10-K")
    assert "form_type=10-K" in page.url
    page.click(f".hit h2 a[href*='{REPORT}']")
    before = page.locator("mark.now").get_attribute("id") or ""
    page.click("[data-step='1']")
    assert page.locator("mark.now").get_attribute("id") == f"m{int(before[1:]) + 1}"
    page.click(".bar .where a")
    assert "/company/" in page.url
    page.click("td a[href^='/filing/']:not([href*='#']) >> nth=0")
    expect(page.locator("h1")).to_be_visible()
    context.close()


def test_table_of_a_document_is_a_file_without_javascript(chromium: Browser, url: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/document/{REPORT}")
    links = page.locator(".text .files").first
    with page.expect_download() as saved:
        links.get_by_role("link", name="CSV").click()
    number = saved.value.suggested_filename.removeprefix(f"{REPORT}-table-").removesuffix(".csv")
    with open(saved.value.path(), newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    links.get_by_role("link", name="JSON").click()
    (table,) = json.loads(page.locator("pre").inner_text())["items"]
    context.close()
    assert table["number"] == int(number)
    assert rows[-1] == [table["source"]]
    assert len(rows) >= table["rows"] + 1 > 2


@pytest.mark.parametrize("size", VIEWPORTS.values())
def test_report_is_compared_with_the_one_before_without_javascript(
    chromium: Browser, url: str, size: tuple[int, int]
) -> None:
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": size[0], "height": size[1]}
    )
    page = context.new_page()
    page.goto(f"{url}/document/{REPORT}?section=item7#item7")
    page.get_by_role("link", name="compare").click()
    expect(page.get_by_label("before")).to_have_value("0009990101-21-000005-1")
    expect(page.get_by_label("section")).to_have_value("item7")
    both = ".diff.changed:has(del):has(ins)"
    first = page.locator(both).first
    struck, now = first.locator("del").first.inner_text(), first.locator("ins").first.inner_text()
    assert struck != now
    page.get_by_label("shown").select_option("in one column")
    page.get_by_role("button", name="Compare").click()
    first = page.locator(f"{both}.one").first
    expect(first.locator("del").first).to_have_text(struck)
    expect(first.locator("ins").first).to_have_text(now)
    first.get_by_role("link", name="now, in the filing").click()
    expect(page.locator("mark.now").first).to_be_in_viewport()
    expect(page.locator("[role=status]").first).to_contain_text("where they were cited")
    context.close()


@pytest.mark.parametrize("layout", ["", "/as-filed"])
def test_comparison_keeps_the_section_that_is_read(visit: Visit, layout: str) -> None:
    page = visit.go(f"/document/{REPORT}{layout}?query=impairment&section=item1c#item1c")
    expect(page.locator(".toc .now")).to_contain_text("Item 1C")
    page.get_by_role("link", name="compare").click()
    expect(page.get_by_label("section")).to_have_value("item1c")
    note = page.get_by_role("alert")
    expect(note).to_contain_text(re.compile("The 10-K for .* has no section Item 1C Cybersec"))
    page.get_by_label("before").select_option(REPORT)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("status")).to_have_text("The words are the same.")
    expect(page.get_by_label("section")).to_have_value("item1c")
    page.get_by_label("now").select_option("0009990101-21-000005-1")
    page.get_by_role("button", name="Compare").click()
    expect(note).to_contain_text("filed March 4, 2021 has no section")
    note.get_by_role("link", name="Compare the whole documents").click()
    expect(page.get_by_role("status")).to_contain_text("Passages:")
    assert visit.wrong == []


@pytest.mark.parametrize("layout", ["", "/as-filed"])
def test_link_to_compare_goes_with_the_match(visit: Visit, layout: str) -> None:
    page = visit.go(f"/document/{REPORT}{layout}?query=the&word_forms=exact&match=1")
    compare, contents = page.locator("[data-compare]"), page.locator(".toc li[data-numbers]")
    last = contents.last
    first = int((last.get_attribute("data-numbers") or "").split("-")[0])
    item = last.get_attribute("data-item") or ""
    assert item not in (compare.get_attribute("href") or "")
    for _ in range(first - 1):
        page.keyboard.press("n")
    expect(page.locator(".bar [data-count]")).to_have_text(re.compile(f"^{first} /"))
    expect(last).to_have_class("now")
    expect(compare).to_have_attribute("href", re.compile(f"section={item}$"))
    expect(page.locator("[data-at]")).to_have_attribute("href", re.compile(f"match={first}"))


def test_skip_link_leads_to_the_results(visit: Visit) -> None:
    page = visit.go("/search?query=revenue")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.url.endswith("#hits")


def test_new_key_calls_an_endpoint_from_the_reference(visit: Visit) -> None:
    page = visit.go("/sign-in?next=/account")
    page.fill("input[name=name]", "developer")
    page.click("main button")
    page.fill("main input[name=name]", "laptop")
    page.click("text=Make key")
    key = page.locator("#key").inner_text()
    page = visit.go("/docs/get_v1_search")
    page.fill("[data-secret]", key)
    page.click("text=Call it")
    expect(page.locator(".try [role=status]")).to_contain_text("200 after")
    expect(page.locator(".try pre")).to_contain_text('"total_count"')
    page = visit.go("/docs/post_v2_8k_items")
    assert page.input_value("[data-secret]") == ""
    page.fill("[data-secret]", key)
    page.click("text=Call it")
    expect(page.locator(".try pre")).to_contain_text('"itemType"')
    assert visit.wrong == []
    assert [request for request in visit.requests if key in request] == []


@pytest.mark.parametrize("size", VIEWPORTS.values())
def test_company_is_watched_and_a_change_of_officers_read_by_keys_without_javascript(
    chromium: Browser, url: str, size: tuple[int, int]
) -> None:
    context = chromium.new_context(
        java_script_enabled=False,
        color_scheme="dark",
        viewport={"width": size[0], "height": size[1]},
    )
    page = context.new_page()
    page.goto(f"{url}/sign-in?next=/company/9990103")
    page.fill("input[name=name]", f"watcher {size[0]}")
    press(page, "main button")
    page.get_by_role("button", name="watch this company").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("main [role=status]").first).to_contain_text("You watch this company")
    press(page, "text=stop watching")
    expect(page.get_by_role("button", name="watch this company")).to_be_visible()
    page.locator("#officers ~ ul a").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("#m1")).to_be_in_viewport()
    expect(page.locator("#m1")).to_have_text(re.compile("^item", re.IGNORECASE))
    context.close()


def test_reload_makes_no_second_key(visit: Visit) -> None:
    page = visit.go("/sign-in?next=/account")
    page.fill("input[name=name]", "reloader")
    press(page, "main button")
    page.fill("main input[name=name]", "laptop")
    press(page, "text=Make key")
    expect(page.locator("#key")).to_be_visible()
    page.reload()
    expect(page.locator("#key")).to_have_count(0)
    expect(page.locator("tbody tr")).to_have_count(1)
    assert visit.wrong == []


@pytest.mark.parametrize("typed", ["quil", "MRZP"])
def test_companies_are_offered_while_a_name_is_typed(visit: Visit, typed: str) -> None:
    page = visit.go("/search?query=revenue")
    page.locator("aside input[name=company]").press_sequentially(typed)
    page.wait_for_selector("#companies option", state="attached")
    offered = page.eval_on_selector_all("#companies option", "all => all.map(each => each.value)")
    assert offered[0] in ("QUILLFEATHER PAPER MILLS CORP", "MARZIPAN THERAPEUTICS, INC.")


def test_nothing_of_a_document_as_filed_runs(visit: Visit) -> None:
    page = visit.go(f"/document/{REPORT}/as-filed")
    frame = page.frames[1]
    assert "QUILLFEATHER" in frame.content()
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None


def test_what_is_typed_is_recognised_and_reached_by_keys(visit: Visit) -> None:
    page = visit.go("/")
    page.locator("main input[name=query]").press_sequentially("quillf")
    page.wait_for_selector(".found a")
    page.keyboard.press("ArrowDown")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/company/0009990101")
    assert visit.wrong == []


def test_copied_citation_is_pasted_and_found_in_its_place_by_keys(visit: Visit) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.go(f"/document/{REPORT}?query=impairment&match=3")
    page.click("[data-copy=cite]")
    # The clipboard is written after the click has returned.
    expect(page.locator("[data-copy=cite]")).to_have_text("copied")
    page = visit.go("/cite")
    page.focus("textarea")
    page.keyboard.press("Control+V")
    expect(page.locator("textarea")).to_have_value(re.compile(REPORT))
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_have_text("Verified: the words are where the citation says")
    press(page, "text=open the document")
    expect(page.locator("[role=status]").first).to_contain_text("where they were cited")
    expect(page.locator("mark.now")).to_be_in_viewport()
    assert visit.wrong == []


def test_changed_citation_is_seen_without_javascript(chromium: Browser, url: str) -> None:
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(f"{url}/")
    press(page, "text=Check a citation")
    page.fill("textarea", f"{REPORT} “We recorded an impairment charge of $9.9 million”")
    press(page, "main button:has-text('Check')")
    expect(page.locator("#verdict")).to_contain_text("Changed")
    expect(page.locator("main mark")).to_contain_text("impairment charge of $8.1 million")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


@pytest.mark.parametrize("layout", ["", "/as-filed"])
def test_citing_copies_and_moves_nothing(visit: Visit, layout: str) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.go(f"/document/{REPORT}{layout}?query=impairment&word_forms=exact&match=2")
    cite, said, copied = page.locator("[data-cite]"), page.locator("[data-said]"), []
    for number in (2, 3):
        before = (page.url, page.evaluate("scrollY"))
        cite.click()
        expect(said).to_have_text(f"citation of match {number} copied")
        assert (page.url, page.evaluate("scrollY")) == before
        expect(page.locator(".bar [data-count]")).to_have_text(f"{number} / 4")
        copied.append(page.evaluate("navigator.clipboard.readText()"))
        expect(page.locator(".copies code").first).to_have_text(copied[-1])
        page.keyboard.press("n")
    assert len(set(copied)) == 2
    assert visit.wrong == []


def test_selected_words_are_cited_in_place(visit: Visit) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.go(f"/document/{REPORT}")
    cite = page.locator("[data-cite]")
    expect(cite).to_be_hidden()
    words = page.evaluate(
        """() => {
          const text = [...document.querySelectorAll(".text > p")].findLast(
            (each) => each.textContent.length > 200).firstChild;
          getSelection().setBaseAndExtent(text, 20, text, 90);
          text.parentElement.scrollIntoView();
          return String(getSelection()).trim();
        }"""
    )
    before = (page.url, page.evaluate("scrollY"))
    expect(cite).to_have_text("cite selection")
    cite.click()
    expect(page.locator("[data-said]")).to_have_text("citation of the selected words copied")
    assert words in page.evaluate("navigator.clipboard.readText()")
    assert (page.url, page.evaluate("scrollY")) == before
    assert page.evaluate("String(getSelection()).trim()") == words
    page.evaluate("getSelection().extend(getSelection().anchorNode, 21)")
    cite.click()
    expect(page.locator("[data-said]")).to_contain_text("at least 12 characters")
    assert visit.wrong == []


@pytest.mark.parametrize("back", ["open the document", "as filed"])
def test_citing_without_javascript_leads_there_and_back(
    chromium: Browser, url: str, back: str
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/document/{REPORT}/as-filed?query=impairment&match=3")
    page.click("[data-cite]")
    expect(page.locator("#verdict")).to_have_text("Verified: the words are where the citation says")
    page.get_by_role("link", name=back).click()
    if back == "as filed":
        # Without scripts a frame may look for its place before it has a width.
        expect(page.locator("iframe")).to_have_attribute("src", re.compile("#n[0-9a-f]+-m0$"))
        expect(page.frame_locator("iframe").locator("mark[id$='-m0']")).to_have_count(1)
    else:
        expect(page.locator("mark").first).to_be_in_viewport()
    context.close()


def test_link_is_removed_only_if_that_is_meant_without_javascript(
    chromium: Browser, url: str
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/sign-in?next=/account/links")
    page.fill("main input[name=name]", "remover")
    press(page, "main button")
    page.fill("input[name=url]", "https://example.com/a")
    press(page, "text=Save >> nth=-1")
    listed = page.get_by_role("link", name="https://example.com/a")
    sure = page.get_by_role("button", name="Remove https://example.com/a, for good")
    expect(listed).to_be_visible()
    expect(sure).to_be_hidden()
    page.click(".sure summary")
    expect(listed).to_be_visible()
    sure.click()
    expect(listed).to_have_count(0)
    context.close()


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("/company/9990101", ".filings"),
        ("/company/9990106?form_type=8-K", ".filings"),
        ("/search/matches?query=impairment", ".matches"),
    ],
)
def test_table_fits_a_phone(chromium: Browser, url: str, path: str, table: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(url + path)
    found = page.locator(table)
    expect(found.locator("tbody a").last).to_be_attached()
    widths = found.evaluate(
        "(all) => [all.scrollWidth, all.clientWidth, all.getBoundingClientRect().right]"
    )
    assert (widths[0] <= widths[1], widths[2] <= 390) == (True, True)
    context.close()


def test_visitor_signs_in_to_watch_and_is_back_at_the_search(visit: Visit) -> None:
    place = "/search?query=impairment&form_type=10-K"
    page = visit.go(place)
    press(page, "text=Sign in to watch it")
    page.fill("input[name=name]", "watcher")
    press(page, "main button")
    assert page.url == visit.url + place
    page.get_by_label("Mail", exact=True).select_option("mail weekly")
    press(page, "button:text-is('watch')")
    assert page.url == f"{visit.url}/account/mail"
    page = visit.go("/account/alerts")
    expect(page.locator("main table")).to_contain_text("these pages, mail weekly")
    press(page, "text=Sign out >> nth=0")
    page = visit.go("/company/9990101")
    press(page, "text=Sign in to watch it")
    page.fill("input[name=name]", "watcher")
    press(page, "main button")
    assert page.url == f"{visit.url}/company/9990101"
    expect(page.get_by_role("button", name="watch this company")).to_be_visible()
    assert visit.wrong == []


def test_search_over_all_filings_keeps_other_filters(visit: Visit) -> None:
    page = visit.go("/search?query=impairment&form_type=10-K&cik=9990101&from_date=2020-01-01")
    place = f"{visit.url}/search?query=impairment&form_type=10-K&from_date=2020-01-01"
    wider = page.get_by_role("link", name="In all filings")
    assert page.evaluate("(a) => a.href", wider.element_handle()) == place
    press(page, ".hit h2 a >> nth=0")
    page.fill("input[name=query]", "goodwill")
    press(page, ".head form button")
    press(page, "text=In all filings")
    query = parse_qs(urlsplit(page.url).query)
    wanted = {"form_type": ["10-K"], "from_date": ["2020-01-01"], "query": ["goodwill"]}
    assert query == wanted
    assert visit.wrong == []


def test_list_without_words_is_tabulated_watched_and_exported(visit: Visit) -> None:
    page = visit.go("/search?form_type=8k")
    hits = page.locator(".hit")
    assert hits.locator(".snip").all_inner_texts()
    assert "SECURITIES AND EXCHANGE" not in " ".join(hits.locator(".snip").all_inner_texts())
    expect(page.get_by_role("link", name="Sign in to watch it")).to_be_visible()
    with page.expect_download() as sent:
        page.click("[aria-label='Export results as CSV']")
    with sent.value.path().open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == hits.count()
    press(page, "[aria-label='documents as a table']")
    assert page.locator(".matches tbody tr").count() == len(rows)
    assert visit.wrong == []


def test_watch_keeps_the_whole_search_and_previews_without_a_name(visit: Visit) -> None:
    page = visit.go("/sign-in?next=/search%3Fquery%3Dwhich%2Bmills%2Bimpaired%26form_types%3D10-K")
    page.fill("input[name=name]", "watcher of all")
    press(page, "main button")
    press(page, "a:text-is('more choices')")
    page.fill("input[name=name]", "")
    press(page, "text=Preview")
    expect(page.locator("h2[role=status]")).to_contain_text("would have matched")
    page.fill("input[name=name]", "mills")
    press(page, "text=Make alert")
    chips = page.locator("tbody .chip").all_inner_texts()
    assert chips == ["read as a question", "one word may be absent", "form 10-K"]
    assert visit.wrong == []


def test_section_without_a_match_opens_as_filed_and_in_the_comparison(visit: Visit) -> None:
    page = visit.go(f"/filing/{REPORT[:-2]}")
    press(page, ".list a[href*=item1c]")
    expect(page.locator(".toc .now")).to_contain_text("Item 1C")
    press(page, "[data-at]")
    expect(page.locator(".toc .now")).to_contain_text("Item 1C")
    press(page, "[data-at]")
    page.evaluate("document.getElementById('item7').scrollIntoView()")
    press(page, "[data-compare]")
    expect(page.get_by_label("section")).to_have_value("item7")
    assert visit.wrong == []


def test_a_section_of_a_filing_opens_and_is_compared_with_the_year_before(visit: Visit) -> None:
    page = visit.go("/filing/0009990101-25-000004")
    assert page.locator("main h2").all_inner_texts() == ["Sections", "Documents"]
    line = page.locator(".lines li", has_text="Risk Factors")
    # The whole line is the link, except for the comparison at its end.
    box, link = line.bounding_box(), line.locator("a.line").bounding_box()
    assert box
    assert link
    assert link["width"] > box["width"] / 2
    press(page, "text='Risk Factors'")
    expect(page.locator("#item1a")).to_be_in_viewport()
    page.go_back()
    with page.expect_navigation():
        line.get_by_role("link", name="compare with").click()
    assert parse_qs(urlsplit(page.url).query)["section"] == ["item1a"]
    assert visit.wrong == []


def test_files_for_programs_are_folded(visit: Visit) -> None:
    page = visit.go("/filing/0009990102-21-000044")
    folded = page.locator("details.folded")
    expect(folded.locator("table")).not_to_be_visible()
    folded.locator("summary").click()
    expect(folded.locator("table")).to_be_visible()
