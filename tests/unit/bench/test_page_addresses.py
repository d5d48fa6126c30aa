"""The pages that the benchmark times."""

import re
from pathlib import Path

from bench import page_addresses
from edgar_search.web.pages import downloads
from edgar_search.web.pages.routes import ALL

# Files, what a form sends, and steps of signing in, which are no pages to look at.
_OTHERS = {
    downloads.STATEMENTS_FILE,
    downloads.FILING_PDF,
    downloads.DOCUMENT_PDF,
    "/search/export",
    "/sign-in/local",
    "/sign-out",
    "/sign-out/everywhere",
}


def test_every_page_is_timed() -> None:
    written = Path(page_addresses.__file__).read_text()
    timed = {*re.findall(r'Address\("([^"]+)"', written), *page_addresses.OWN}
    assert timed == {route.path for route in ALL} - _OTHERS
