"""Beginnings of documents without the cover, letterhead or contacts before what they say."""

import time

import pytest

from edgar_search.search.snippets.letterheads import below_letterhead
from edgar_search.search.snippets.snippet import SnippetRequest, make_snippets

COVER = """UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549

"""
TEXT = (
    "Moss Quarries today announced that it was paid for all of the slate that it had sold in May."
)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (
            f"{COVER}FORM 8-K\nCURRENT REPORT\nMOSS QUARRIES CORP\n(Exact name of registrant)\n",
            f"Item 8.01 Other Events\n{TEXT}",
        ),
        (
            f"{COVER}SCHEDULE 13G\nUnder the Securities Exchange Act of 1934\n",
            f"MOSS QUARRIES CORP\n(Name of Issuer)\nCommon Stock\n{TEXT}",
        ),
        ("Exhibit 99.1\nFOR IMMEDIATE RELEASE\n", f"MOSS QUARRIES SELLS ALL OF ITS SLATE\n{TEXT}"),
        (
            "Exhibit 15\nMoss Quarries Corp\nOne Quarry Way\nSaltmarsh, Georgia\n",
            f"{TEXT} The review is limited, and that is why it was not an audit.",
        ),
        ("Contact:\nAda Fern, CFO\nMoss Quarries\n(212) 555-0100\nada@moss.example\n", TEXT),
        (
            "May 2, 2025\nVIA EDGAR\nSecurities and Exchange Commission\n100 F Street, N.E.\n"
            "Washington, D.C. 20549\n",
            f"Re: Moss Quarries\n{TEXT}",
        ),
    ],
)
def test_text_begins_below_its_letterhead(before: str, text: str) -> None:
    whole = f"{before}{text}\n"
    assert whole[below_letterhead(whole) :].strip() == text


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"MOSS QUARRIES SELLS ALL OF ITS SLATE TO LICHEN\n{TEXT}\nContact: (212) 555-0100\n",
        f"{COVER}FORM 10-K\n",
        "",
        "\n" * 50,
    ],
)
def test_text_without_a_letterhead_or_without_more_is_shown_from_its_beginning(text: str) -> None:
    assert below_letterhead(text) == 0


def test_a_snippet_without_marks_is_below_the_letterhead_if_that_is_wanted() -> None:
    letter = f"Exhibit 99.1\nFOR IMMEDIATE RELEASE\n\n{TEXT}\n"
    for below, shown in ((True, f"...{TEXT}"), (False, "Exhibit 99.1")):
        (snippet,) = make_snippets(SnippetRequest(letter, True, True, below=below))
        assert snippet.html.startswith(shown)
        assert letter[snippet.place.start :].startswith(shown.removeprefix("..."))


@pytest.mark.parametrize(
    "line", ["Exhibit " * 9_000, "A" * 90_000, "1 A. " * 9_000, "(212) " * 9_000]
)
def test_hostile_lines_take_no_time(line: str) -> None:
    began = time.process_time()
    below_letterhead(f"{line}\n" * 3)
    assert time.process_time() - began < 1
