"""Twenty tasks of readers in a real browser: `python -m tests.browser.tasks URL`.

The service has to have the corpus of real filings, pages that are open (EDGAR_SEARCH_PAGES) and a
local issuer. Each line is a task with its clicks, the fields that were typed into, and its seconds.
The exit status is 1 if a task ended in nothing.
"""

import argparse
import csv
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Error, Locator, Page, expect

from tests.browser.conftest import launched

# Of one click: what is not on the screen by then is not there.
SECONDS = 20.0


class Reader:
    """A person at the first page, whose clicks and typed fields are counted."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.clicks = self.typed = 0
        page.goto(url)

    def click(self, selector: str) -> None:
        """Click the first that is found."""
        self.clicks += 1
        self.page.locator(selector).first.click()
        self.page.wait_for_load_state()

    def ask(self, words: str, field: str = "input[name=query]") -> None:
        """Type words into a field, and press Enter."""
        self.typed += 1
        self.page.locator(field).first.fill(words)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def save(self, selector: str) -> Path:
        """Click what sends a file, and return its path."""
        self.clicks += 1
        with self.page.expect_download() as download:
            self.page.locator(selector).first.click()
        return Path(download.value.path())

    def see(self, selector: str, text: str = "\\S") -> Locator:
        """Require that the first that is found is on the screen, with this text in any case."""
        found = self.page.locator(selector).first
        expect(found).to_be_in_viewport()
        expect(found).to_have_text(re.compile(text, re.IGNORECASE))
        return found

    def sign_in(self) -> None:
        """Sign in with a name, and be back."""
        self.click("nav a:has-text('Sign in'), a:has-text('Sign in')")
        self.ask("reader of tasks", "input[name=name]")


def list_of_an_item(reader: Reader) -> None:
    reader.click("text=Director and officer changes")
    reader.see(".hit .snip", "compensation|director|officer")
    assert "Exact name" not in reader.page.locator(".hit .snip").first.inner_text()
    reader.click(".hit h2 a")
    reader.see("article, .text")


def list_as_csv(reader: Reader) -> None:
    reader.click("text=Director and officer changes")
    path = reader.save("button:has-text('CSV')")
    with path.open(newline="") as lines:
        head, *rows = csv.reader(lines)
    assert len(rows) > 1 and not any("<mark>" in cell or "{" in cell for cell in rows[0]), head


def watched_list(reader: Reader) -> None:
    reader.click("text=Director and officer changes")
    reader.click("text=Sign in to watch it")
    reader.ask("reader of tasks", "input[name=name]")
    reader.click("a:text-is('more choices')")
    expect(reader.page.locator("input[name=item]").first).to_have_value("5.02")
    reader.ask("changed officers", "input[name=name]")
    reader.click("button:has-text('Make alert')")
    reader.see("main", "changed officers")


def definition(reader: Reader) -> None:
    reader.click("text=What “material adverse effect” means")
    reader.click(".hit h2 a")
    reader.see("mark.now", "material|adverse|effect|means")


def definition_by_its_name(reader: Reader) -> None:
    reader.ask('"material adverse effect" form 8-K')
    reader.click(".hit h2 a")
    reader.see("mark.now", "material adverse effect")


def citation(reader: Reader) -> None:
    reader.click("text=What “material adverse effect” means")
    reader.click(".hit h2 a")
    reader.see(".source-of", "Form ")
    reader.click("text=check it")
    reader.see("main", "same|found|unchanged")


def section_of_the_year_before(reader: Reader) -> None:
    reader.ask("apple inc")
    reader.click("a[href^='/company/']:has-text('Apple')")
    reader.click("a[aria-label='10-K: 10']")
    reader.click("#filings ~ * a[href^='/filing/'], section a[href^='/filing/']:has-text('10-K')")
    reader.click("a:has-text('compare with')")
    reader.see("main ins, main del, main .diff, main table")


def company_by_name(reader: Reader) -> None:
    reader.ask("microsoft")
    reader.click("a[href='/company/0000789019']")
    reader.see("h1", "Microsoft")


def figures_of_quarters(reader: Reader) -> None:
    reader.ask("microsoft")
    reader.click("a[href='/company/0000789019']")
    reader.click("a:has-text('quarters')")
    reader.see("#figures", "Figures")
    expect(reader.page.locator("figure svg text").first).to_have_text(re.compile(r"’\d\d|…"))


def word_of_the_management(reader: Reader) -> None:
    reader.ask("microsoft")
    reader.click("a[href='/company/0000789019']")
    reader.click(
        "a[href='/company/0000789019?form_type=10-K&from_date=2009-01-01&to_date=2009-12-31']"
    )
    reader.click("section a[href^='/filing/']:has-text('10-K')")
    reader.click("text=Management's Discussion")
    reader.see("article")


def income_of_a_quarter(reader: Reader) -> None:
    reader.ask("microsoft")
    reader.click("a[href='/company/0000789019']")
    reader.click("li a[href$='#statements']")
    heads = reader.page.locator("table[aria-labelledby=income_statement] th.right")
    assert heads.nth(0).inner_text().startswith("3 months to December 31, 2009")
    assert heads.nth(1).inner_text().startswith("3 months to December 31, 2008")


def statements_as_excel(reader: Reader) -> None:
    reader.ask("microsoft")
    reader.click("a[href='/company/0000789019']")
    reader.click("li a[href$='#statements']")
    assert reader.save("a:has-text('Excel')").read_bytes()[:2] == b"PK"


def form_by_its_name(reader: Reader) -> None:
    reader.ask("SC 13D/A")
    reader.see(".hit .what", "SC 13D/A")


def family_of_annual_reports(reader: Reader) -> None:
    reader.ask("annual report goodwill")
    reader.click("a:has-text('Annual report')")
    reader.see(".hit .what", "10-K|20-F|40-F")


def layoffs_newest_first(reader: Reader) -> None:
    reader.ask("layoffs")
    reader.click("a:has-text('newest')")
    reader.click(".hit h2 a")
    reader.see("mark.now", "layoff|laid|reduction|terminat")


def trades_of_an_insider(reader: Reader) -> None:
    reader.click("text=Insider trades")
    reader.click(".hit a:has-text('filing')")
    reader.see("table", "shares|stock|price")


def portfolio(reader: Reader) -> None:
    reader.ask("berkshire hathaway")
    reader.click("a[href='/company/0001067983']")
    reader.page.locator(
        "#portfolio, h2:has-text('Portfolio'), h2:has-text('Holdings')"
    ).first.wait_for()


def table_of_matches(reader: Reader) -> None:
    reader.ask('"going concern"')
    reader.click("nav a:has-text('table'), a:has-text('table')")
    reader.see("tbody tr td:last-child", "going concern")
    places = [
        link.get_attribute("href") for link in reader.page.locator("tbody tr td:last-child a").all()
    ]
    assert len(places) > 1 and len(set(places)) == len(places)


def call_of_a_page(reader: Reader) -> None:
    reader.ask("restatement")
    reader.click("summary:has-text('API call')")
    expect(reader.page.locator("#call").first).to_have_text(
        re.compile("curl .*v1/search.*restatement", re.DOTALL)
    )


def key_and_first_call(reader: Reader) -> None:
    reader.sign_in()
    reader.page.goto(f"{reader.url}/account")
    reader.ask("task", "input[name=name]")
    text = reader.page.locator("main").inner_text()
    key = re.search(r"sk_live_\w+", text)
    assert key is not None
    reply = reader.page.request.get(
        f"{reader.url}/v1/search", params={"query": "revenue"}, headers={"X-API-Key": key[0]}
    )
    assert reply.json()["total_count"] > 0


class Task(NamedTuple):
    """A wish of a person, and the clicks that fulfil it."""

    person: str
    wish: str
    act: Callable[[Reader], None]


TASKS = (
    Task("lawyer", "8-Ks of changed officers, and their text", list_of_an_item),
    Task("lawyer", "the same as a table of my own", list_as_csv),
    Task("lawyer", "a notice of the next ones", watched_list),
    Task("lawyer", "a definition of material adverse effect", definition),
    Task("lawyer", "the same by typing, in 8-Ks", definition_by_its_name),
    Task("lawyer", "a citation, and a check of it", citation),
    Task("lawyer", "what changed in a section since the last report", section_of_the_year_before),
    Task("analyst", "a company by its name", company_by_name),
    Task("analyst", "its figures by quarter", figures_of_quarters),
    Task("analyst", "its income of a quarter, beside that of the year before", income_of_a_quarter),
    Task("analyst", "what its management says of a year", word_of_the_management),
    Task("analyst", "its statements in Excel", statements_as_excel),
    Task("analyst", "large holders, by the name of the form", form_by_its_name),
    Task("analyst", "annual reports of all kinds on goodwill", family_of_annual_reports),
    Task("analyst", "the portfolio of a manager", portfolio),
    Task("journalist", "the newest layoffs", layoffs_newest_first),
    Task("journalist", "what an insider traded", trades_of_an_insider),
    Task("journalist", "each sentence on going concern", table_of_matches),
    Task("data engineer", "the API call of a search", call_of_a_page),
    Task("data engineer", "a key, and a first call", key_and_first_call),
)


def main() -> int:
    """Do all tasks, print a table of them, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the address of the service")
    url = parser.parse_args().url.rstrip("/")
    failed = 0
    print("| person | task | clicks | typed | seconds | |\n|---|---|---:|---:|---:|---|")
    with launched() as browser:
        for task in TASKS:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.set_default_timeout(SECONDS * 1_000)
            began, wrong = time.monotonic(), ""
            reader = Reader(context.new_page(), url)
            try:
                task.act(reader)
            except (Error, AssertionError) as error:
                failed += 1
                wrong = (str(error) or "not so").splitlines()[0][:100]
            seconds = time.monotonic() - began
            counts = f"{reader.clicks} | {reader.typed} | {seconds:.1f}"
            print(f"| {task.person} | {task.wish} | {counts} | {wrong or 'done'} |", flush=True)
            context.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
