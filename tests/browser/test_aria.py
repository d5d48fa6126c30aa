"""The pages for people who do not see them: the tree of roles and names, as golden files.

`EDGAR_SEARCH_TEST_EXAMPLES=write` writes the files in `aria/` instead of comparing them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from bench.page_addresses import OWN
from tests.browser.conftest import VIEWPORTS
from tests.browser.test_every_page import OPEN, make_one_of_each

FOLDER = Path(__file__).parent / "aria"
# Later than every sample.
_YEAR = r"20(?:2[6-9]|[3-9]\d)"
# What differs from run to run, and what stands for it.
_INSTEAD = (
    (re.compile(r"http(://|%3A%2F%2F)127\.0\.0\.1(:|%3A)\d+"), r"http\1service"),
    (re.compile(rf"{_YEAR}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?"), "DAY"),
    (re.compile(rf"\b[A-Z][a-z]+ \d{{1,2}}, {_YEAR}(?:, \d\d:\d\d E[SD]T)?"), "DAY"),
    (re.compile(r"\bsk_live_\w+"), "sk_live_KEY"),
    (re.compile(r"\b[0-9a-f]{24}\b"), "ID"),
    (re.compile(r"\b\d+ ms\b"), "N ms"),
    (re.compile(r"\b[\d,.]+ (?:days|hours|minutes|s)\b"), "TIME"),
    (re.compile(r"version \d\S*"), "version V"),
)
# Of these pages all numbers are live, and one of them has an account's id.
_LIVE = ("/account/usage", "/account/history")
_NUMBERS, _ID = re.compile(r"\d[\d,.]*"), re.compile(r"\b[0-9a-f]{16,}\b")
# Of this one all values are: only what they are called stays.
_STATUS = "/status"
# The time zones are those that the machine knows.
_OPTIONS = re.compile(r"^ *- option .*\n", re.MULTILINE)
_VALUES = re.compile(r"^ *- (?:row|cell|text|code|paragraph)\b.*\n?", re.MULTILINE)


@pytest.fixture(scope="module")
def reader(chromium: Browser, url: str) -> Iterator[BrowserContext]:
    """A wide window of someone who has one thing of each kind."""
    with signed_in(chromium, url, "listener") as context:
        yield context


@pytest.fixture(scope="module")
def owner(chromium: Browser, url: str) -> Iterator[BrowserContext]:
    """The same of another user, who reads no other pages: those are in one's history."""
    with signed_in(chromium, url, "owner") as context:
        yield context


@contextmanager
def signed_in(chromium: Browser, url: str, name: str) -> Iterator[BrowserContext]:
    """Yield a wide window of this user."""
    width, height = VIEWPORTS["wide"]
    context = chromium.new_context(viewport={"width": width, "height": height})
    make_one_of_each(context, url, name)
    yield context
    context.close()


def file_of(path: str) -> Path:
    """Return the golden file of a page."""
    name = re.sub(r"[^a-z0-9]+", "-", path.partition("#")[0].lower()).strip("-")
    return FOLDER / f"{name or 'home'}.yaml"


def normalised(tree: str, path: str) -> str:
    """Return a tree without what differs from run to run."""
    for pattern, instead in _INSTEAD:
        tree = pattern.sub(instead, tree)
    if path in _LIVE:
        tree = _NUMBERS.sub("N", _ID.sub("ID", tree))
    if path == "/account/mail":
        tree = _OPTIONS.sub("", tree)
    return (_VALUES.sub("", tree) if path == _STATUS else tree) + "\n"


def check(context: BrowserContext, url: str, path: str) -> None:
    """Compare the tree of a page with its golden file, or write that."""
    page = context.new_page()
    page.goto(url + path)
    tree = normalised(page.locator("body").aria_snapshot(), path)
    page.close()
    if os.environ.get("EDGAR_SEARCH_TEST_EXAMPLES") == "write":
        FOLDER.mkdir(exist_ok=True)
        file_of(path).write_text(tree)
    assert file_of(path).read_text() == tree


@pytest.mark.parametrize("path", OPEN)
def test_tree_of_a_page_is_its_golden_file(reader: BrowserContext, url: str, path: str) -> None:
    check(reader, url, path)


@pytest.mark.parametrize("path", OWN)
def test_tree_of_a_page_of_ones_own_is_its_golden_file(
    owner: BrowserContext, url: str, path: str
) -> None:
    check(owner, url, path)


def test_there_is_no_golden_file_without_a_page() -> None:
    assert {each.name for each in FOLDER.iterdir()} == {
        file_of(path).name for path in (*OPEN, *OWN)
    }
